"""The two samplers of walks; they share the sweep.

CGS: phi is summed out of every topic.
PCGS: a topic is slow if it had at least M = ``collapse_below`` tokens when topics were last sorted; others are rapid.

z: p(z = t) ~ reach(t) phi_tw        or  reach(t) (C_tw + beta) / (C_t + V beta)
phi: phi_t ~ Dir(beta + C_t) for slow topics after every sweep, or its mean

Topics are sorted less and less often: a choice that depended on the state for ever would be no Gibbs sampler.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.rows import Rows
from topicgrove.kernels.walk_tables import count_slow
from topicgrove.samplers.distributions import draw_log_phi
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import ROWS

LEAST_PHI = np.float32(1e-30)
"""Least probability of a word, so that products of float32 are no denormals."""

EVERY_SWEEP = 20
"""Number of first sweeps that are each followed by new tables, or another choice of slow topics; later, both become
ever rarer."""


def next_time(iteration: int) -> int:
    """Return the sweep after which something that becomes ever rarer is next done.

    >>> next_time(3), next_time(100)
    (4, 105)
    """
    return iteration + max(1, iteration // EVERY_SWEEP)


class WalkSampler(Protocol):
    """What samplers of walks do between sweeps."""

    name: str
    """The name that the parameter ``sampler`` gives it."""

    def count(self, state: WalkState) -> None:
        """Bring the counts up to date after a sweep."""

    def instantiate(self, state: WalkState, iteration: int) -> None:
        """Prepare the next sweep, when counts, tree and priors are those of this one."""


class CollapsedWalks:
    """CGS: counts and tables are all there is."""

    name = "cgs"

    def count(self, state: WalkState) -> None:
        """Do nothing: counts are up to date."""

    def instantiate(self, state: WalkState, iteration: int) -> None:
        """Do nothing."""


class PartiallyCollapsedWalks:
    """PCGS."""

    name = "pcgs"

    def __init__(self, collapse_below: float, draw_phi: bool) -> None:
        self.collapse_below = collapse_below
        self.draw_phi = draw_phi
        self.next_choice = 1

    def count(self, state: WalkState) -> None:
        """Count the tokens of slow topics, of all ranks."""
        slow = np.flatnonzero(state.words.slow)
        if len(slow) == 0:
            return
        column = np.full(state.n_nodes, -1, np.int32)
        column[slow] = np.arange(len(slow))
        counts = np.zeros(state.n_words * len(slow), np.int32)

        def count(first: int, last: int) -> None:
            count_slow(first, last, len(slow), column, state.tokens, counts)

        state.workers.ranges(state.n_docs, count, ROWS)
        state.comm.allreduce_sum(counts, "slow")
        by_topic = counts.reshape(state.n_words, len(slow))
        state.words.counts.reshape(state.n_words, state.n_nodes)[:, slow] = by_topic
        state.words.totals[slow] = by_topic.sum(axis=0)

    def instantiate(self, state: WalkState, iteration: int) -> None:
        """Choose slow topics from time to time, and set phi of all that are slow now."""
        if iteration >= self.next_choice:
            was_slow = state.words.slow > 0
            state.make_slow(state.words.totals >= self.collapse_below)
            self.next_choice = next_time(iteration)
            if (was_slow & (state.words.slow == 0)).any():
                state.refresh()
        if state.words.any_slow[0]:
            set_phi(state, iteration, self.draw_phi)


def set_phi(state: WalkState, iteration: int, draw: bool) -> None:
    """Set phi of slow topics from their counts: a draw from Dir(beta + C), or its mean; and H, which depends on it."""
    slow = np.flatnonzero(state.words.slow)
    shape = state.n_words, state.n_nodes
    counts = np.ascontiguousarray(state.words.counts.reshape(shape)[:, slow])
    phi = state.words.phi.reshape(shape)
    if draw:
        rows = Rows(state.n_words, state.workers, state.comm)
        log_phi = counts.view(np.float32)
        draw_log_phi(rows, log_phi, state.words.beta[slow], state.seed, iteration)
        state.comm.allgather_rows(log_phi, rows.bounds, "slow")
        phi[:, slow] = np.maximum(np.exp(log_phi), LEAST_PHI)
    else:
        norm: NDArray[np.float32] = state.words.totals[slow].astype(np.float32) + state.words.mass[slow]
        phi[:, slow] = (counts + state.words.beta[slow]) / norm
    state.refresh(fresh=False)
