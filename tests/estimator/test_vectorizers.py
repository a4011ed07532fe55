"""Words of scikit-learn's vectorizers on their way to the tree."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from topicgrove import Corpus, HierarchicalLDA, TextRules, load

TEXTS = ["Moon orbit, rocket, Moon", "orbit rocket launch", "goal team match", "team goal goal league"] * 6


def make_model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.3, "gamma": 1.0, "n_iter": 3, "random_state": 0}
    return HierarchicalLDA(**(settings | options))


class TestAfterVectorizers:
    def test_the_steps_before_give_the_words_of_the_tree(self) -> None:
        pipeline = make_pipeline(CountVectorizer(), make_model()).fit(TEXTS)
        assert pipeline[-1].set_vocabulary(pipeline[:-1]) is pipeline[-1]
        assert "moon" in pipeline[-1].tree_.vocabulary
        with_names = pipeline[-1].set_vocabulary(pipeline[0].get_feature_names_out()).tree_.vocabulary
        assert pipeline[-1].set_vocabulary(pipeline[0]).tree_.vocabulary == with_names

    def test_other_words_than_columns_are_refused(self) -> None:
        vectorizer = CountVectorizer()
        model = make_model().fit(vectorizer.fit_transform(TEXTS))
        with pytest.raises(ValueError, match="vocabulary"):
            model.set_vocabulary(CountVectorizer().fit(["tree"]))

    def test_a_sparse_data_frame_brings_its_words(self) -> None:
        vectorizer = CountVectorizer()
        X = vectorizer.fit_transform(TEXTS)
        frame = pd.DataFrame.sparse.from_spmatrix(X, columns=vectorizer.get_feature_names_out())
        model = make_model().fit(frame)
        assert model.tree_.vocabulary == tuple(vectorizer.get_feature_names_out())
        assert_array_equal(model.transform(frame), make_model().fit(X).transform(X))

    def test_a_sparse_data_frame_is_never_spelled_out(self) -> None:
        wide = pd.DataFrame({f"w{i}": pd.arrays.SparseArray([1, 0], fill_value=0) for i in range(50)})
        assert_array_equal(Corpus.from_matrix(wide).words, np.arange(50))
        ones = pd.DataFrame({"a": pd.arrays.SparseArray([1, 2], fill_value=1)})
        assert_array_equal(Corpus.from_matrix(ones).document_lengths, [1, 2])


class TestAsRules:
    @pytest.mark.parametrize(
        "vectorizer",
        [
            CountVectorizer(),
            CountVectorizer(stop_words="english", ngram_range=(1, 2), min_df=2, max_df=0.9, max_features=5),
            CountVectorizer(token_pattern=r"[A-Za-z]+", lowercase=False, stop_words=["goal"], strip_accents="unicode"),
            CountVectorizer(analyzer="char_wb", ngram_range=(2, 3)),
            CountVectorizer(tokenizer=str.split, token_pattern=None),
            CountVectorizer(preprocessor=lambda text: text.replace("a", "e")),
            CountVectorizer(analyzer=str.split),
        ],
        ids=lambda one: repr(one)[16:60],
    )
    def test_a_vectorizer_in_place_of_rules_gives_its_words_and_counts(self, vectorizer: CountVectorizer) -> None:
        expected = clone(vectorizer).fit(TEXTS)
        X = expected.transform(TEXTS)
        model = make_model(text=vectorizer).fit(TEXTS)
        assert model.tree_.vocabulary == tuple(expected.get_feature_names_out())
        assert_array_equal(model.paths_, make_model().fit(X).paths_)
        assert_array_equal(model.transform(TEXTS), make_model().fit(X).transform(X))
        assert not hasattr(vectorizer, "vocabulary_"), "it is left as it was"

    def test_a_model_keeps_its_rules(self, tmp_path: Path) -> None:
        model = make_model(text=CountVectorizer(ngram_range=(1, 2))).fit(TEXTS)
        model.save(tmp_path / "m.grove")
        again = load(tmp_path / "m.grove")
        rules = TextRules(stop_words=None, ngram_range=(1, 2), min_df=1, max_df=1.0, clean=None, language=None)
        assert again.text == rules == again.rules_
        assert_array_equal(again.transform(["rocket orbit"]), model.transform(["rocket orbit"]))

    @pytest.mark.parametrize(
        ("text", "error", "message"),
        [
            (TfidfVectorizer(), TypeError, "TfidfVectorizer does not give counts"),
            (HashingVectorizer(), TypeError, "HashingVectorizer does not give counts"),
            (CountVectorizer(vocabulary=["tree"]), ValueError, "CountVectorizer with vocabulary"),
            (CountVectorizer(binary=True), ValueError, "CountVectorizer with vocabulary, binary or input"),
            ("english", TypeError, "text must be TextRules, a dict of its fields, a CountVectorizer, or None"),
        ],
        ids=lambda value: f"{value!r:.30}",
    )
    def test_what_cannot_be_rules_is_refused(self, text: Any, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            make_model(text=text).fit(TEXTS)


class TestSearches:
    @pytest.mark.parametrize(
        "grid",
        [
            {"text": [TextRules(min_df=2), {"max_features": 3}, None, CountVectorizer()]},
            {"text__min_df": [1, 2], "text__ngram_range": [(1, 1), (1, 2)]},
            [{"text": [None], "beta": [0.1, 1.0]}, {"text": [{"stop_words": None}]}],
        ],
        ids=["rules", "fields of a vectorizer", "with others"],
    )
    def test_rules_are_searched_over(self, grid: Any) -> None:
        search = GridSearchCV(make_model(text=CountVectorizer()), grid, cv=2, error_score="raise").fit(TEXTS)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert len({str(row) for row in search.cv_results_["params"]}) == len(search.cv_results_["params"])
        assert search.best_estimator_.tree_.vocabulary is not None
        assert search.best_estimator_.transform(["a rocket"]).shape[0] == 1

    @pytest.mark.parametrize("text", [None, {"min_df": 2}, TextRules(min_df=2), CountVectorizer(min_df=2)])
    def test_parameters_are_got_set_and_cloned(self, text: Any) -> None:
        model = make_model(text=text)
        assert clone(model).get_params()["n_iter"] == 3
        assert repr(clone(model)) == repr(model)
        again = make_model().set_params(**model.get_params(deep=False))
        assert again.text is text
        assert again.fit(TEXTS).tree_.vocabulary == clone(model).fit(TEXTS).tree_.vocabulary

    def test_a_field_of_a_vectorizer_is_set_through_a_pipeline(self) -> None:
        pipeline = make_pipeline(make_model(text=CountVectorizer()))
        pipeline.set_params(hierarchicallda__text__max_features=3)
        assert len(pipeline.fit(TEXTS)[-1].tree_.vocabulary) == 3
