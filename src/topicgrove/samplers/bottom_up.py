"""The bottom-up start: find the leaves of some documents first, then the branches that hold them.

Documents that enter one by one decide early which branches there are, and later ones join what is there: level 1 often
ends with one branch that holds whatever the others do not. Here a random sample of documents is given a tree of two
levels, whose K leaves are then merged by the information bottleneck to K^0.7 and K^0.4 groups, which become the levels
above. Sampling starts from that tree, with uniform levels as in the early phase of the paper's start, and the other
documents enter in batches that grow. Which tree a chain starts from does not change what it converges to.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from topicgrove.bottleneck import merge_topics
from topicgrove.corpus import Corpus
from topicgrove.fitted import count_words
from topicgrove.prior import BETA_RANGE, HyperParameters
from topicgrove.samplers.collapsed import CollapsedGibbs
from topicgrove.samplers.initialise import batches
from topicgrove.state import Nodes, State
from topicgrove.sweeps import Sweeper
from topicgrove.workers import Workers

SAMPLE = 20_000
"""Documents that the first tree is made of, at most."""

SWEEPS, FRESH_SWEEPS = 25, 20
"""Sweeps over the tree of two levels, and how many of them draw fresh levels."""

LEAF_BETA = 0.1
"""beta of its leaves, as a multiple of the root's."""

STREAMS = 0x0B0770_0B0770
"""Sets the streams of the first tree apart from those of training."""

COARSE, FINE = 0.4, 0.7
"""K to these powers are the groups of level 1 and of the level above the leaves; levels between are spaced evenly."""


class BottomUp:
    """Starts a state from a tree that is built from its leaves up.

    Parameters
    ----------
    corpus : Corpus
        The documents of all ranks.
    max_topics : int, default=None
        Most topics of the tree.
    """

    def __init__(self, corpus: Corpus, max_topics: int | None = None) -> None:
        self.corpus = corpus
        self.max_topics = max_topics

    def place(self, state: State, order: NDArray[np.int64], on_documents: Callable[[int], None]) -> int:
        """Give the first documents of an order a place in a new tree; returns how many. All ranks call it."""
        sample = order[:SAMPLE]
        found = self._find(state, sample, on_documents) if state.comm.rank == 0 else ()
        told = state.comm.broadcast(json.dumps([array.tolist() for array in found]).encode())
        parent, level, leaf = (np.array(values, np.int64) for values in json.loads(told))
        nothing = np.zeros(len(parent), np.int64)
        state.lay_out(Nodes(parent, level, nothing, nothing - 1), np.ones(len(parent), np.bool_))
        first, last = state.own_docs
        own = (sample >= first) & (sample < last)
        state.docs.leaf[sample[own] - first] = state.slots_of(level)[leaf[own]]
        rng = np.random.default_rng([int(state.seed), state.comm.rank])
        state.docs.levels[:] = rng.integers(0, state.n_levels, len(state.docs.levels), np.uint8)
        state.count_documents()
        return len(sample)

    def _find(
        self, state: State, sample: NDArray[np.int64], on_documents: Callable[[int], None]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Parents and levels of a tree's topics, and the topic of the last level that each sampled document is in."""
        corpus = self.corpus.take(sample)
        pair = _two_levels(corpus, state.hyper, int(state.seed) ^ STREAMS, state.workers, on_documents)
        nodes = pair.nodes()
        paths = pair.paths(nodes)
        counts = count_words(corpus, paths, pair.docs.levels, len(nodes.slot))[1:]
        groups = merge_topics(counts, group_sizes(counts.shape[0], state.n_levels, self.max_topics))
        parent, level = tree_of_groups(groups[::-1])
        last = np.flatnonzero(level == state.n_levels - 1)[0]
        return parent, level, last + groups[0][paths[:, 1] - 1]


def group_sizes(n_leaves: int, n_levels: int, max_topics: int | None = None) -> list[int]:
    """How many topics there are on each level but the root's, the leaves first.

    >>> group_sizes(300, 4), group_sizes(300, 3), group_sizes(300, 2), group_sizes(300, 4, max_topics=50)
    ([300, 54, 10], [300, 23], [300], [30, 11, 4])
    """
    while True:
        powers = np.linspace(FINE, COARSE, n_levels - 2) if n_levels > 3 else [(COARSE + FINE) / 2] * (n_levels - 2)
        sizes = [n_leaves, *(max(1, round(n_leaves**power)) for power in powers)]
        if max_topics is None or 1 + sum(sizes) <= max_topics or n_leaves == 1:
            return sizes
        n_leaves -= max(1, n_leaves // 8)


def tree_of_groups(groups: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Parents and levels of the topics that nested partitions make, level by level; the root is its own parent.

    >>> parent, level = tree_of_groups([np.array([0, 0, 1]), np.array([0, 1, 2])])
    >>> parent.tolist(), level.tolist()
    ([0, 0, 0, 1, 1, 2], [0, 1, 1, 2, 2, 2])
    """
    parents, levels, first_above = [np.zeros(1, np.int64)], [0], 0
    above = np.zeros(len(groups[0]), np.int64)
    for level, here in enumerate(groups, start=1):
        parent = np.zeros(here.max() + 1, np.int64)
        parent[here] = first_above + above
        first_above += len(parents[-1])
        above = here
        parents.append(parent)
        levels += [level] * len(parent)
    return np.concatenate(parents), np.array(levels, np.int64)


def _two_levels(
    corpus: Corpus, hyper: HyperParameters, seed: int, workers: Workers, on_documents: Callable[[int], None]
) -> State:
    """Collapsed Gibbs sampling of a root and leaves."""
    beta = np.maximum(hyper.beta[0] * np.array([1.0, LEAF_BETA]), BETA_RANGE[0])
    state = State(corpus, HyperParameters(hyper.alpha[[0, -1]], beta, hyper.log_gamma[:1]), seed, workers)
    sampler, sweeper = CollapsedGibbs(), Sweeper(state, n_samples=1, fixed_weights=False, max_topics=None)
    sweeper.on_documents = lambda n_drawn: on_documents(n_drawn // SWEEPS)
    documents = np.arange(corpus.n_docs)
    for iteration in range(1, SWEEPS + 1):
        for part in batches(documents, None) if iteration == 1 else [documents]:
            sweeper.sweep(part, iteration, fresh_levels=iteration <= FRESH_SWEEPS)
            sampler.refresh(state)
    return state
