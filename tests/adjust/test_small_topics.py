"""Dissolving small topics: none is left, and the state stays whole."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topicgrove.adjust import dissolve_small
from topicgrove.adjust.small_topics import small_topics
from topicgrove.state import Nodes, State
from topicgrove.training import Trainer

from ..threads.test_counts_stay_right import (
    assert_free_columns_are_free,
    assert_paths_are_whole,
    assert_phi_is_the_mean,
    assert_rapid_counts_are_right,
    assert_tree_is_right,
    recount,
)
from .conftest import SAMPLERS, MakeTrainer, same


def assert_whole(state: State, sampler: str) -> None:
    true = recount(state)
    assert (state.docs.leaf >= 0).all()
    assert_paths_are_whole(state, true)
    assert_phi_is_the_mean(state, true)
    assert_array_equal(state.tree.n_docs, true.n_docs)
    if sampler != "bgs":
        assert_tree_is_right(state, true)
        assert_rapid_counts_are_right(state, true)
        assert_free_columns_are_free(state, true)


def trained(trainer: MakeTrainer, sampler: str, min_docs: int) -> Trainer:
    it = trainer(sampler)
    it.run()
    nodes = it.state.nodes()
    assert (nodes.n_docs < min_docs).any()
    return it


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
@pytest.mark.parametrize("min_docs", [3, 10, 40])
def test_no_small_topic_is_left_and_counts_are_right(trainer: MakeTrainer, sampler: str, min_docs: int) -> None:
    it = trained(trainer, sampler, min_docs)
    before = len(it.state.nodes().slot)
    n_dissolved = dissolve_small(it, min_docs)
    nodes = it.state.nodes()
    assert nodes.n_docs.min() >= min_docs
    assert len(nodes.slot) == before - n_dissolved
    assert_whole(it.state, sampler)


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_training_can_go_on_afterwards(trainer: MakeTrainer, sampler: str) -> None:
    it = trained(trainer, sampler, 10)
    dissolve_small(it, 10)
    it.step()
    assert_whole(it.state, sampler)


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_too_few_documents_end_in_one_path(trainer: MakeTrainer, sampler: str) -> None:
    it = trained(trainer, sampler, 1000)
    dissolve_small(it, 1000)
    assert_array_equal(it.state.nodes().n_docs, [200, 200, 200])
    assert_whole(it.state, sampler)


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_nothing_happens_where_no_topic_is_small(trainer: MakeTrainer, sampler: str) -> None:
    it, untouched = trainer(sampler), trainer(sampler)
    it.run()
    untouched.run()
    assert dissolve_small(it, 1) == 0
    assert same(it.state, untouched.state)


def test_documents_of_large_leaves_keep_their_paths(trainer: MakeTrainer) -> None:
    it = trained(trainer, "pcgs", 10)
    nodes = it.state.nodes()
    paths = it.state.paths(nodes)
    large = ~small_topics(nodes, 10)
    stay = np.flatnonzero(large[paths[:, -1]])
    dissolve_small(it, 10)
    together = it.state.paths(it.state.nodes())[stay, -1]
    for leaf in np.unique(paths[stay, -1]):
        assert len(np.unique(together[paths[stay, -1] == leaf])) == 1


def test_documents_go_where_their_words_are(trainer: MakeTrainer) -> None:
    """Of documents that leave a small topic, most join one whose documents share their words."""
    it = trainer("cgs", n_docs=400, length=80)
    it.run()
    dissolve_small(it, 20)
    state = it.state
    leaf = state.paths(state.nodes())[:, -1]
    document = np.repeat(np.arange(state.n_docs), np.diff(state.docs.offsets))
    X = np.zeros((state.n_docs, state.n_words))
    np.add.at(X, (document, state.docs.words), 1)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X -= X.mean(axis=0)
    means = np.stack([X[leaf == k].mean(axis=0) for k in np.unique(leaf)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    own = np.searchsorted(np.unique(leaf), leaf)
    assert ((X @ means.T).argmax(axis=1) == own).mean() > 0.7


def test_a_topic_that_stays_keeps_its_largest_child() -> None:
    parent = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7])
    level = np.array([0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3])
    n_docs = np.array([21, 12, 9, 5, 4, 3, 8, 1, 5, 4, 3, 8, 1])
    nodes = Nodes(parent, level, n_docs, np.arange(13))
    assert_array_equal(np.flatnonzero(small_topics(nodes, 6)), [4, 5, 7, 9, 10, 12])
    assert_array_equal(np.flatnonzero(small_topics(nodes, 10)), [2, 4, 5, 6, 7, 9, 10, 11, 12])
