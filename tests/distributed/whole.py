"""Count the assignments of all ranks in plain NumPy, and check that every rank's state agrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from topicgrove.state import State

All = Callable[[Any], list[Any]]
"""Return the values of all ranks, on every rank."""


class Recount(NamedTuple):
    """Counts from leaves and levels, by slot."""

    n_docs: NDArray[np.int64]
    words: NDArray[np.int64]  # [V, slots]


def recount(state: State) -> Recount:
    """Count this rank's documents."""
    parent = state.topics.tree.parent.astype(np.int64)
    leaves = state.docs.leaf.astype(np.int64)
    assert len(leaves) == 0 or leaves.min() >= 0, "a document has no path"
    paths = np.empty((len(leaves), state.n_levels), np.int64)
    for level in reversed(range(state.n_levels)):
        paths[:, level] = leaves
        leaves = parent[leaves]
    assert not paths[:, 0].any(), "a path does not begin at the root"
    document = np.repeat(np.arange(len(paths)), np.diff(state.docs.offsets))
    words = np.zeros((state.n_words, len(parent)), np.int64)
    np.add.at(words, (state.docs.words, paths[document, state.docs.levels]), 1)
    return Recount(np.bincount(paths.ravel(), minlength=len(parent)), words)


def assert_whole_after_sweep(state: State, gather: All, *, mean_phi: bool, blocked: bool = False) -> int:
    """Between sweeps slots are the same everywhere: compare tree and counts with the sums; the number of topics."""
    tree, topic_words = state.topics.tree, state.topics.words
    for array in (tree.parent, tree.n_docs, tree.id, topic_words.totals, topic_words.rapid):
        for theirs in gather(array):
            assert_array_equal(theirs, array)
    for theirs in gather(state.topics.words.log_phi):
        assert_array_equal(theirs.view(np.int32), state.topics.words.log_phi.view(np.int32))
    parts = gather(recount(state))
    n_docs = np.sum([part.n_docs for part in parts], axis=0)
    words = np.sum([part.words for part in parts], axis=0)
    n_slow = state.topics.n_slow
    assert_array_equal(state.topics.tree.n_docs, n_docs)
    if not blocked:
        assert state.topics.control.n_topics[0] == np.count_nonzero(n_docs)
        with np.errstate(divide="ignore"):
            assert_allclose(state.topics.tree.log_weight, np.log(n_docs), rtol=1e-6)
        assert_array_equal(state.topics.words.rapid, words[:, n_slow:])
        assert_array_equal(state.topics.words.totals, words[:, n_slow:].sum(axis=0))
    if mean_phi and n_slow:
        slots = np.flatnonzero(n_docs[:n_slow])
        beta = state.hyper.beta[state.topics.slot_levels()[slots]]
        phi = np.exp(state.topics.words.log_phi[:, slots].astype(np.float64))
        counted = phi * (words[:, slots].sum(axis=0) + beta * state.n_words) - beta
        assert_array_equal(np.rint(counted), words[:, slots])
    return int(np.count_nonzero(n_docs))


def assert_whole_by_name(state: State, names: NDArray[np.int64], gather: All) -> set[int]:
    """Inside a sweep slots differ: compare by the names that all ranks share; the names of the living."""
    mine, n_slow = recount(state), state.topics.n_slow
    totals: dict[int, int] = {}
    words: dict[int, NDArray[np.int64]] = {}
    name = names[state.topics.tree.id]
    by_name = {int(name[slot]): (mine.n_docs[slot], mine.words[:, slot]) for slot in np.flatnonzero(mine.n_docs)}
    for part in gather(by_name):
        for topic, (n_docs, counted) in part.items():
            totals[topic] = totals.get(topic, 0) + int(n_docs)
            words[topic] = words.get(topic, 0) + counted
    alive = np.flatnonzero(state.topics.tree.n_docs)
    assert sorted(name[alive].tolist()) == sorted(totals), "every topic lives here, once"
    assert state.topics.control.n_topics[0] == max(1, len(alive)), "the root always counts"
    for slot in alive:
        topic = int(name[slot])
        assert state.topics.tree.n_docs[slot] == totals[topic]
        assert_allclose(state.topics.tree.log_weight[slot], np.log(totals[topic]), rtol=1e-6)
        if slot >= n_slow:
            assert_array_equal(state.topics.words.rapid[:, slot - n_slow], words[topic])
            assert state.topics.words.totals[slot - n_slow] == words[topic].sum()
    _assert_free_columns_are_free(state)
    return set(totals)


def _assert_free_columns_are_free(state: State) -> None:
    """Every column that ever held a topic holds one now or is free, once, and empty."""
    layout, n_slow = state.topics.layout, state.topics.n_slow
    for level in range(1, state.n_levels):
        start = layout.rapid_start[level]
        free = layout.free[start : start + layout.n_free[level]]
        used = np.arange(start, start + layout.rapid_used[level])
        alive = used[state.topics.tree.n_docs[n_slow + used] > 0]
        assert_array_equal(np.sort(np.append(free, alive)), used)
        assert not state.topics.words.rapid[:, free].any()
        assert not state.topics.words.totals[free].any()
