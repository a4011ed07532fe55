"""Predictive perplexity by document completion.

A random half of a document's tokens is observed, the other half held out:
p(w_h | w_o, phi) ~ 1/S sum_s prod_n sum_l theta_l^(s) phi_{c_l^(s), w_n}, with (c, theta)^(s) from Gibbs chains over
(c, z) given the observed half and phi, the mean of the trained topics. Paths are those of the trained tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

from topicgrove.corpus import Corpus
from topicgrove.kernels.completion import predict_tokens
from topicgrove.placement import Placement
from topicgrove.prior import HyperParameters
from topicgrove.tree import TopicTree
from topicgrove.workers import Workers

THETA_SWEEPS = 5
"""Sweeps over z, after a chain's burn-in, whose proportions are averaged."""


def completion_perplexity(
    tree: TopicTree,
    counts: sparse.csr_array,
    hyper: HyperParameters,
    corpus: Corpus,
    *,
    seed: int,
    n_samples: int,
    burn_in: int,
    n_threads: int,
) -> float:
    """Return exp(-log likelihood / tokens) of the held-out halves; documents with one token are ignored."""
    rng = np.random.default_rng(seed)
    observed, held = split_tokens(corpus, rng)
    if held.n_tokens == 0:
        raise ValueError("X has no document with two tokens or more, so there is nothing to hold out")
    scores = np.empty((n_samples, corpus.n_docs))
    with Workers(n_threads) as workers:
        placement = Placement(tree, counts, hyper, observed, workers)
        for sample in range(n_samples):
            placement.run_chain(seed, sample, burn_in)
            theta = placement.mean_proportions(THETA_SWEEPS)
            scores[sample] = log_likelihoods(placement, held, theta)
    log_likelihood = (logsumexp(scores, axis=0) - np.log(n_samples)).sum()
    return float(np.exp(-log_likelihood / held.n_tokens))


def split_tokens(corpus: Corpus, rng: np.random.Generator) -> tuple[Corpus, Corpus]:
    """Split every document's tokens at random into two corpora; an odd token is observed."""
    lengths = corpus.document_lengths
    document = np.repeat(np.arange(corpus.n_docs), lengths)
    # Rank the tokens of a document by random keys: the first half is held out.
    order = np.lexsort((rng.random(corpus.n_tokens), document))
    rank = np.empty(corpus.n_tokens, np.int64)
    rank[order] = np.arange(corpus.n_tokens) - np.repeat(corpus.offsets[:-1], lengths)
    held = rank < np.repeat(lengths // 2, lengths)
    return _masked(corpus, ~held, lengths - lengths // 2), _masked(corpus, held, lengths // 2)


def _masked(corpus: Corpus, mask: NDArray[np.bool_], lengths: NDArray[np.int64]) -> Corpus:
    return Corpus(corpus.words[mask], np.append(0, np.cumsum(lengths)), corpus.n_words, corpus.vocabulary)


def log_likelihoods(placement: Placement, held: Corpus, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log prod_n sum_l theta_l phi_{c_l, w_n} of every held-out document, on its current path."""
    out = np.zeros(held.n_docs)
    state = placement.state
    docs = state.docs._replace(words=held.words, offsets=held.offsets)

    def predict(first: int, last: int) -> None:
        path = np.zeros(state.n_levels, np.int64)
        predict_tokens(first, last, docs, state.topics.tree.parent, state.topics.words.log_phi, theta, path, out)

    state.workers.ranges(held.n_docs, predict, 64)
    return out
