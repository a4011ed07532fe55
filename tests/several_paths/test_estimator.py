"""The interface of NestedHDP: attributes, arguments, and scikit-learn's requirements for estimators."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from tests.estimator.conftest import draw_counts
from tests.estimator.test_check_estimator import EXCEPTIONS, _rounded
from topicgrove import Corpus, NestedHDP
from topicgrove.several_paths.paths import main_paths


@pytest.fixture(scope="module")
def counts():
    return draw_counts()


@pytest.fixture(scope="module")
def model(counts):
    return NestedHDP(3, target_topics=8, n_iter=40, learn_after=10, random_state=0).fit(counts)


def test_counts_follow_from_the_topics_of_the_tokens(model, counts):
    corpus = Corpus.from_matrix(counts)
    document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
    n_topics = len(model.tree_)
    own = np.zeros((corpus.n_docs, n_topics), int)
    words = np.zeros((n_topics, corpus.n_words), int)
    np.add.at(own, (document, model.token_topics_), 1)
    np.add.at(words, (model.token_topics_, corpus.words), 1)
    assert (model.document_topics_.toarray() == own).all()
    assert (model.topic_word_counts_.toarray() == words).all()
    assert model.token_topics_.dtype == np.int32
    model.tree_.check()


def test_main_paths_are_mostly_those_of_the_last_sweep_and_those_of_placing(model, counts):
    by_tokens = main_paths(model.tree_.parent, model.document_topics_, 3)
    assert (model.paths_[:, 1] == by_tokens[:, 1]).mean() > 0.6
    assert (model.paths_[:, 1] == model.predict_paths(counts)[:, 1]).mean() > 0.6
    for path in model.paths_:
        assert path[0] == 0
        for above, below in pairwise(path):
            assert model.tree_.parent[below] == above if below >= 0 else not (model.tree_.parent == above).any()


def test_documents_are_placed_alike_wherever_they_stand(model, counts):
    shares = model.transform(counts)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (model.transform(sparse.csr_matrix(counts[::-1]))[::-1] == shares).all()
    paths, again = model.predict_paths(counts, return_distribution=True)
    assert paths.shape == model.paths_.shape
    assert (again == shares).all()


def test_a_model_predicts_better_than_one_topic_alone(model, counts):
    flat = NestedHDP(2, tree=[-1, 0], init="none", grow=False, learn=(), n_iter=2, random_state=0).fit(counts)
    assert model.perplexity(counts, random_state=0) < 0.8 * flat.perplexity(counts, random_state=0)
    assert model.score(counts) == pytest.approx(-np.log(model.perplexity(counts, random_state=0)))


def test_one_thread_and_one_seed_give_one_result(model, counts):
    again = clone(model).fit(counts)
    assert (again.token_topics_ == model.token_topics_).all()
    assert again.log_joint_ == model.log_joint_


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tree": [-1, 0, 2]}, "tree must begin with -1"),
        ({"tree": [-1, 0, 1, 0]}, "breadth first"),
        ({"tree": [-1, 0, 1, 2]}, "tree has 4 levels, but n_levels is 3"),
        ({"tree": [-1]}, "two topics or more"),
        ({"child_weight": [1, 2]}, "child_weight must be one number, as there is no tree"),
        ({"tree": [-1, 0, 0], "stop_weight": [1, 2]}, "stop_weight must be a number, or one per topic of tree"),
        ({"beta": 0}, "beta must lie between"),
        ({"beta": [0.1, 0.1]}, "beta must be a number, or one per level"),
        ({"learn": "gamma"}, "learn must hold names out of 'beta', 'child_weight', 'stop_weight'"),
        ({"init": "lda"}, "init must be one of 'branches', 'hlda', 'none'"),
        ({"n_iter": 0}, "n_iter must be at least 1"),
        ({"target_topics": 2}, "target_topics must be between 3"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(counts, arguments, message):
    with pytest.raises(ValueError, match=message):
        NestedHDP(3, **arguments).fit(counts)


def test_topics_are_slow_by_their_tokens(counts):
    with pytest.raises(TypeError, match="collapse_below must be a number of tokens, inf, or None; got 'many'"):
        NestedHDP(3, sampler="pcgs", collapse_below="many").fit(counts)


class RoundedNestedHDP(NestedHDP):
    """The estimator, with fractions rounded and nothing else changed."""

    def _corpus(self, X: Any, *, reset: bool) -> Any:
        return super()._corpus(_rounded(X), reset=reset)


@pytest.mark.filterwarnings("ignore:.*documents are empty")
def test_scikit_learns_checks_pass_but_for_the_documented_ones():
    face = RoundedNestedHDP(n_iter=5, init_iterations=5, random_state=0)
    results = check_estimator(face, expected_failed_checks=EXCEPTIONS, on_skip=None, on_fail=None)
    assert len(results) > 40
    assert {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"} == {}
