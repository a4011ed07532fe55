"""Learning the hyper-parameters of walks from the current assignments, by Minka's fixed point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.adjust.learning import Histogram, learn_beta
from topicgrove.several_paths.paths import ancestors
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState

LEARNABLE = ("beta", "child_weight", "stop_weight")

STEPS = 10
"""Fixed-point steps per update; the chain moves between updates anyway."""

WEIGHT_LIMITS = (1e-6, 1e4)
"""Bounds on learnt weights: for a topic that no document uses, the likelihood has no maximum."""


def learn(state: WalkState, which: Sequence[str]) -> WalkHyper:
    """Return hyper-parameters that fit the assignments better: the likelihood's maximum, or a few steps towards it.

    In a growing tree, whose shares are drawn, the weights of a topic's children change together.
    """
    hyper = state.hyper
    if "beta" in which:
        hyper = hyper._replace(beta=_learn_betas(state))
    if "child_weight" in which or "stop_weight" in which:
        hyper = _learn_weights(state, hyper, "child_weight" in which, "stop_weight" in which)
    return hyper


def _learn_betas(state: WalkState) -> NDArray[np.float64]:
    beta = state.hyper.beta.copy()
    counts = state.words.counts.reshape(state.n_words, state.n_nodes)
    for level in range(int(state.level.max()) + 1):
        topics = np.flatnonzero(state.level == level)
        totals = Histogram(state.words.totals[topics])
        beta[level] = learn_beta(beta[level], Histogram(counts[:, topics]), totals, state.n_words)
    return beta


def _learn_weights(state: WalkState, hyper: WalkHyper, children: bool, stops: bool) -> WalkHyper:
    """Set a_j <- a_j sum_d [psi(b_dj + a_j) - psi(a_j)] / sum_d [psi(b_di + A_i) - psi(A_i)], and stop_i likewise."""
    own = state.document_counts()
    through = (own @ ancestors(state.parent)).tocsc()
    own = own.tocsc()
    visits = [Histogram(_column(through, t)) for t in range(state.n_nodes)]
    stays = {t: Histogram(_column(own, t)) for t in state.tree.nodes}
    child_weight, stop_weight = hyper.child_weight.copy(), hyper.stop_weight.copy()
    rest = None if hyper.rest_weight is None else hyper.rest_weight.copy()
    for i in state.tree.nodes:
        k = state.tree.inner[i]
        family = slice(int(state.tree.first_child[k]), int(state.tree.end_child[k]))
        if visits[i].is_empty:
            continue
        for _ in range(STEPS):
            unseen = 0.0 if rest is None else rest[i]
            total = stop_weight[i] + child_weight[family].sum() + unseen
            norm = visits[i].psi_sum(total)
            if children:
                a = child_weight[family]
                gains = np.array([h.psi_sum(weight) for h, weight in zip(visits[family], a, strict=True)])
                if rest is not None:
                    together = gains @ a / (a.sum() + unseen) / norm if gains.any() else 1.0
                    rest[i] = np.clip(unseen * together, *WEIGHT_LIMITS)
                    gains[:] = together * norm
                child_weight[family] = np.clip(a * gains / norm, *WEIGHT_LIMITS)
            if stops:
                stop_weight[i] = np.clip(stop_weight[i] * stays[i].psi_sum(stop_weight[i]) / norm, *WEIGHT_LIMITS)
    return WalkHyper(hyper.beta, child_weight, stop_weight, rest)


def _column(matrix: sparse.csc_array, t: int) -> NDArray[np.int32]:
    column: NDArray[np.int32] = matrix.data[matrix.indptr[t] : matrix.indptr[t + 1]]
    return column
