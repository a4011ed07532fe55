"""Learning the hyper-parameters of walks from the current assignments, by Minka's fixed point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.adjust.learning import Histogram, learn_beta
from topicgrove.communication import Communicator
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
    visits = histograms((own @ ancestors(state.parent)).tocsc(), state.comm)
    stays = histograms(own.tocsc(), state.comm)
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


def histograms(matrix: sparse.csc_array, comm: Communicator) -> list[Histogram]:
    """Return the frequencies of the entries of each column, whose rows are those of all ranks.

    >>> rows = sparse.csc_array(np.array([[3, 0], [1, 2], [3, 0]]))
    >>> [dict(zip(h.values.tolist(), h.times.tolist())) for h in histograms(rows, Communicator())]
    [{1: 1, 3: 2}, {2: 1}]
    """
    n_columns = matrix.shape[1]
    base = comm.allreduce_max(int(matrix.data.max(initial=0)))[0] + 1
    column = np.repeat(np.arange(n_columns), np.diff(matrix.indptr))
    keys, times = np.unique(column * base + matrix.data, return_counts=True)
    payload = np.concatenate([keys, times]).view(np.uint8)
    parts = [part.view(np.int64).reshape(2, -1) for _, part in comm.allgather_bytes(np.zeros(1, np.int64), payload)]
    keys, where = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    times = np.zeros(len(keys), np.int64)
    np.add.at(times, where.ravel(), np.concatenate([part[1] for part in parts]))
    bounds = np.searchsorted(keys, np.arange(n_columns + 1) * base)
    return [Histogram.of(keys[a:b] % base, times[a:b]) for a, b in pairwise(bounds.tolist())]
