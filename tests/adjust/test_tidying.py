"""Tidying up: no small topic, no single child is left, and the state stays whole."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove.adjust import tidy
from topicgrove.adjust.tidying import dissolvable, grafted, topics_to_graft
from topicgrove.prior import HyperParameters
from topicgrove.state import State
from topicgrove.topics import Nodes
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

WITH_WORDS, WITHOUT_WORDS = np.array([False]), np.array([True])
"""Arguments of `grafted` for a single topic."""


def assert_whole(state: State, sampler: str) -> None:
    true = recount(state)
    assert (state.docs.leaf >= 0).all()
    assert_paths_are_whole(state, true)
    assert_phi_is_the_mean(state, true)
    assert_array_equal(state.topics.tree.n_docs, true.n_docs)
    if sampler != "bgs":
        assert_tree_is_right(state, true)
        assert_rapid_counts_are_right(state, true)
        assert_free_columns_are_free(state, true)


def too_small(nodes: Nodes, min_docs: int) -> NDArray[np.bool_]:
    return dissolvable(nodes, nodes.n_docs, np.full(nodes.level.max() + 1, min_docs))


def to_graft(nodes: Nodes) -> NDArray[np.int64]:
    return topics_to_graft(nodes, np.ones(len(nodes.slot), np.int64))


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
    n_dissolved = tidy(it, min_docs)
    nodes = it.state.nodes()
    assert nodes.n_docs.min() >= min_docs
    assert len(nodes.slot) == before - n_dissolved
    assert_whole(it.state, sampler)


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_training_can_go_on_afterwards(trainer: MakeTrainer, sampler: str) -> None:
    it = trained(trainer, sampler, 10)
    tidy(it, 10)
    it.step()
    assert_whole(it.state, sampler)


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_too_few_documents_end_in_one_path(trainer: MakeTrainer, sampler: str) -> None:
    it = trained(trainer, sampler, 1000)
    tidy(it, 1000)
    assert_array_equal(it.state.nodes().n_docs, [200, 200, 200])
    assert_whole(it.state, sampler)


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_nothing_happens_where_no_topic_is_small(trainer: MakeTrainer, sampler: str) -> None:
    it, untouched = trainer(sampler), trainer(sampler)
    it.run()
    untouched.run()
    assert tidy(it, 1) == 0
    assert same(it.state, untouched.state)


def test_documents_of_large_leaves_keep_their_paths(trainer: MakeTrainer) -> None:
    it = trained(trainer, "pcgs", 10)
    nodes = it.state.nodes()
    paths = it.state.paths(nodes)
    large = ~too_small(nodes, 10)
    stay = np.flatnonzero(large[paths[:, -1]])
    tidy(it, 10)
    together = it.state.paths(it.state.nodes())[stay, -1]
    for leaf in np.unique(paths[stay, -1]):
        assert len(np.unique(together[paths[stay, -1] == leaf])) == 1


def test_documents_go_where_their_words_are(trainer: MakeTrainer) -> None:
    """Most documents that leave a small topic join one whose documents share their words."""
    it = trainer("cgs", n_docs=400, length=80)
    it.run()
    tidy(it, 20)
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
    assert_array_equal(np.flatnonzero(too_small(nodes, 6)), [4, 5, 7, 9, 10, 12])
    assert_array_equal(np.flatnonzero(too_small(nodes, 10)), [2, 4, 5, 6, 7, 9, 10, 11, 12])


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_no_topic_holds_a_single_leaf_that_has_a_better_place(trainer: MakeTrainer, sampler: str) -> None:
    it = trainer(sampler, hyper=HyperParameters.of(4, beta=[0.5, 0.2, 0.1, 0.1], gamma=0.5))
    it.run()
    assert len(to_graft(it.state.nodes()))
    tidy(it, 2)
    assert not len(to_graft(it.state.nodes()))
    assert_whole(it.state, sampler)


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_every_leaf_has_words(trainer: MakeTrainer, sampler: str) -> None:
    it = trained(trainer, sampler, 3)
    state, nodes = it.state, it.state.nodes()
    leaf = nodes.slot[-1]
    inside = np.flatnonzero(np.repeat(state.docs.leaf == leaf, np.diff(state.docs.offsets)))
    state.docs.levels[inside] = 0
    it.sampler.refresh(state)
    tidy(it, 2)
    nodes = state.nodes()
    tokens = np.bincount(
        state.paths(nodes).ravel(), state.assignments.level_counts().ravel(), minlength=len(nodes.slot)
    )
    alone = np.bincount(nodes.parent)[nodes.parent] == 1
    assert (tokens[(nodes.level == 2) & ~alone] > 0).all()


def tree_of_two_branches(*n_leaves: int) -> Nodes:
    """Make a branch whose children have the given numbers of leaves, and one with two children of two leaves each."""
    sizes = [*n_leaves, 2, 2]
    inner = 3 + np.arange(len(sizes))
    parent = np.concatenate([[0, 0, 0], np.repeat([1, 2], [len(n_leaves), 2]), np.repeat(inner, sizes)])
    level = np.repeat([0, 1, 2, 3], [1, 2, len(sizes), sum(sizes)])
    return Nodes(parent, level, np.ones(len(parent), np.int64), np.arange(len(parent)))


def test_a_single_leaf_goes_to_the_sibling_that_fits_best() -> None:
    nodes = tree_of_two_branches(1, 2, 2)
    only, fit = to_graft(nodes), np.zeros((1, len(nodes.level)), np.float32)
    fit[0, [3, 5, 6]] = 9, 1, 8
    assert_array_equal(only, [3])
    after = grafted(nodes, only, fit, WITH_WORDS)
    assert_array_equal(np.flatnonzero(after == -1), [3])
    assert_array_equal(np.flatnonzero(after != nodes.parent), [3, 8])
    assert after[8] == 5


def test_with_one_sibling_a_leaf_is_adopted() -> None:
    nodes = tree_of_two_branches(1, 3)
    fit = np.zeros((1, len(nodes.level)), np.float32)
    fit[0, [3, 9, 12]] = 9, 1, 8
    after = grafted(nodes, to_graft(nodes), fit, WITH_WORDS)
    assert_array_equal(np.flatnonzero(after != nodes.parent), [9])
    assert after[9] == 3


def test_two_siblings_of_a_single_leaf_become_one() -> None:
    nodes = tree_of_two_branches(1, 1)
    only = to_graft(nodes)
    assert_array_equal(only, [3, 4])
    after = grafted(nodes, only, np.zeros((2, len(nodes.level)), np.float32), np.zeros(2, np.bool_))
    assert_array_equal(np.flatnonzero(after == -1), [3])
    assert_array_equal(np.flatnonzero(after == 4), [7, 8])


@pytest.mark.parametrize("n_leaves", [(1, 2), (2, 2)])
def test_what_cannot_be_helped_stays(n_leaves: tuple[int, ...]) -> None:
    assert not len(to_graft(tree_of_two_branches(*n_leaves)))


def test_of_many_single_leaves_two_parents_stay() -> None:
    nodes = tree_of_two_branches(1, 1, 1)
    only = to_graft(nodes)
    after = grafted(nodes, only, np.zeros((3, len(nodes.level)), np.float32), np.zeros(3, np.bool_))
    assert_array_equal(only, [3, 4, 5])
    assert_array_equal(np.flatnonzero(after == -1), [3])


def test_the_leaves_of_a_topic_without_words_go_to_a_sibling() -> None:
    nodes = tree_of_two_branches(2, 2, 2)
    n_tokens = np.ones(len(nodes.level), np.int64)
    n_tokens[4] = 0
    only, fit = topics_to_graft(nodes, n_tokens), np.zeros((1, len(nodes.level)), np.float32)
    fit[0, 5] = 1
    assert_array_equal(only, [4])
    after = grafted(nodes, only, fit, WITHOUT_WORDS)
    assert_array_equal(np.flatnonzero(after == 5), np.flatnonzero(np.isin(nodes.parent, [4, 5])))


@pytest.mark.parametrize("n_leaves", [(2, 2), (1, 2), (1, 3)])
def test_a_topic_without_words_makes_way_for_its_only_sibling(n_leaves: tuple[int, ...]) -> None:
    nodes = tree_of_two_branches(*n_leaves)
    n_tokens = np.ones(len(nodes.level), np.int64)
    n_tokens[3] = 0
    only = topics_to_graft(nodes, n_tokens)
    assert_array_equal(only, [3])
    after = grafted(nodes, only, np.zeros((1, len(nodes.level)), np.float32), WITHOUT_WORDS)
    assert_array_equal(np.flatnonzero(after == -1), [3])
    assert_array_equal(np.flatnonzero(after == 4), np.flatnonzero(np.isin(nodes.parent, [3, 4])))


def test_a_branch_without_words_gives_its_children_to_another() -> None:
    nodes = tree_of_two_branches(2, 2)
    n_tokens = np.ones(len(nodes.level), np.int64)
    n_tokens[1] = 0
    only = topics_to_graft(nodes, n_tokens)
    assert_array_equal(only, [1])
    after = grafted(nodes, only, np.zeros((1, len(nodes.level)), np.float32), WITHOUT_WORDS)
    assert after[1] == -1
    assert_array_equal(np.flatnonzero(after == 2), [3, 4, 5, 6])


def test_the_largest_leaf_with_words_stays() -> None:
    nodes = Nodes(np.array([0, 0, 0]), np.array([0, 1, 1]), np.array([9, 5, 4]), np.arange(3))
    assert_array_equal(dissolvable(nodes, np.array([9, 0, 3]), np.array([1, 1])), [False, True, False])
