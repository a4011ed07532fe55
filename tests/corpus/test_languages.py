"""Words of many languages: whole, in their normal form, without clitics and stop words."""

import json
import re
from dataclasses import replace

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove import Corpus, HierarchicalLDA, TextRules, build_store, load, open_store, read_corpus
from topicgrove.corpus.languages import LANGUAGES, listed_stop_words
from topicgrove.corpus.spelling import WordFinder, stop_words_of


def words(text, language, **rules):
    return set(Corpus.from_texts([text], language=language, **{"stop_words": None} | rules).vocabulary)


class TestStopWords:
    def test_at_least_fifty_languages_have_some(self):
        with_list = [code for code, language in LANGUAGES.items() if language.has_stop_words]
        assert len(with_list) >= 50
        assert all(len(listed_stop_words(code)) > 20 for code in with_list)
        assert all(not listed_stop_words(code) for code in LANGUAGES if code not in with_list)

    @pytest.mark.parametrize(
        ("language", "text", "expected"),
        [
            ("de", "Der Mond und die Sterne sind über der Stadt", {"mond", "stadt", "sterne"}),
            ("fr", "L'homme qu'elle voyait aujourd'hui n'était pas d'ici", {"homme", "voyait"}),
            ("es", "La luna está sobre los árboles de la ciudad", {"ciudad", "luna", "árboles"}),
            ("it", "L'acqua dell'isola è nell'anfora, quest'anno", {"acqua", "isola", "anfora"}),
            ("ru", "Ещё один зелёный лес и его деревья", {"деревья", "зеленый", "лес"}),
            ("el", "ΚΑΙ η ΟΔΟΣ είναι και αυτός ο δρόμος", {"οδος", "δρόμος"}),
            ("ar", "هذا الكتابُ في المكتبــة التي كانت", {"كتاب", "مكتبة"}),
            ("hi", "यह हिन्दी की किताब है और विज्ञान", {"किताब", "विज्ञान", "हिन्दी"}),
            ("ko", "나무와 라이브러리를 그리고 나무", {"나무와", "나무", "라이브러리"}),
            ("uk", "Дерева на горі або їх листя", {"дерева", "горі", "листя"}),
        ],
    )
    def test_sentences_keep_their_content(self, language, text, expected):
        assert words(text, language, stop_words="auto") == expected

    def test_the_users_own_win(self):
        assert words("der Mond", "de", stop_words=["mond"]) == {"der"}
        assert words("der Mond", "de", stop_words=None) == {"der", "mond"}
        assert words("der Mond of the", "de", stop_words="english") == {"der", "mond"}

    def test_english_in_texts_of_another_script_goes_too(self):
        assert words("Сервер between the клиент", "ru", stop_words="auto") == {"сервер", "клиент"}
        assert words("The Lord of the Rings ist ein Film", "de", stop_words="auto") == {"film", "lord", "rings"}

    def test_missing_list_is_said(self):
        with pytest.warns(UserWarning, match="no list of stop words for Georgian"):
            Corpus.from_texts(["ხე და ფოთოლი"], language="ka")

    def test_they_are_spelled_as_they_are_found(self):
        assert {"ещё", "еще"} <= stop_words_of("ru")
        assert {"είναι", "ειναι"} <= stop_words_of("el")


class TestSpelling:
    @pytest.mark.parametrize(
        ("language", "text", "expected"),
        [
            ("tr", "IŞIK İstanbul'da ISPARTA", {"ışık", "istanbul", "ısparta"}),
            ("tr", "ISPARTA AND IZMIR'DEN", {"ısparta", "and", "ızmır"}),
            ("az", "İL ILIQ", {"il", "ılıq"}),
            ("en", "İstanbul", {"istanbul"}),
            ("de", "STRAẞE Straße Stra\u00dfe", {"straße"}),
            ("el", "ΟΔΟΣ ΟΔΟΣ.", {"οδος"}),
            ("ru", "Ёлка ёлка", {"елка"}),
            ("fr", "L’ÉTÉ jusqu'à lorsqu’il", {"été", "il"}),
            ("fr", "l'homme d'une", {"homme", "une"}),
            ("ro", "\u015ftiin\u0163\u0103 știință", {"știință"}),
            ("ca", "l'home col·legi d'aigua", {"home", "col·legi", "aigua"}),
            ("uk", "об'єкт п’ять", {"обʼєкт", "пʼять"}),
            ("ar", "كِتَابٌ وكتـــاب", {"كتاب", "وكتاب"}),
            ("ar", "والكتاب بالكتاب للكتاب النص الله", {"كتاب", "نص", "الله"}),
            ("fa", "كتاب‌ها", {"کتاب", "ها"}),
            ("he", 'שָׁלוֹם צה"ל', {"שלום", "צה״ל"}),
            ("hi", "हिन्दी किताबें", {"हिन्दी", "किताबें"}),
            ("ta", "தமிழ் மொழி", {"தமிழ்", "மொழி"}),
            ("vi", "Việt Nam tiếng", {"việt", "nam", "tiếng"}),
        ],
    )
    def test_words_have_one_spelling(self, language, text, expected):
        assert words(text, language) == expected

    @pytest.mark.parametrize("language", ["en", "fr", "de", "hi", "vi"])
    def test_decomposed_letters_are_composed(self, language):
        assert words("cafe\u0301 Mu\u0308nchen tie\u0302\u0301ng", language) == {"café", "münchen", "tiếng"}

    def test_soft_hyphens_and_joiners_do_not_split_words(self):
        assert words("Donau\u00addampf\u00adschiff", "de") == {"donaudampfschiff"}
        assert words("क्\u200dष त्र\u200cम", "hi") == {"क्ष", "त्रम"}

    def test_case_stays_where_it_is_wanted(self):
        assert words("L'Été à Paris", "fr", lowercase=False) == {"Été", "Paris"}
        assert words("IŞIK", "tr", lowercase=False) == {"IŞIK"}

    def test_accents_are_stripped_from_whole_words(self):
        assert words("L'été du café", "fr", strip_accents="unicode") == {"ete", "du", "cafe"}

    def test_ngrams_are_made_of_words_of_the_language(self):
        assert words("l'eau de l'île", "fr", stop_words="auto", ngram_range=(1, 2)) == {"eau", "île", "eau île"}

    def test_phrases_are_made_of_words_of_the_language(self):
        corpus = Corpus.from_texts(["réseau neuronal d'hier", "la lumière"] * 10, language="fr", phrases=True)
        assert "réseau neuronal" in corpus.vocabulary

    def test_ones_own_pattern_still_rules(self):
        assert words("l'homme Été", "fr", token_pattern=r"[\w']+") == {"l'homme", "été"}

    def test_one_thread_and_several_find_the_same(self):
        texts = ["L'été à l'île, c'est là", "plain ascii", "d'accord ISO"] * 500
        alone, many = (Corpus.from_texts(texts, language="fr", n_jobs=n) for n in (1, 4))
        assert alone.vocabulary == many.vocabulary
        assert (alone.words == many.words).all()


class TestEnglish:
    TEXTS = (
        "The naïve café — “don’t” worry: Zoë’s 25 trees, coöperate!",
        "Plain ASCII, the moon's orbit",
        "__x__ ½ ²x",
    )

    def test_words_are_those_of_the_usual_pattern(self):
        pattern = re.compile(r"(?u)\b\w\w+\b")
        find = WordFinder("en")
        for text in self.TEXTS:
            assert find(text) == pattern.findall(text.lower())

    @pytest.mark.parametrize("language", ["auto", None])
    def test_counts_are_those_of_count_vectorizer_without_cleaning(self, language):
        corpus = Corpus.from_texts(list(self.TEXTS), clean=None, language=language, stop_words=None)
        vectorizer = CountVectorizer()
        counts = vectorizer.fit_transform(self.TEXTS)
        assert corpus.vocabulary == tuple(vectorizer.get_feature_names_out())
        assert (corpus.to_csr().toarray() == counts.toarray()).all()
        assert corpus.rules.language is None

    def test_the_rules_of_no_language_and_of_english_agree(self):
        english, none = (Corpus.from_texts(list(self.TEXTS), language=language) for language in ("en", None))
        assert english.vocabulary == none.vocabulary


class TestRules:
    @pytest.mark.parametrize(
        ("given", "code"),
        [("de", "de"), ("DE", "de"), ("pt-BR", "pt"), ("zh_TW", "zh"), ("German", "de"), ("nb", "no"), (None, None)],
    )
    def test_languages_are_given_by_code_tag_or_name(self, given, code):
        assert TextRules(language=given).language == code

    @pytest.mark.parametrize("given", ["xx", "", "klingon", 3, ["de"], True])
    def test_unknown_language_is_refused_naming_the_known_ones(self, given):
        with pytest.raises(ValueError, match=r"language must be .* there are af, ar,"):
            TextRules(language=given)

    def test_they_survive_json(self):
        for rules in (TextRules(language="de"), TextRules(language=None), TextRules(language="zh-x-bigrams")):
            assert TextRules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules

    def test_older_files_read_as_they_did(self):
        old = TextRules(stop_words="english").to_dict()
        del old["language"]
        assert TextRules.from_dict(old) == replace(TextRules(stop_words="english"), language=None)
        assert TextRules.from_dict({}).stop_words == "english"

    def test_a_store_and_a_model_keep_the_language(self, tmp_path):
        path = tmp_path / "texte.txt"
        path.write_text("Der Mond und die Straße\nDie Erde und der Wald\n" * 30)
        corpus = build_store(path, tmp_path / "store", language="de")
        assert corpus.rules.language == open_store(tmp_path / "store").rules.language == "de"
        model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0).fit(corpus)
        model.save(tmp_path / "m.grove")
        again = load(tmp_path / "m.grove")
        assert again.rules_.language == "de"
        assert (again.transform(["DER WALD"]) == again.transform(["Wald"])).all()

    def test_a_model_of_texts_places_a_sentence_by_the_same_rules(self):
        texts = ["L'orage à la mer et les vagues", "L'hiver dans la neige et le froid"] * 20
        model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0, text={"language": "fr"}).fit(texts)
        assert model.rules_.language == "fr"
        assert (model.transform(["d'orage"]) == model.transform(["orage"])).all()

    def test_tokens_are_left_alone(self):
        model = HierarchicalLDA(n_levels=2, n_iter=5, random_state=0, text={"language": "fr"})
        assert model.fit([["l'été", "le"], ["mer"]] * 5).tree_.vocabulary == ("l'été", "le", "mer")


def test_files_are_read_by_the_language(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "der Mond"}) + "\n")
    assert read_corpus(path, language="de").vocabulary == ("mond",)
