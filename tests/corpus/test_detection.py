"""``language="auto"``: detected from the first texts, the same everywhere, and English in doubt."""

import warnings

import pytest

from tests.distributed.thread_ranks import run_ranks
from topicgrove import Corpus, TextRules, build_store, read_corpus
from topicgrove.corpus import textfiles
from topicgrove.corpus.detection import detect_language

# The beginning of the Universal Declaration of Human Rights' first article, and such.
FIRST_ARTICLE = {
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
    "and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
    "und sollen einander im Geist der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di "
    "coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en "
    "geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i "
    "sumieniem i powinni postępować wobec innych w duchu braterstwa, jak to jest.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.",
    "bg": "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "ar": "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميرًا.",
    "fa": "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है "
    "और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。",
    "ja": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
}  # fmt: skip


@pytest.mark.parametrize("code", FIRST_ARTICLE)
def test_one_sentence_tells_the_language(code):
    assert detect_language([FIRST_ARTICLE[code]]).code == code


@pytest.mark.parametrize("code", ["de", "fr", "hi", "ko"])
def test_the_language_that_was_told_is_in_the_rules(code):
    corpus = Corpus.from_texts([FIRST_ARTICLE[code]] * 3)
    assert corpus.rules == TextRules(language=code)
    assert corpus.vocabulary == Corpus.from_texts([FIRST_ARTICLE[code]] * 3, language=code).vocabulary


@pytest.mark.parametrize(
    "texts",
    [
        ["tree leaf root"],
        ["hong kong"] * 50,
        ["die die die war war man"] * 50,
        ["25 + 17 = 42", "§§§"],
        [""],
        ["x"] * 5,
        ["def f(x): return x", "import numpy as np", "for i in range(3): print(i)"],
    ],
    ids=str,
)
def test_what_is_not_sure_is_read_as_english(texts):
    assert detect_language(texts).code in (None, "en")
    rules = {"stop_words": None, "clean": ["urls"]}
    if any(map(str.split, texts)) and texts[0] not in ("x", "25 + 17 = 42"):
        assert Corpus.from_texts(texts, **rules).rules.language == "en"


def test_mixed_texts_are_reported_once():
    texts = [FIRST_ARTICLE["en"]] * 6 + [FIRST_ARTICLE["de"]] * 5
    with pytest.warns(UserWarning, match=r"several languages: English \(55%\), German \(45%\)") as caught:
        corpus = Corpus.from_texts(texts)
    assert [warning.filename for warning in caught] == [__file__]
    assert corpus.rules.language in ("en", "de")


def test_a_few_texts_in_another_language_are_not_worth_a_word():
    texts = [FIRST_ARTICLE["en"]] * 9 + [FIRST_ARTICLE["de"]]
    assert Corpus.from_texts(texts).rules.language == "en"


def test_a_script_whose_language_is_unknown_is_reported():
    kazakh = "Барлық адамдар тумысынан азат және қадір-қасиеті мен құқықтары тең болып дүниеге келеді."
    with pytest.warns(UserWarning, match="in cyrillic script"):
        assert Corpus.from_texts([kazakh]).rules.language == "en"


def test_generators_are_read_once_and_whole():
    corpus = Corpus.from_texts((text for text in [FIRST_ARTICLE["de"], "Mond"] * 2000), max_df=1.0)
    assert (corpus.n_docs, corpus.rules.language) == (4000, "de")


def test_blocks_of_any_size_tell_the_same(tmp_path, monkeypatch):
    path = tmp_path / "texte.txt"
    path.write_text("\n".join([FIRST_ARTICLE["de"]] * 200))
    whole = read_corpus(path, max_df=1.0)
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 300)
    small = read_corpus(path, max_df=1.0)
    assert whole.rules.language == small.rules.language == "de"
    assert whole.vocabulary == small.vocabulary
    assert (whole.words == small.words).all()


@pytest.mark.parametrize("n_ranks", [2, 3])
def test_all_ranks_read_by_the_language_that_the_first_told(tmp_path, monkeypatch, n_ranks):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 300)
    path = tmp_path / "texte.txt"
    # Texts beyond the sample would give another result.
    path.write_text("\n".join([FIRST_ARTICLE["de"]] * 1500 + [FIRST_ARTICLE["fr"]] * 1500))
    alone = build_store(path, tmp_path / "alone", n_jobs=1)

    def build(comm):
        return build_store(path, tmp_path / "store", n_jobs=1, communicator=comm).rules.language

    assert run_ranks(n_ranks, build) == ["de"] * n_ranks
    assert alone.rules.language == "de"
    files = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("alone", "store")]
    assert files[0] == files[1]


def test_auto_says_nothing_of_english():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Corpus.from_texts([FIRST_ARTICLE["en"]]).rules.language == "en"
