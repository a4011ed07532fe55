"""The collapsed joint probability p(w, z, c) of the paper's equation 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from topicgrove.kernels.topics import sum_log_rising
from topicgrove.prior import HyperParameters
from topicgrove.state import State
from topicgrove.topics import Nodes
from topicgrove.tree import TopicTree

MOST_COUNTS = 1 << 25
"""Most counts in memory at once, unless a single topic has more."""


def log_joint(state: State, nodes: Nodes) -> float:
    """Compute log p(w, z, c).

    Its parts are the nCRP's, B(C_d + alpha) / B(alpha) of documents, and B(C_t + beta) / B(beta) of topics.
    """
    tree = state.hyper.log_ncrp(nodes.parent, nodes.level, nodes.n_docs)
    documents = np.array([_documents_part(state.assignments.level_counts(), state.hyper)])
    state.comm.allreduce_sum(documents)
    return float(tree + documents[0] + _topics_part(state, nodes))


def log_joint_of_counts(tree: TopicTree, level_counts: NDArray[np.integer], hyper: HyperParameters) -> float:
    """Compute it from a tree that has its word counts C_tv, and from C_dl of shape (D, L)."""
    word_counts = tree.word_counts
    assert word_counts is not None
    parent, level = np.maximum(tree.parent, 0), tree.level
    part = hyper.log_ncrp(parent, level, tree.n_docs) + _documents_part(level_counts, hyper)
    beta = np.repeat(_beta(hyper)[level], np.diff(word_counts.indptr))
    words = (gammaln(word_counts.data + beta) - gammaln(beta)).sum()
    base = _beta(hyper)[level] * word_counts.shape[1]
    return float(part + words - (gammaln(tree.n_tokens + base) - gammaln(base)).sum())


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
