"""Count the walks of all ranks in plain NumPy, and check that every rank has these counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal

from topicgrove.several_paths.state import WalkState

All = Callable[[Any], list[Any]]
"""Return the values of all ranks, on every rank."""


def assert_walks_are_counted(state: WalkState, everybody: All = lambda mine: [mine]) -> None:
    """Compare tree, weights and counts with those of the other ranks, and counts with the topics of all tokens."""
    weights = state.hyper.beta, state.hyper.child_weight, state.hyper.stop_weight
    for array in (state.parent, *weights, state.words.counts, state.words.totals, state.words.inverse):
        for theirs in everybody(array):
            assert_array_equal(theirs, array)
    counted = np.zeros((state.n_words, state.n_nodes), np.int64)
    for words, node in everybody((state.tokens.words, state.node)):
        np.add.at(counted, (words, node), 1)
    assert_array_equal(state.words.counts.reshape(counted.shape), counted)
    assert_array_equal(state.words.totals, counted.sum(axis=0))
    keys = np.concatenate(everybody(state.tokens.keys))
    assert len(np.unique(keys)) == len(keys), "documents share a stream of random numbers"
