"""Counts of text equal CountVectorizer's, for any text and rules."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove.corpus import Corpus, sources

AWKWARD = [
    "Don't stop: it's the tree's  e-mail_address foo_bar 42 007 3.14 a I x1",
    "",
    "   \t\n ",
    "Ünïcödé CAFÉ café cafe\u0301 İstanbul ΣΊΣΥΦΟΣ straße STRASSE ﬁne",
    "日本語 と 中文 नमस्ते 👍🏽 x\u200dy zero\u200bwidth \u2028line\x0cfeed\x85next",
    "tree TREE Tree leaf; tree,leaf/tree",
    "\u0661\u0662 \u00b2\u00b3 ª º ǅ ß\u0130",
    "__init__ _ __ a_b _a",
    "the the the and of",
    "x" * 5000 + " tree",
]

characters = st.sampled_from("aAbBzZ019_ .,'-\n\té\u0301ßİΣ\u03c3日本\u200d²ǅ")
texts = st.lists(st.text(characters, max_size=60), min_size=1, max_size=12)
options = st.fixed_dictionaries(
    {},
    optional={
        "lowercase": st.booleans(),
        "stop_words": st.sampled_from([None, "english", ["aa", "bb"]]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3)]),
        "min_df": st.sampled_from([1, 2, 0.2]),
        "max_df": st.sampled_from([1.0, 0.6, 5]),
        "max_features": st.sampled_from([None, 1, 3]),
        "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
        "token_pattern": st.sampled_from([r"(?u)\b\w\w+\b", r"\b\w+\b", r"\w\w+", r"[a-z]+", r"(\w)\w*", r"\S+"]),
    },
)


def assert_like_count_vectorizer(docs, n_jobs=1, **rules):
    rules = {"stop_words": None, "min_df": 1, "max_df": 1.0} | rules
    own = rules | {"clean": None}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vectorizer = CountVectorizer(**rules)
            X = vectorizer.fit_transform(docs)
    except ValueError:
        with pytest.raises(ValueError, match=r"no words are left|allows fewer documents"):
            Corpus.from_texts(docs, n_jobs=n_jobs, **own)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = Corpus.from_texts(docs, n_jobs=n_jobs, **own)
    assert corpus.vocabulary == tuple(vectorizer.get_feature_names_out())
    assert (corpus.to_csr().toarray() == X.toarray()).all()


@settings(max_examples=300)
@given(texts, options)
def test_counts_are_those_of_count_vectorizer(docs, rules):
    assert_like_count_vectorizer(docs, **rules)


@given(st.lists(st.text(max_size=80).filter(lambda text: "\0" not in text), min_size=1, max_size=5))
def test_any_text_is_split_like_count_vectorizer_splits_it(docs):
    assert_like_count_vectorizer(docs)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"lowercase": False},
        {"stop_words": "english"},
        {"ngram_range": (1, 3), "stop_words": "english"},
        {"strip_accents": "unicode"},
        {"max_features": 7},
        {"token_pattern": r"(?u)\b\w+\b"},
        {"token_pattern": r"(?u)\b\w\w\w+\b"},
        {"analyzer": str.split},
    ],
)
def test_awkward_text_is_counted_the_same(rules, n_jobs):
    assert_like_count_vectorizer(AWKWARD, n_jobs, **rules)


def test_ties_of_max_features_are_broken_the_same():
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(400)]
    docs = [" ".join(rng.choice(words, 30)) for _ in range(80)]
    for limit in (1, 7, 50, 200, 399):
        assert_like_count_vectorizer(docs, max_features=limit)


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_threads_and_blocks_do_not_change_the_corpus(monkeypatch, n_jobs):
    monkeypatch.setattr(sources, "_BLOCK_TEXTS", 3)
    rng = np.random.default_rng(1)
    docs = [" ".join(f"word{i}" for i in rng.zipf(1.3, 20) % 1000) + (" é" if d % 7 == 0 else "") for d in range(200)]
    assert_like_count_vectorizer(docs, n_jobs, min_df=2)


def test_a_corpus_of_any_size_keeps_its_order(monkeypatch):
    monkeypatch.setattr(sources, "_BLOCK_TEXTS", 1)
    docs = [f"number{d}" for d in range(300)]
    corpus = Corpus.from_texts(docs, n_jobs=4, ids=range(300), min_df=1, max_df=1.0)
    assert [corpus.vocabulary[word] for word in corpus.words] == docs
    assert corpus.ids == tuple(str(d) for d in range(300))


@pytest.mark.parametrize("docs", [[], iter([])])
def test_no_documents_are_refused(docs):
    with pytest.raises(ValueError, match="no documents"):
        Corpus.from_texts(docs)


@pytest.mark.parametrize("docs", [["", " "], ["the and of"], ["a b c"]])
def test_documents_without_a_word_left_are_refused(docs):
    with pytest.raises(ValueError, match="no words are left of"):
        Corpus.from_texts(docs)


def test_empty_documents_among_others_are_kept():
    corpus = Corpus.from_texts(["tree", "", "the", "tree leaf"])
    assert corpus.document_lengths.tolist() == [1, 0, 0, 2]


def test_document_of_a_million_words_is_counted():
    assert Corpus.from_texts(["tree leaf " * 500_000]).to_csr().toarray().tolist() == [[500_000, 500_000]]


@pytest.mark.parametrize("text", [None, 3, b"tree", float("nan"), ["tree"]])
def test_text_that_is_no_string_is_refused_naming_it(text):
    with pytest.raises(ValueError, match=r"texts\[1\]: text is .*; it must be a string"):
        Corpus.from_texts(["tree", text])


@pytest.mark.parametrize(
    ("text", "message"), [("tr\0ee", "NUL at character 2"), ("tree\ud800", "lone surrogate at character 4")]
)
def test_text_that_cannot_be_stored_is_refused_naming_it(text, message):
    with pytest.raises(ValueError, match=rf"texts\[2\]: text has a {message}"):
        Corpus.from_texts(["tree", "leaf", text])


@pytest.mark.parametrize("docs", ["a tree", b"a tree", 3])
def test_one_text_in_place_of_many_is_refused(docs):
    with pytest.raises(TypeError, match="texts must be an iterable of strings"):
        Corpus.from_texts(docs)


@pytest.mark.parametrize(
    ("analyzer", "error", "message"),
    [
        (lambda text: [1], TypeError, "analyzer must give strings"),
        (lambda text: ["a\0b"], ValueError, "NUL"),
        (lambda text: ["\ud800"], ValueError, "surrogate"),
    ],
)
def test_analyzer_that_gives_no_words_is_refused(analyzer, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_texts(["tree"], analyzer=analyzer)


def test_an_error_in_an_analyzer_reaches_the_caller():
    def fail(text):
        raise RuntimeError("no analysis today")

    with pytest.raises(RuntimeError, match="no analysis today"):
        Corpus.from_texts(["tree"] * 5000, analyzer=fail, n_jobs=3)


@pytest.mark.parametrize(
    ("n_jobs", "error"), [(0, ValueError), (-2, ValueError), (10**6, ValueError), (2.0, TypeError), (True, TypeError)]
)
def test_wrong_number_of_threads_is_refused(n_jobs, error):
    with pytest.raises(error, match="n_jobs must be"):
        Corpus.from_texts(["tree"], n_jobs=n_jobs)


class TestGivenVocabulary:
    def test_unknown_words_are_left_out_and_counted(self):
        corpus = Corpus.from_texts(["the tree, the root, a root", "Bäume"], vocabulary=["tree", "leaf"])
        assert corpus.to_csr().toarray().tolist() == [[1, 0], [0, 0]]
        assert corpus.n_unknown_words == 3
        assert corpus.vocabulary == ("tree", "leaf")

    def test_frequencies_do_not_matter(self):
        corpus = Corpus.from_texts(["tree", "tree"], vocabulary=["leaf", "tree"], min_df=2, max_df=1, max_features=1)
        assert corpus.n_words == 2

    def test_n_grams_are_looked_for(self):
        corpus = Corpus.from_texts(["an old tree"], vocabulary=["old tree"], ngram_range=(1, 2))
        assert (corpus.n_tokens, corpus.n_unknown_words) == (1, 2)

    def test_documents_without_any_known_word_are_kept(self):
        assert Corpus.from_texts(["root", ""], vocabulary=["tree"]).document_lengths.tolist() == [0, 0]

    @pytest.mark.parametrize("vocabulary", [{"tree": 0}, {"tree"}, "tree", ["tree", "tree"], ["tree", ""]])
    def test_wrong_vocabulary_is_refused(self, vocabulary):
        with pytest.raises(ValueError, match="vocabulary"):
            Corpus.from_texts(["tree"], vocabulary=vocabulary)
