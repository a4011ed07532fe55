"""Placement of documents in a trained tree: Gibbs chains over (c, z) with phi and the path weights fixed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.samplers.refine import take_best_paths
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.topics import Nodes
from topicgrove.tree import TopicTree
from topicgrove.workers import Workers

FRESH_SWEEPS = 5
"""First sweeps of a chain, which draw paths given fresh uniform levels, lest it stay where it happens to start."""

LEVEL_SWEEPS = 2
"""Sweeps that settle the levels of a chain started on the best path."""


def document_keys(corpus: Corpus) -> NDArray[np.uint64]:
    """Hash each document's words, so that its placement depends neither on its row nor on the other documents.

    >>> keys = document_keys(Corpus.from_documents([[0, 1], [], [2, 2], [1, 0]], n_words=3))
    >>> bool(keys[0] == keys[3]), len(set(keys.tolist()))
    (True, 3)
    """
    mixed = (corpus.words.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    sums = np.append(np.uint64(0), np.cumsum(mixed, dtype=np.uint64))
    return sums[corpus.offsets[1:]] - sums[corpus.offsets[:-1]]


class Placement:
    """Documents being placed in a tree that they do not change."""

    def __init__(
        self, tree: TopicTree, counts: sparse.csr_array, hyper: HyperParameters, corpus: Corpus, workers: Workers
    ) -> None:
        self.state = State(corpus, hyper, 0, workers, document_keys(corpus))
        parent, n_docs = np.maximum(tree.parent, 0), tree.n_docs
        if tree.seeds is not None:
            n_docs, counts = n_docs + tree.seeds.n_docs, (counts + tree.seeds.counts).tocsr()
        nodes = Nodes(parent, tree.level, n_docs, np.full(len(tree), -1, np.int64))
        self.slot_of = self.state.topics.instantiate_all(nodes)
        self._topic_of = np.full(self.state.topics.n_slots, -1, np.int64)
        self._topic_of[self.slot_of] = np.arange(len(tree))
        self._set_phi(tree, counts)
        self._sweeper = Sweeper(self.state, n_samples=1, fixed_weights=True, max_topics=None)

    def _set_phi(self, tree: TopicTree, counts: sparse.csr_array) -> None:
        """Set phi_tv = (C_tv + beta) / (C_t + V beta)."""
        state = self.state
        log_phi = state.topics.words.log_phi
        log_phi.fill(0)
        beta = state.hyper.beta[tree.level]
        log_norm = np.log(np.asarray(counts.sum(axis=1)).ravel() + beta * state.n_words)
        for topic, slot in enumerate(self.slot_of):
            column = np.full(state.n_words, np.log(beta[topic]) - log_norm[topic])
            row = slice(counts.indptr[topic], counts.indptr[topic + 1])
            column[counts.indices[row]] = np.log(counts.data[row] + beta[topic]) - log_norm[topic]
            log_phi[:, slot] = column
        state.topics.keep_root()

    def run_chain(self, seed: int, chain: int, n_sweeps: int) -> None:
        """Run a new chain: a few sweeps with fresh levels, as in training, then c given z and z given c."""
        state = self.state
        state.seed = np.uint64(seed)
        state.docs.leaf[:] = -1
        self._iteration = chain << 32
        self._sweep(min(n_sweeps, FRESH_SWEEPS), fresh_levels=True)
        self._sweep(n_sweeps - FRESH_SWEEPS)

    def start_best(self, seed: int) -> None:
        """Start each document on the path whose mixture explains it best, with levels summed out."""
        self.state.seed = np.uint64(seed)
        take_best_paths(self.state)
        self._iteration = 0
        self._sweep(LEVEL_SWEEPS, fixed_paths=True)

    def settle(self, leaf: NDArray[np.int64], levels: NDArray[np.uint8], seed: int) -> None:
        """Draw the levels of documents whose paths end in these topics, starting from the given levels."""
        self.state.seed = np.uint64(seed)
        self.state.docs.leaf[:] = self.slot_of[leaf]
        self.state.docs.levels[:] = levels
        self._iteration = 0
        self._sweep(LEVEL_SWEEPS, fixed_paths=True)

    def proportions(self) -> NDArray[np.float64]:
        """Return (n_docs, n_levels) theta from the current levels, smoothed by alpha."""
        counts, alpha = self.state.assignments.level_counts(), self.state.hyper.alpha
        smoothed: NDArray[np.float64] = (counts + alpha) / (counts.sum(axis=1, keepdims=True) + alpha.sum())
        return smoothed

    def samples(self, n_samples: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Draw c given z and z given c of all documents, ``n_samples`` times; yield topics and proportions."""
        for _ in range(n_samples):
            self._sweep()
            yield self.topics(), self.proportions()

    def topics(self) -> NDArray[np.int64]:
        """Return the (n_docs,) topics in which the documents' paths end."""
        return self._topic_of[self.state.docs.leaf]

    def mean_proportions(self, n_sweeps: int) -> NDArray[np.float64]:
        """Return (n_docs, n_levels) theta, averaged over further sweeps that keep the paths."""
        total = np.zeros((self.state.n_docs, self.state.n_levels))
        for _ in range(n_sweeps):
            self._sweep(fixed_paths=True)
            total += self.proportions()
        return total / n_sweeps

    def _sweep(self, n_sweeps: int = 1, *, fresh_levels: bool = False, fixed_paths: bool = False) -> None:
        order = np.arange(self.state.n_docs)
        for _ in range(n_sweeps):
            self._sweeper.sweep(order, self._iteration, fresh_levels=fresh_levels, fixed_paths=fixed_paths)
            self._iteration += 1
