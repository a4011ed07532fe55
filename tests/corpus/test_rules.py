"""TextRules: what they accept, what "auto" means, and the way through JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest

from topicgrove.corpus import Corpus, TextRules


def split(text):
    return text.split()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"lowercase": 1}, TypeError, "lowercase"),
        ({"token_pattern": "("}, ValueError, "token_pattern"),
        ({"token_pattern": "(a)(b)"}, ValueError, "token_pattern .* 2 groups"),
        ({"token_pattern": None}, TypeError, "token_pattern"),
        ({"stop_words": "german"}, ValueError, "stop_words"),
        ({"stop_words": 3}, ValueError, "stop_words"),
        ({"stop_words": [1]}, TypeError, "stop_words"),
        ({"ngram_range": (2, 1)}, ValueError, "ngram_range"),
        ({"ngram_range": (0, 1)}, ValueError, "ngram_range"),
        ({"ngram_range": 2}, ValueError, "ngram_range"),
        ({"min_df": 0}, ValueError, "min_df"),
        ({"min_df": 1.5}, ValueError, "min_df"),
        ({"min_df": float("nan")}, ValueError, "min_df"),
        ({"min_df": True}, TypeError, "min_df"),
        ({"max_df": "many"}, TypeError, "max_df"),
        ({"max_df": -0.1}, ValueError, "max_df"),
        ({"max_features": 0}, ValueError, "max_features"),
        ({"max_features": 2.0}, ValueError, "max_features"),
        ({"strip_accents": "all"}, ValueError, "strip_accents"),
        ({"analyzer": "char"}, ValueError, "analyzer"),
        ({"clean": "urls"}, ValueError, "clean"),
        ({"clean": ["links"]}, ValueError, "clean must be .* urls, emails"),
        ({"clean": True}, ValueError, "clean"),
    ],
)
def test_wrong_rule_is_refused_naming_it(options, error, message):
    with pytest.raises(error, match=message):
        TextRules(**options)


@pytest.mark.parametrize(
    ("n_docs", "expected"),
    [(1, (1, 1)), (99, (1, 99)), (100, (2, 50)), (999, (2, 499.5)), (1000, (5, 500)), (150_000, (13, 75_000))],
)
def test_auto_depends_on_the_number_of_documents(n_docs, expected):
    assert TextRules().document_frequencies(n_docs) == expected


def test_whole_numbers_are_documents_and_floats_are_shares():
    assert TextRules(min_df=0.1, max_df=8).document_frequencies(20) == (2.0, 8)
    assert TextRules(min_df=1, max_df=1.0).document_frequencies(20) == (1, 20)


def test_max_df_below_min_df_is_refused():
    with pytest.raises(ValueError, match="max_df=1 allows fewer documents than min_df=2"):
        Corpus.from_texts(["tree tree", "tree"], min_df=2, max_df=1)


@pytest.mark.parametrize(
    "rules",
    [
        TextRules(),
        TextRules(stop_words=["b", "a"], ngram_range=(1, 3), min_df=0.25, max_df=7, max_features=10),
        TextRules(stop_words=None, lowercase=False, token_pattern=r"\S+", strip_accents="unicode"),
    ],
)
def test_rules_survive_json(rules):
    assert TextRules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_rules_of_a_newer_program_are_refused():
    with pytest.raises(TypeError, match="'stemmer' is no rule"):
        TextRules.from_dict({**TextRules().to_dict(), "stemmer": "porter"})


def test_stored_rules_say_that_their_analyzer_is_missing():
    stored = TextRules.from_dict(TextRules(analyzer=split).to_dict())
    with pytest.raises(ValueError, match="stored without their analyzer"):
        Corpus.from_texts(["a tree"], rules=stored)
    assert Corpus.from_texts(["a tree"], rules=replace(stored, analyzer=split)).vocabulary == ("a", "tree")


def test_rules_and_keywords_exclude_each_other():
    with pytest.raises(TypeError, match="give rules or min_df, not both"):
        Corpus.from_texts(["tree"], rules=TextRules(), min_df=1)
    with pytest.raises(TypeError, match="'mindf' is no rule of text; there are lowercase"):
        Corpus.from_texts(["tree"], mindf=1)


def test_english_stop_words_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert TextRules().stop_word_set() == ENGLISH_STOP_WORDS


def test_the_number_of_documents_may_be_a_numpy_integer():
    assert TextRules(max_features=np.int64(3)).max_features == 3
