"""Placement of documents in a tree that they do not change, and how well it predicts them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

from topicgrove.corpus import Corpus
from topicgrove.evaluation.completion import split_tokens
from topicgrove.kernels.walk_structures import WalkTokens
from topicgrove.kernels.walk_tables import add_proportions, predict_words
from topicgrove.placement import document_keys
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import ROWS, Workers

KEPT_SWEEPS = 10
"""Sweeps of a chain, after its burn-in, whose proportions are averaged."""


class WalkPlacement:
    """Documents placed in a trained tree by Gibbs sampling with phi = (C + beta) / (C_t + V beta)."""

    def __init__(
        self,
        parent: NDArray[np.integer],
        counts: sparse.csr_array,
        hyper: WalkHyper,
        corpus: Corpus,
        workers: Workers,
        seed: int = 0,
    ) -> None:
        self.state = WalkState(corpus, parent, hyper, seed, workers, document_keys(corpus))
        self.state.observe(counts)

    def run_chain(self, chain: int, burn_in: int, n_kept: int = KEPT_SWEEPS) -> NDArray[np.float32]:
        """Start over and return the (D, T) proportions, averaged over the sweeps after the burn-in."""
        state, length = self.state, burn_in + n_kept
        state.seed = np.uint64((int(state.seed) & ~0xFFFF) | chain)
        state.start(learning=False)
        theta = np.zeros((state.n_docs, state.n_nodes), np.float32)
        for sweep in range(1, length + 1):
            state.sweep(sweep, learning=False)
            if sweep > burn_in:
                self._add_proportions(theta)
        theta /= n_kept
        return theta

    def log_likelihoods(self, corpus: Corpus, theta: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return sum_n log sum_t theta_dt phi_t,w_n of every document of a corpus."""
        state, out = self.state, np.zeros(corpus.n_docs)
        tokens = WalkTokens(corpus.words, corpus.offsets, state.tokens.keys, state.tokens.node)

        def predict(first: int, last: int) -> None:
            predict_words(first, last, state.n_nodes, tokens, theta, state.words.phi, out)

        state.workers.ranges(corpus.n_docs, predict, ROWS)
        return out

    def _add_proportions(self, theta: NDArray[np.float32]) -> None:
        state = self.state

        def add(first: int, last: int) -> None:
            through, reach = np.zeros(state.n_nodes, np.int32), np.zeros(state.n_nodes)
            add_proportions(first, last, state.tokens, state.tree, through, reach, theta)

        state.workers.ranges(state.n_docs, add, ROWS)


def walk_perplexity(
    parent: NDArray[np.integer],
    counts: sparse.csr_array,
    hyper: WalkHyper,
    corpus: Corpus,
    *,
    seed: int,
    n_samples: int,
    burn_in: int,
    n_threads: int,
) -> float:
    """Return exp(-log likelihood / tokens) of the held-out halves; documents with one token are ignored."""
    observed, held = split_tokens(corpus, np.random.default_rng(seed))
    if held.n_tokens == 0:
        raise ValueError("X has no document with two tokens or more, so there is nothing to hold out")
    scores = np.empty((n_samples, corpus.n_docs))
    with Workers(n_threads) as workers:
        placement = WalkPlacement(parent, counts, hyper, observed, workers, seed)
        for chain in range(n_samples):
            scores[chain] = placement.log_likelihoods(held, placement.run_chain(chain, burn_in))
    log_likelihood = (logsumexp(scores, axis=0) - np.log(n_samples)).sum()
    return float(np.exp(-log_likelihood / held.n_tokens))
