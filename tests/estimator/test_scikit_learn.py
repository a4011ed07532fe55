"""Among scikit-learn's tools: pipelines, names of features, data frames, grids, pickles."""

import pickle
from io import BytesIO
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from topicgrove import Corpus, HierarchicalLDA

TEXTS = ["moon orbit rocket moon", "orbit rocket launch", "goal team match", "team goal goal league"] * 6


def make_model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.3, "gamma": 1.0, "n_iter": 5, "random_state": 0}
    return HierarchicalLDA(**(settings | options))


def frame_of(counts: NDArray[np.int64]) -> pd.DataFrame:
    return pd.DataFrame(counts, columns=[f"word{i}" for i in range(counts.shape[1])])


def test_a_pipeline_goes_from_text_to_shares() -> None:
    pipeline = make_pipeline(CountVectorizer(), make_model()).fit(TEXTS)
    shares = pipeline.transform(["a rocket to the moon", "nothing known"])
    assert shares.shape == (2, len(pipeline[-1].tree_))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.isfinite(pipeline.score(TEXTS))
    assert len(pipeline.get_feature_names_out()) == shares.shape[1]


def test_fit_transform_is_fit_and_then_transform(counts: NDArray[np.int64]) -> None:
    shares = make_model().fit_transform(counts)
    assert_array_equal(shares, make_model().fit(counts).transform(counts))


def test_topics_have_names_as_features(counts: NDArray[np.int64]) -> None:
    model = make_model().fit(counts)
    names = model.get_feature_names_out()
    assert names.tolist() == [f"hierarchicallda{topic}" for topic in range(len(model.tree_))]


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_output_is_a_data_frame_on_request(counts: NDArray[np.int64], container: str) -> None:
    model = make_model().set_output(transform=container).fit(counts)
    shares = model.transform(counts)
    assert type(shares).__module__.startswith(container)
    assert list(shares.columns) == model.get_feature_names_out().tolist()


def test_the_index_of_a_data_frame_is_kept(counts: NDArray[np.int64]) -> None:
    frame = frame_of(counts).set_index(pd.Index([f"doc{i}" for i in range(len(counts))]))
    shares = make_model().set_output(transform="pandas").fit_transform(frame)
    assert_array_equal(shares.index, frame.index)


class TestNamesOfColumns:
    def test_they_become_the_vocabulary(self, counts: NDArray[np.int64]) -> None:
        model = make_model().fit(frame_of(counts))
        assert model.feature_names_in_.tolist() == [f"word{i}" for i in range(counts.shape[1])]
        assert model.tree_.vocabulary == tuple(model.feature_names_in_)
        assert all(word.startswith("word") for word in model.tree_.top_words(0, 3))

    def test_others_are_refused_later(self, counts: NDArray[np.int64]) -> None:
        model = make_model().fit(frame_of(counts))
        with pytest.raises(ValueError, match="feature names"):
            model.transform(frame_of(counts).rename(columns={"word0": "other"}))
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(frame_of(counts)[frame_of(counts).columns[::-1]])

    def test_they_are_forgotten_with_the_next_fit(self, counts: NDArray[np.int64]) -> None:
        frame = frame_of(counts)
        for nameless in (counts, Corpus.from_matrix(counts)):
            model = make_model().fit(frame).fit(nameless)
            assert not hasattr(model, "feature_names_in_")
            assert model.tree_.vocabulary is None

    def test_numbers_are_no_names(self, counts: NDArray[np.int64]) -> None:
        model = make_model().fit(pd.DataFrame(counts))
        assert not hasattr(model, "feature_names_in_")
        assert model.tree_.vocabulary is None


def test_a_corpus_with_other_words_is_refused_even_if_there_are_as_many(counts: NDArray[np.int64]) -> None:
    words = [f"word{i}" for i in range(counts.shape[1])]
    model = make_model().fit(Corpus.from_matrix(counts, words))
    model.transform(Corpus.from_matrix(counts))
    for method in (model.transform, model.predict_paths, model.perplexity, model.partial_fit):
        with pytest.raises(ValueError, match="vocabulary"):
            method(Corpus.from_matrix(counts, words[::-1]))


def test_words_can_be_given_afterwards(counts: NDArray[np.int64]) -> None:
    model = make_model().fit(counts)
    words = [f"w{i}" for i in range(counts.shape[1])]
    assert model.set_vocabulary(words) is model
    assert model.tree_.vocabulary == tuple(words)
    with pytest.raises(ValueError, match="30"):
        model.set_vocabulary(words[:-1])


def test_a_grid_search_finds_the_better_value(counts: NDArray[np.int64]) -> None:
    """With beta=1000 every topic is flat: words could as well be drawn evenly."""
    search = GridSearchCV(make_model(n_iter=15), {"beta": [1000.0, 0.3]}, cv=2).fit(counts)
    assert search.best_params_ == {"beta": 0.3}


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_grid_search_of_several_processes_or_threads_is_that_of_one(counts: NDArray[np.int64], backend: str) -> None:
    grid = {"beta": [1000.0, 0.3], "n_levels": [2, 3]}
    with joblib.parallel_config(backend, n_jobs=2):
        there = GridSearchCV(make_model(), grid, cv=2, n_jobs=2).fit(counts)
    here = GridSearchCV(make_model(), grid, cv=2).fit(counts)
    assert there.best_params_ == here.best_params_
    assert_array_equal(there.cv_results_["mean_test_score"], here.cv_results_["mean_test_score"])
    assert_array_equal(there.best_estimator_.paths_, here.best_estimator_.paths_)


def test_the_score_is_minus_the_log_of_perplexity(counts: NDArray[np.int64]) -> None:
    model = make_model().fit(counts)
    assert model.score(counts) == pytest.approx(-np.log(model.perplexity(counts, random_state=0)))
    assert model.score(counts) == model.score(counts)


def test_a_clone_keeps_every_parameter(counts: NDArray[np.int64]) -> None:
    options: dict[str, Any] = {
        "target_topics": 20, "learn": ("beta",), "early_stopping": 5, "min_docs": 3, "checkpoint": "x",
        "checkpoint_every": 3, "checkpoint_minutes": 1.5, "callbacks": (print,), "refine": True,
    }  # fmt: skip
    model = make_model(**options)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("store", [pickle, joblib], ids=["pickle", "joblib"])
def test_a_fitted_model_survives_pickling(counts: NDArray[np.int64], store: Any) -> None:
    model = make_model().fit(frame_of(counts))
    model.tree_.set_names({0: "everything"})
    file = BytesIO()
    store.dump(model, file)
    file.seek(0)
    again = store.load(file)
    assert_array_equal(again.transform(frame_of(counts)), model.transform(frame_of(counts)))
    assert again.tree_.names == {0: "everything"}
    again.tree_.check()
    assert_array_equal(again.partial_fit(frame_of(counts)).paths_, model.partial_fit(frame_of(counts)).paths_)


class TestInputIsLeftAlone:
    @pytest.mark.parametrize("method", ["fit", "partial_fit", "transform", "perplexity"])
    def test_a_read_only_matrix_is_accepted(self, counts: NDArray[np.int64], method: str) -> None:
        model = make_model().fit(counts)
        frozen = counts.copy()
        frozen.flags.writeable = False
        getattr(model, method)(frozen)
        assert_array_equal(frozen, counts)

    def test_a_change_of_the_input_during_fit_has_no_effect(self, counts: NDArray[np.int64]) -> None:
        X = counts.copy()
        model = make_model(callbacks=[lambda event: X.fill(0)]).fit(X)
        assert not X.any()
        assert_array_equal(model.paths_, make_model().fit(counts).paths_)

    def test_a_mapped_matrix_is_accepted(self, counts: NDArray[np.int64], tmp_path: Any) -> None:
        np.save(tmp_path / "X.npy", counts)
        mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
        assert_array_equal(make_model().fit(mapped).paths_, make_model().fit(counts).paths_)
