"""The collapsed joint probability p(w, z, c) of the paper's equation 1."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from topicgrove.kernels.topics import sum_log_rising
from topicgrove.state import Nodes, State


def log_joint(state: State, nodes: Nodes) -> float:
    """log p(w, z, c): the nCRP's part, the documents' B(C_d + alpha) / B(alpha), topics' B(C_t + beta) / B(beta)."""
    tree = state.hyper.log_ncrp(nodes.parent, nodes.level, nodes.n_docs)
    return tree + _documents_part(state) + _topics_part(state, nodes)


def _documents_part(state: State) -> float:
    alpha = state.prior.alpha.astype(np.float64)
    counts = state.level_counts()
    lengths = np.diff(state.docs.offsets)
    part = gammaln(counts + alpha).sum() - state.n_docs * gammaln(alpha).sum()
    return float(part - gammaln(lengths + alpha.sum()).sum() + state.n_docs * gammaln(alpha.sum()))


def _topics_part(state: State, nodes: Nodes) -> float:
    counts = np.zeros((state.n_words, len(nodes.slot)), np.int32)
    by_slot, _ = state.count(nodes.slot, np.arange(len(nodes.slot)), counts)
    totals = by_slot[nodes.slot]
    words = sum_log_rising(counts, nodes.level, state.prior.log_rising_word, state.prior.beta)
    base = state.prior.beta_sum[nodes.level]
    return float(words - (gammaln(totals + base) - gammaln(base)).sum())
