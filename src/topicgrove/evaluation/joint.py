"""The collapsed joint probability p(w, z, c) of the paper's equation 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from topicgrove.kernels.topics import sum_log_rising
from topicgrove.prior import HyperParameters
from topicgrove.seeds.pinned import seed_prior
from topicgrove.state import State
from topicgrove.topics import Nodes
from topicgrove.tree import TopicTree

MOST_COUNTS = 1 << 25
"""Most counts in memory at once, unless a single topic has more."""


def log_joint(state: State, nodes: Nodes) -> float:
    """Compute log p(w, z, c).

    Its parts are the nCRP's, B(C_d + alpha) / B(alpha) of documents, and B(C_t + beta) / B(beta) of topics. With seeds,
    which are tokens and documents of the prior, it is that of all tokens and documents less that of the seeds'.
    """
    tree = state.hyper.log_ncrp(nodes.parent, nodes.level, nodes.n_docs)
    documents = np.array([_documents_part(state.level_counts(), state.hyper)])
    state.comm.allreduce_sum(documents)
    seeds = 0.0
    if state.pinned is not None:
        prior = seed_prior(state.pinned, state.pinned_paths(nodes), len(nodes.slot), state.n_words)
        seeds = _tree_part(nodes.parent, nodes.level, prior.n_docs, prior.counts, state.hyper)
    return float(tree + documents[0] + _topics_part(state, nodes) - seeds)


def log_joint_of_counts(tree: TopicTree, level_counts: NDArray[np.integer], hyper: HyperParameters) -> float:
    """Compute it from a tree that has its word counts C_tv, and from C_dl of shape (D, L)."""
    word_counts = tree.word_counts
    assert word_counts is not None
    shape = np.maximum(tree.parent, 0), tree.level
    documents = _documents_part(level_counts, hyper)
    if tree.seeds is None:
        return _tree_part(*shape, tree.n_docs, word_counts, hyper, documents)
    seeds = tree.seeds
    both = _tree_part(*shape, tree.n_docs + seeds.n_docs, (word_counts + seeds.counts).tocsr(), hyper, documents)
    return both - _tree_part(*shape, seeds.n_docs, seeds.counts, hyper)


def _tree_part(
    parent: NDArray[np.int64],
    level: NDArray[np.int64],
    n_docs: NDArray[np.int64],
    counts: sparse.csr_array,
    hyper: HyperParameters,
    documents: float = 0.0,
) -> float:
    """Add the nCRP's part and the topics', from the words of the topics; those without documents are left out."""
    used = n_docs > 0
    part = hyper.log_ncrp(parent[used], level[used], n_docs[used]) + documents
    beta = np.repeat(_beta(hyper)[level], np.diff(counts.indptr))
    words = (gammaln(counts.data + beta) - gammaln(beta)).sum()
    base = _beta(hyper)[level] * counts.shape[1]
    n_tokens = np.asarray(counts.sum(axis=1)).ravel()
    return float(part + words - (gammaln(n_tokens + base) - gammaln(base)).sum())


def _beta(hyper: HyperParameters) -> NDArray[np.float64]:
    """Return beta as kernels have it, in float32."""
    return hyper.beta.astype(np.float32).astype(np.float64)


def _documents_part(counts: NDArray[np.integer], hyper: HyperParameters) -> float:
    alpha = hyper.alpha.astype(np.float32).astype(np.float64)
    n_docs, lengths = len(counts), counts.sum(axis=1)
    part = gammaln(counts + alpha).sum() - n_docs * gammaln(alpha).sum()
    return float(part - gammaln(lengths + alpha.sum()).sum() + n_docs * gammaln(alpha.sum()))


def _topics_part(state: State, nodes: Nodes) -> float:
    n_topics = len(nodes.slot)
    n_blocks = min(n_topics, 1 + state.n_words * n_topics // MOST_COUNTS)
    return sum(_part_of(state, nodes, some) for some in np.array_split(np.arange(n_topics), n_blocks))


def _part_of(state: State, nodes: Nodes, some: NDArray[np.int64]) -> float:
    """Return what these topics add."""
    slots, levels = nodes.slot[some], nodes.level[some]
    counts = np.zeros((state.n_words, len(some)), np.int32)
    by_slot, _ = state.topics.count(slots, np.arange(len(some)), counts)
    words = sum_log_rising(counts, levels, state.prior.log_rising_word, state.prior.beta)
    base = state.prior.beta_sum[levels]
    return float(words - (gammaln(by_slot[slots] + base) - gammaln(base)).sum())
