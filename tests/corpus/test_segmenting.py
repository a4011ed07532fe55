"""Scripts without spaces: words by a segmenter, or pairs of characters and a warning, but never whole sentences."""

import sys
import warnings

import pytest

from topicgrove import Corpus, HierarchicalLDA, load
from topicgrove.corpus import segmenting
from topicgrove.corpus.segmenting import Segmenter, bigrams

SENTENCES = {
    "zh": "数据库服务器支持多种编程语言，例如神经网络。",
    "ja": "データベースサーバーは機械学習を利用して、表を貼り付けました。",
    "th": "ระบบฐานข้อมูลช่วยให้ค้นหาข้อมูลได้อย่างรวดเร็ว",
    "lo": "ປະເທດລາວມີແມ່ນ້ຳຂອງໄຫຼຜ່ານ",
    "km": "ប្រទេសកម្ពុជាមានប្រាសាទអង្គរវត្ត",
    "my": "မြန်မာနိုင်ငံသည်အရှေ့တောင်အာရှတွင်ရှိသည်",
}


@pytest.fixture
def without_segmenters(monkeypatch):
    """Pretend that none is installed."""
    for library in set(segmenting.LIBRARIES.values()):
        for name in [name for name in sys.modules if name.split(".")[0] == library]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, library, None)
    segmenting.segmenter_of.cache_clear()
    segmenting.has_segmenter.cache_clear()
    yield
    segmenting.segmenter_of.cache_clear()
    segmenting.has_segmenter.cache_clear()


def vocabulary(language, **rules):
    return set(Corpus.from_texts([SENTENCES[language]], language=language, **{"stop_words": None} | rules).vocabulary)


class TestSegmenters:
    @pytest.mark.parametrize(
        ("language", "library", "expected"),
        [
            ("zh", "rjieba", {"数据库", "服务器", "编程语言", "神经网络", "支持"}),
            ("ja", "sudachipy", {"機械学習", "利用", "貼り付ける", "表"}),
            ("th", "icu4py", {"ระบบ", "ข้อมูล", "ค้นหา", "รวดเร็ว"}),
            ("lo", "icu4py", {"ປະເທດ", "ລາວ"}),
            ("km", "icu4py", {"ប្រទេស", "កម្ពុជា"}),
            ("my", "icu4py", {"မြန်မာနိုင်ငံ"}),
        ],
    )
    def test_words_are_found(self, language, library, expected):
        pytest.importorskip(library)
        assert expected <= vocabulary(language)

    def test_japanese_has_content_words_in_their_dictionary_form(self):
        pytest.importorskip("sudachipy")
        assert not vocabulary("ja") & {"は", "を", "ました", "貼り付け", "し", "て"}

    def test_stop_words_go(self):
        pytest.importorskip("rjieba")
        assert Corpus.from_texts(["我们可以使用数据库"], language="zh").vocabulary == ("使用", "数据库")

    def test_other_letters_among_them_stay_words(self):
        pytest.importorskip("rjieba")
        assert {"linux", "数据库", "3d"} <= set(Corpus.from_texts(["用Linux的数据库和3D"], language="zh").vocabulary)

    def test_full_width_letters_are_letters(self):
        assert "linux" in Corpus.from_texts(["ＬＩＮＵＸ数据库"], language="zh-x-bigrams").vocabulary

    def test_runs_of_any_length_are_cut(self):
        for language in ("zh", "ja", "th"):
            pytest.importorskip(segmenting.LIBRARIES[language])
            run = SENTENCES[language].replace("，", "").replace("、", "").replace("。", "") * 1500
            longest = max(map(len, Segmenter(language)([run])))
            assert longest < 30

    def test_many_threads_find_the_same(self):
        pytest.importorskip("sudachipy")
        texts = [SENTENCES["ja"], SENTENCES["zh"]] * 200
        alone, many = (Corpus.from_texts(texts, language="ja", n_jobs=n) for n in (1, 4))
        assert alone.vocabulary == many.vocabulary
        assert (alone.words == many.words).all()

    def test_a_saved_model_cuts_new_documents(self, tmp_path):
        pytest.importorskip("rjieba")
        texts = ["数据库服务器支持编程语言", "月亮围绕地球转动的轨道"] * 20
        model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0, text={"language": "zh"}).fit(texts)
        assert "数据库" in model.tree_.vocabulary
        model.save(tmp_path / "m.grove")
        again = load(tmp_path / "m.grove")
        assert again.rules_.language == "zh"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            placed = again.transform(["这个数据库和那个服务器"])
        assert (placed == again.transform(["数据库，服务器"])).all()


@pytest.mark.usefixtures("without_segmenters")
class TestWithoutSegmenters:
    @pytest.mark.parametrize(
        ("language", "extra"), [("zh", "chinese"), ("ja", "japanese"), ("th", "icu"), ("km", "icu")]
    )
    def test_the_extra_is_named_and_words_are_pairs(self, language, extra):
        with pytest.warns(UserWarning, match=rf"pip install 'topicgrove\[{extra}\]'") as caught:
            corpus = Corpus.from_texts([SENTENCES[language]], language=language, stop_words=None)
        assert [warning.filename for warning in caught] == [__file__]
        assert corpus.rules.language == f"{language}-x-bigrams"
        assert all(len(segmenting.letter_with_marks().findall(word)) == 2 for word in corpus.vocabulary)
        assert corpus.n_tokens > 10

    def test_auto_falls_back_too(self):
        with pytest.warns(UserWarning, match=r"topicgrove\[chinese\]"):
            corpus = Corpus.from_texts([SENTENCES["zh"]])
        assert {"数据", "据库"} <= set(corpus.vocabulary)

    def test_a_few_words_in_other_texts_become_pairs_without_a_warning(self):
        corpus = Corpus.from_texts(["The database is called 数据库服务器 in Chinese, and that is all of it."])
        assert {"database", "数据", "服务"} <= set(corpus.vocabulary)
        assert corpus.rules.language == "en"

    def test_pairs_that_were_chosen_are_not_warned_of(self):
        corpus = Corpus.from_texts([SENTENCES["zh"]], language="zh-x-bigrams")
        assert "据库" in corpus.vocabulary

    def test_a_model_of_words_says_what_it_lacks(self):
        with pytest.warns(UserWarning, match=r"topicgrove\[chinese\]"):
            corpus = Corpus.from_texts(["数据库"], vocabulary=["数据", "数据库"], language="zh")
        assert corpus.n_tokens == 1


def test_a_model_of_pairs_reads_pairs_where_a_segmenter_is_installed(tmp_path):
    texts = ["数据库服务器支持编程语言", "月亮围绕地球转动的轨道"] * 20
    model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0, text={"language": "zh-x-bigrams"}).fit(texts)
    model.save(tmp_path / "m.grove")
    again = load(tmp_path / "m.grove")
    assert (again.transform(["据库"]) == model.transform(["据库"])).all()
    assert "据库" in again.tree_.vocabulary


def test_pairs_keep_marks_with_their_letters():
    assert bigrams("ที่นี่") == ["ที่นี่"]
    assert bigrams("月") == []


@pytest.mark.parametrize("language", ["en", "de", "auto"])
def test_no_language_makes_one_word_of_a_sentence(language):
    texts = list(SENTENCES.values()) + ["This is the English that they are all in, and it is not a list of words."] * 9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = Corpus.from_texts(texts, language=language)
    assert max(map(len, corpus.vocabulary)) < 20
