"""Births and deaths of topics: the nested hierarchical Dirichlet process by direct assignment.

pi_i ~ GEM(gamma) are the shares of the children of inner topic i, including those yet to be born, and the edge into
child j has weight a_j = tau_i pi_ij. Given the tokens, tables and shares are drawn as in Teh et al., Hierarchical
Dirichlet processes (2006), section 5.3:

m_dj ~ CRT(b_dj, tau_i pi_ij),   (pi_i1, ..., pi_iK, rest) ~ Dir(sum_d m_d1, ..., sum_d m_dK, gamma)

Topics without tokens die. Every inner topic keeps a few children that no token uses, whose shares are broken off the
rest, v ~ Beta(1, gamma). Until the shares are next drawn, tokens cannot move to what then remains of the rest, which is
(gamma / (1 + gamma))^n of it for n free children: to that extent, births are too rare.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.walk_sharing import seat_tokens
from topicgrove.several_paths.paths import ancestors
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import DOCUMENTS

STREAM = 0x6E0
"""Keeps these draws apart from others with the same seed."""

TABLES = np.uint64(0x7AB1E50F7AB1E50F)
"""Keeps the streams of tables apart from those of sweeps."""

LEAST_SHARE = 1e-8
"""Least share of a topic, so that float32 can hold the weights."""


class Growth(NamedTuple):
    """The prior of topics to come: gamma, an inner topic's total weight of children, and its weight of stopping."""

    gamma: float
    n_levels: int
    tau: NDArray[np.float64]
    """(L - 1,) total weight of the children of a topic on each inner level."""
    stop: NDArray[np.float64]
    free_children: int = 2


class Branch(NamedTuple):
    """A topic of the next tree: its number in the current one, or -1 for a new topic, and its weights."""

    old: int
    parent: int
    child_weight: float


def regrow(state: WalkState, growth: Growth, iteration: int) -> None:
    """Let unused topics die, draw the shares of all others, and give every inner topic new children."""
    random = np.random.default_rng([int(state.seed), iteration, STREAM])
    tables = draw_tables(state, iteration)
    used = tables > 0
    used[0] = True
    tau = _totals(state)
    branches, level, rest = [Branch(0, -1, 1.0)], [0], []
    k = 0
    while k < len(branches):
        at, old = level[k], branches[k].old
        rest.append(0.0)
        if at < growth.n_levels - 1:
            total = tau[old] if old >= 0 and tau[old] > 0 else growth.tau[at]
            here = state.parent == old if old >= 0 else np.zeros(state.n_nodes, np.bool_)
            children = np.flatnonzero(here & used)
            shares = _shares(tables[children], growth.gamma, random)
            left = shares[-1] * np.cumprod(np.append(1.0, 1.0 - random.beta(1.0, growth.gamma, growth.free_children)))
            weights = np.maximum(np.append(shares[:-1], -np.diff(left)), LEAST_SHARE) * total
            rest[k] = max(left[-1], LEAST_SHARE) * total
            ids = [*children, *[-1] * growth.free_children]
            branches += [Branch(int(j), k, float(a)) for j, a in zip(ids, weights, strict=True)]
            level += [at + 1] * len(weights)
        k += 1
    _place(state, growth, branches, np.array(level), np.array(rest))


def trim(state: WalkState, min_tokens: int, most_topics: int) -> None:
    """Remove topics with few tokens in their branch, and the smallest beyond ``most_topics``.

    The tokens move to the nearest ancestor that stays.

    A topic's branch is never larger than its parent's, so the topics that stay form a tree.
    """
    n_tokens = ancestors(state.parent).T @ state.words.totals.astype(np.int64)
    kept = n_tokens >= max(min_tokens, 1)
    kept[np.argsort(-n_tokens, kind="stable")[most_topics:]] = False
    kept[0] = True
    if kept[1:].sum() == 0:
        kept[1 + int(n_tokens[1:].argmax())] = True
    kept_above = np.arange(state.n_nodes)
    for t in range(1, state.n_nodes):
        if not kept[t]:
            kept_above[t] = kept_above[state.parent[t]]
    old = np.flatnonzero(kept)
    new = np.cumsum(kept) - 1
    hyper = WalkHyper(state.hyper.beta, state.hyper.child_weight[old], state.hyper.stop_weight[old])
    parent = np.append(-1, new[state.parent[old][1:]])
    state.place(new[kept_above[state.node]], parent, hyper)


def draw_tables(state: WalkState, iteration: int) -> NDArray[np.int64]:
    """Return (T,) sum_d m_dj over the documents of all ranks, where m_dj ~ CRT(b_dj, a_j).

    Random streams belong to documents, so that the result depends neither on threads nor on ranks.
    """
    tables = np.zeros(state.n_nodes, np.int64)
    weight = np.asarray(state.hyper.child_weight, np.float64)
    seed = state.seed ^ TABLES

    def seat(first: int, last: int) -> None:
        scratch, stream = np.zeros((2, state.n_nodes), np.int32), np.zeros(2, np.uint64)
        numbered = np.uint64(iteration)
        seat_tokens(first, last, seed, numbered, state.tokens, state.tree.parent, weight, scratch, stream, tables)

    state.workers.ranges(state.n_docs, seat, DOCUMENTS)
    state.comm.allreduce_sum(tables)
    return tables


def levels_growth(state: WalkState, growth: Growth) -> Growth:
    """Return the prior with the mean weights of the existing topics on each level."""
    tau, stop = growth.tau.copy(), growth.stop.copy()
    totals, n_tokens = _totals(state), ancestors(state.parent).T @ state.words.totals.astype(np.int64)
    for at in range(growth.n_levels - 1):
        here = (state.level == at) & (totals > 0) & (n_tokens > 0)
        if here.any():
            tau[at] = np.exp(np.log(totals[here]).mean())
            stop[at] = np.exp(np.log(state.hyper.stop_weight[here]).mean())
    return growth._replace(tau=tau, stop=stop)


def _totals(state: WalkState) -> NDArray[np.float64]:
    """Return (T,) tau_i: the total weight of a topic's children, including those to come."""
    children = np.bincount(state.parent[1:], weights=state.hyper.child_weight[1:], minlength=state.n_nodes)
    totals = np.asarray(children, np.float64)
    if state.hyper.rest_weight is not None:
        totals = totals + state.hyper.rest_weight
    return totals


def _shares(tables: NDArray[np.int64], gamma: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Draw from Dir(tables, gamma)."""
    weights = random.standard_gamma(np.append(tables.astype(np.float64), gamma))
    shares: NDArray[np.float64] = weights / max(weights.sum(), 1e-300)
    return shares


def _place(
    state: WalkState, growth: Growth, branches: list[Branch], level: NDArray[np.int64], rest: NDArray[np.float64]
) -> None:
    old = np.array([branch.old for branch in branches])
    stop = np.append(growth.stop, 1.0)[level]
    inner = (old >= 0) & (level < growth.n_levels - 1)
    stop[inner] = state.hyper.stop_weight[old[inner]]
    new = np.zeros(state.n_nodes, np.int64)
    new[old[old >= 0]] = np.flatnonzero(old >= 0)
    hyper = WalkHyper(
        state.hyper.beta,
        child_weight=np.array([branch.child_weight for branch in branches]),
        stop_weight=stop,
        rest_weight=rest,
    )
    state.place(new[state.node], np.array([branch.parent for branch in branches]), hyper, old)
