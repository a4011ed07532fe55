"""Placing documents in a trained tree: Gibbs chains over (c, z) with phi and the path weights fixed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.state import Nodes, State
from topicgrove.sweeps import Sweeper
from topicgrove.tree import TopicTree
from topicgrove.workers import Workers

FRESH_SWEEPS = 5
"""First sweeps of a chain that draw paths given fresh uniform levels, lest it stay where it happens to start."""


class Placement:
    """Documents that find their place in a tree which they don't change."""

    def __init__(
        self, tree: TopicTree, counts: sparse.csr_array, hyper: HyperParameters, corpus: Corpus, workers: Workers
    ) -> None:
        self.state = State(corpus, hyper, 0, workers)
        parent = np.maximum(tree.parent, 0)
        nodes = Nodes(parent, tree.level, tree.n_docs, np.full(len(tree), -1, np.int64))
        self.state.lay_out(nodes, np.ones(len(tree), np.bool_))
        self._set_phi(tree, counts)
        self._sweeper = Sweeper(self.state, n_samples=1, fixed_weights=True, max_topics=None)

    def _set_phi(self, tree: TopicTree, counts: sparse.csr_array) -> None:
        """phi_tv = (C_tv + beta) / (C_t + V beta)."""
        state = self.state
        slots = state.slots_of(tree.level)
        state.counts.log_phi.fill(0)
        beta = state.hyper.beta[tree.level]
        log_norm = np.log(tree.n_tokens + beta * state.n_words)
        for topic, slot in enumerate(slots):
            column = np.full(state.n_words, np.log(beta[topic]) - log_norm[topic])
            row = slice(counts.indptr[topic], counts.indptr[topic + 1])
            column[counts.indices[row]] = np.log(counts.data[row] + beta[topic]) - log_norm[topic]
            state.counts.log_phi[:, slot] = column
        state.keep_root()

    def run_chain(self, seed: int, chain: int, n_sweeps: int) -> None:
        """A new chain: some sweeps with fresh levels, as in training, then c given z and z given c."""
        state = self.state
        state.seed = np.uint64(seed)
        state.docs.leaf[:] = -1
        self._iteration = chain << 32
        for sweep in range(n_sweeps):
            self._sweep(fresh_levels=sweep < FRESH_SWEEPS)

    def mean_proportions(self, n_sweeps: int) -> NDArray[np.float64]:
        """(n_docs, n_levels) theta, averaged over further sweeps that keep the paths."""
        state, alpha = self.state, self.state.hyper.alpha
        total = np.zeros((state.n_docs, state.n_levels))
        for _ in range(n_sweeps):
            self._sweep(fixed_paths=True)
            counts = state.level_counts()
            total += (counts + alpha) / (counts.sum(axis=1, keepdims=True) + alpha.sum())
        return total / n_sweeps

    def _sweep(self, *, fresh_levels: bool = False, fixed_paths: bool = False) -> None:
        order = np.arange(self.state.n_docs)
        self._sweeper.sweep(order, self._iteration, fresh_levels=fresh_levels, fixed_paths=fixed_paths)
        self._iteration += 1
