"""Texts and tokens in place of counts, from a list of sentences to a saved model that places one more."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from topicgrove import Corpus, HierarchicalLDA, TextRules, load

TEXTS = ["moon orbit rocket moon", "orbit rocket launch", "goal team match", "team goal goal league"] * 6
TOKENS = [text.split() for text in TEXTS]
DAYS = [date(2026, 11, 1 + i) for i in range(24)]


def make_model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.3, "gamma": 1.0, "n_iter": 5, "random_state": 0}
    return HierarchicalLDA(**(settings | options))


CONTAINERS: dict[str, Any] = {
    "list": lambda: TEXTS,
    "tuple": lambda: tuple(TEXTS),
    "array": lambda: np.array(TEXTS),
    "array of objects": lambda: np.array(TEXTS, object),
    "generator": lambda: (text for text in TEXTS),
    "pandas column": lambda: pd.Series(TEXTS, index=range(100, 124)),
    "pandas objects": lambda: pd.Series(TEXTS, dtype=object),
    "pandas index": lambda: pd.Index(TEXTS),
    "polars column": lambda: pl.Series(TEXTS),
    "Arrow column": lambda: pa.chunked_array([TEXTS]),
    "pandas frame": lambda: pd.DataFrame({"text": TEXTS, "label": "x", "year": 1}),
    "polars frame": lambda: pl.DataFrame({"body": TEXTS, "year": range(24)}),
    "Arrow table": lambda: pa.table({"text": TEXTS}),
    "array of variable strings": lambda: np.array(TEXTS, np.dtypes.StringDType()),
    "pandas strings": lambda: pd.Series(TEXTS, dtype="string"),
    "pandas categories": lambda: pd.Series(TEXTS, dtype="category"),
    "polars categories": lambda: pl.Series(TEXTS, dtype=pl.Categorical),
    "Arrow array": lambda: pa.array(TEXTS),
    "values of a dict": lambda: dict(enumerate(TEXTS)).values(),
    "pandas frame with dates": lambda: pd.DataFrame({"body": TEXTS, "day": DAYS, "score": 0.5}),
    "pandas frame of categories": lambda: pd.DataFrame({"text": pd.Categorical(TEXTS), "kind": "x", "day": DAYS}),
    "polars frame with dates": lambda: pl.DataFrame({"text": TEXTS, "day": DAYS, "tags": [["a"]] * 24}),
    "Arrow table with dates": lambda: pa.table({"text": pa.array(TEXTS, pa.large_string()), "day": DAYS}),
    "tokens": lambda: TOKENS,
    "arrays of tokens": lambda: [np.array(tokens) for tokens in TOKENS],
    "generator of tokens": lambda: iter(TOKENS),
    "polars column of tokens": lambda: pl.Series(TOKENS),
    "pandas column of tokens": lambda: pd.Series(TOKENS),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_texts_are_taken_in_whatever_holds_them(container: str) -> None:
    make = CONTAINERS[container]
    expected = make_model().fit(Corpus.from_texts(TEXTS))
    model = make_model().fit(make())
    assert model.tree_.vocabulary == expected.tree_.vocabulary
    assert model.n_features_in_ == len(expected.tree_.vocabulary)
    assert_array_equal(model.paths_, expected.paths_)
    assert_array_equal(model.transform(make()), expected.transform(Corpus.from_texts(TEXTS)))
    assert_array_equal(model.predict_paths(make()), expected.predict_paths(TEXTS))
    assert model.perplexity(make(), random_state=1) == expected.perplexity(TEXTS, random_state=1)
    assert model.score(make()) == expected.score(TEXTS)
    assert_array_equal(model.infer(make()).best, expected.infer(TEXTS).best)
    assert_array_equal(make_model().fit_transform(make()), expected.transform(TEXTS))
    assert len(model.partial_fit(make()).paths_) == 2 * len(TEXTS)


def test_from_sentences_to_a_saved_model_that_places_one_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = HierarchicalLDA(n_levels=3, n_iter=20, random_state=0, text={"ngram_range": (1, 2)}).fit(TEXTS)
    model.save("sentences.grove")
    again = load("sentences.grove")
    sentence = ["A rocket, launched to the moon: moon orbit!"]
    shares = again.transform(sentence)
    assert shares.shape == (1, len(model.tree_))
    assert_array_equal(shares, model.transform(sentence))
    assert "moon orbit" in again.tree_.vocabulary
    assert again.text == TextRules(ngram_range=(1, 2))
    assert again.rules_ == TextRules(ngram_range=(1, 2), language="en")
    assert [path.name for path in tmp_path.iterdir()] == ["sentences.grove"]


def test_rules_of_text_survive_checkpoints(tmp_path: Path) -> None:
    rules = TextRules(ngram_range=(1, 2), stop_words=["team"])
    model = make_model(text=rules, checkpoint=tmp_path, checkpoint_every=2).fit(TEXTS)
    for X in (None, TEXTS):
        again = HierarchicalLDA.resume(tmp_path, X, n_iter=7)
        assert again.text == rules
        assert again.rules_ == replace(rules, language="en")
        assert again.transform(TEXTS[:1]).shape[0] == 1
    assert again.tree_.vocabulary == model.tree_.vocabulary


@pytest.mark.parametrize("text", [TextRules(min_df=2), {"min_df": 2}])
def test_rules_are_a_parameter_like_any_other(text: Any) -> None:
    model = make_model(text=text)
    assert clone(model).get_params() == model.get_params()
    assert "min_df" in repr(model)
    assert make_model().set_params(text=text).fit(TEXTS).rules_ == TextRules(min_df=2, language="en")


def test_held_out_texts_are_read_in_the_words_of_the_corpus() -> None:
    model = make_model(n_iter=25).fit(TEXTS, held_out=["rocket moon unheard", "goal team"])
    expected = make_model(n_iter=25).fit(TEXTS, held_out=[["rocket", "moon"], ["goal", "team"]])
    assert model.history_[-1]["perplexity"] == expected.history_[-1]["perplexity"]


class TestTokens:
    def test_they_are_words_as_they_are(self) -> None:
        model = make_model(text=TextRules(min_df=2)).fit([["New York", "the"], ["New York", "the", "x"], ["the"]] * 2)
        assert model.tree_.vocabulary == ("New York", "the", "x")
        assert model.rules_ is None

    def test_rare_ones_are_left_out_and_documents_may_be_empty(self) -> None:
        model = make_model(text={"min_df": 2})
        with pytest.warns(UserWarning, match="1 of 4 documents are empty"):
            model.fit([[], ["a", "b"], ["a"], ["a", "c"]])
        assert model.tree_.vocabulary == ("a",)

    def test_what_is_no_token_is_refused_by_its_place(self) -> None:
        with pytest.raises(TypeError, match=r"X\[1\]\[0\] is 3"):
            make_model().fit([["a"], [3]])
        with pytest.raises(TypeError, match=r"X\[1\] is 'b'"):
            make_model().fit([["a"], "b"])


class TestDataFrames:
    def test_several_columns_of_strings_are_refused_by_their_names(self) -> None:
        with pytest.raises(ValueError, match=r"'title', 'body'.*X\['title'\]"):
            make_model().fit(pd.DataFrame({"title": TEXTS, "body": TEXTS}))

    def test_ids_and_titles_are_kept(self) -> None:
        frame = pd.DataFrame({"text": TEXTS, "id": range(24), "title": [f"title {i}" for i in range(24)]})
        documents = make_model().fit(frame).tree_.documents
        assert documents is not None
        assert documents.ids[3] == "3"
        assert documents.titles[3] == "title 3"

    def test_numbers_are_counts_even_in_a_column_called_text(self) -> None:
        model = make_model().fit(pd.DataFrame({"text": [1, 2, 3], "moon": [3, 0, 1]}))
        assert model.tree_.vocabulary == ("text", "moon")


@pytest.mark.parametrize("method", ["fit", "fit_transform", "transform", "predict_paths", "perplexity"])
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ("a text", TypeError, r"one string.*list"),
        ("texts.jsonl", TypeError, r"read_corpus\('texts.jsonl'\)"),
        (Path("texts.jsonl"), TypeError, r"read_corpus\('texts.jsonl'\)"),
        (b"a text", TypeError, "decode"),
        (["a text", b"bytes"], TypeError, r"X\[1\] is bytes"),
        (["a text", None], ValueError, r"X\[1\] is missing.*fillna"),
        ([float("nan"), "a text"], ValueError, r"X\[0\] is missing"),
        (pd.Series(["a text", pd.NA]), ValueError, r"X\[1\] is missing"),
        (pd.DataFrame({"text": ["a text", None]}), ValueError, r"X\['text'\]\[1\] is missing"),
        (["a text", 3], TypeError, r"X\[1\] is 3"),
        (
            pd.DataFrame({0: ["a text"], 1: ["b"]}),
            ValueError,
            r"no name for a column of strings, 0, 1; give it: X\[0\]",
        ),
        (pl.DataFrame({"text": ["a text"]}).lazy(), TypeError, r"X is a LazyFrame; compute it first, X\.collect\(\)"),
        ([{"text": "a text"}], TypeError, r"X\[0\] is a record"),
        ({"a": "a text"}, TypeError, "dict"),
        ({"a text"}, TypeError, "order"),
        (np.array([["a", "b"]]), TypeError, "tolist"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_text_is_refused_with_advice(X: Any, error: type[Exception], message: str, method: str) -> None:
    model = make_model().fit(TEXTS)
    with pytest.raises(error, match=message):
        getattr(model, method)(X)


def test_texts_without_a_known_word_are_warned_of_and_placed_by_the_prior() -> None:
    model = make_model().fit(TEXTS)
    with pytest.warns(UserWarning, match="1 of 2 texts have no word that the model knows") as caught:
        shares = model.transform(["unheard of", "the moon"])
    assert caught[0].filename == __file__
    assert_array_equal(shares[0], model.transform(np.zeros((1, model.n_features_in_), int))[0])
    with pytest.warns(UserWarning, match="no word") as caught:
        model.predict_paths(["unheard of"])
    assert caught[0].filename == __file__


def test_a_model_of_counts_without_words_refuses_texts_and_takes_them_with_words() -> None:
    vectorizer = CountVectorizer()
    model = make_model().fit(vectorizer.fit_transform(TEXTS))
    with pytest.raises(ValueError, match="set_vocabulary"):
        model.transform(TEXTS)
    model.set_vocabulary(vectorizer.get_feature_names_out())
    assert_array_equal(model.transform(TEXTS), model.transform(vectorizer.transform(TEXTS)))


class TestScikitLearn:
    def test_a_pipeline_may_be_the_estimator_alone(self) -> None:
        pipeline = make_pipeline(make_model()).fit(TEXTS)
        assert_array_equal(pipeline.transform(TEXTS), make_model().fit_transform(TEXTS))

    @pytest.mark.parametrize("X", [TEXTS, TOKENS, pd.Series(TEXTS)], ids=["texts", "tokens", "column"])
    def test_searches_and_cross_validation_take_texts(self, X: Any) -> None:
        grid = {"text": [None, {"min_df": 2}]}
        assert GridSearchCV(make_model(), grid, cv=2).fit(X).best_estimator_.tree_.vocabulary is not None
        assert np.isfinite(cross_val_score(make_model(), X, cv=2)).all()

    def test_output_is_a_data_frame_on_request(self) -> None:
        column = pd.Series(TEXTS, index=[f"doc{i}" for i in range(24)])
        frame = make_model().set_output(transform="pandas").fit_transform(column)
        assert len(frame) == 24
        assert make_model().set_output(transform="pandas").fit(TEXTS).transform(TEXTS).shape == frame.shape
