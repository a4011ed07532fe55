"""Placement of documents in a tree that they do not change, and how well it predicts them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

from topicgrove.corpus import Corpus
from topicgrove.evaluation.completion import split_tokens
from topicgrove.kernels.walk_structures import WalkTokens
from topicgrove.kernels.walk_tables import add_proportions, predict_words
from topicgrove.placement import document_keys
from topicgrove.several_paths.paths import explained_paths, word_counts
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import ROWS, Workers

KEPT_SWEEPS = 10
"""Sweeps of a chain, after its burn-in, whose proportions are averaged."""


class InferredWalks(NamedTuple):
    """Places of documents in a tree, as `NestedHDP.infer` returns them. D is the number of documents, T of topics.

    Attributes
    ----------
    shares : float64 array of shape (D, T)
        Expected share of each topic; rows sum to 1.
    paths : int64 array of shape (D, L)
        Main paths; -1 below a leaf that is not on the last level.
    empty : bool array of shape (D,)
        Whether a document has no words; its shares are then those of the prior.
    log_probability : float64 array of shape (D,)
        sum_n log sum_t share_t p(w_n | t) over the document's words; 0 for an empty document.

    Examples
    --------
    >>> from topicgrove import NestedHDP
    >>> X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> model = NestedHDP(2, tree=[-1, 0, 0], grow=False, n_iter=20, random_state=0).fit(X)
    >>> inferred = model.infer(X[:3])
    >>> inferred.shares.shape, inferred.paths.shape, inferred.log_probability.shape
    ((3, 3), (3, 2), (3,))
    """

    shares: NDArray[np.float64]
    paths: NDArray[np.int64]
    empty: NDArray[np.bool_]
    log_probability: NDArray[np.float64]


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
        self.corpus = corpus
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

    def place(self, n_levels: int, burn_in: int, profiles: NDArray[np.int64]) -> InferredWalks:
        """Return shares of topics after the burn-in, and main paths by the profiles of the training documents."""
        theta = self.run_chain(0, burn_in)
        log_probability = self.log_likelihoods(self.corpus, theta)
        shares = theta.astype(np.float64)
        shares /= shares.sum(axis=1, keepdims=True)
        documents = word_counts(self.corpus.words, self.corpus.offsets, self.corpus.n_words)
        paths = explained_paths(self.state.parent, profiles, self.state.counts(), documents, n_levels)
        return InferredWalks(shares, paths, self.corpus.document_lengths == 0, log_probability)

    def own_log_likelihoods(self, node: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the `log_likelihoods` of the documents by their expected shares given the topic of every token."""
        self.state.node[:] = node
        theta = np.zeros((self.state.n_docs, self.state.n_nodes), np.float32)
        self._add_proportions(theta)
        return self.log_likelihoods(self.corpus, theta)

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
