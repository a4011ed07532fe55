"""All that a thread needs to work in."""

from __future__ import annotations

import numpy as np

from topicgrove.kernels.levels import N_SCRATCH
from topicgrove.kernels.structures import Workspace
from topicgrove.kernels.vectors import lanes_for
from topicgrove.memory import aligned, floats, longs
from topicgrove.state import State


def workspace(state: State, n_samples: int) -> Workspace:
    """Room for one thread to work in, for the present layout."""
    n_slots, n_rapid, n_levels = len(state.tree.parent), state.counts.rapid.shape[1], state.n_levels
    longest, lanes = state.longest, lanes_for(state.n_levels)
    width = max(n_levels, len(lanes))
    return Workspace(
        stream=aligned((2,), np.uint64),
        pending=longs(2),
        path=longs(n_levels),
        own=aligned((n_levels,)),
        ranges=longs(2 * n_levels, 2),
        n_rows=longs(1),
        row_word=aligned((longest,)),
        row_of=aligned((longest,)),
        row_counts=floats(longest, n_levels),
        likelihood=floats(longest, width),
        start=longs(2 * n_levels + 2),
        words=aligned((longest + 1,)),
        times=floats(longest + 1),
        bucket=aligned((longest,)),
        offset=floats(longest),
        drawn_levels=aligned((n_samples, longest), np.uint8),
        score=floats(n_slots),
        mantissa=floats(n_rapid),
        exponent=aligned((n_rapid,)),
        step=floats(n_slots),
        candidate=floats(n_samples, n_slots),
        chosen=longs(n_samples * n_slots),
        weight=aligned((n_samples * n_slots,), np.float64),
        tail=aligned((n_levels + 1,), np.float64),
        scratch=floats(N_SCRATCH, width),
        lanes=lanes,
    )
