"""When to lay out the columns again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.columns import lines
from topicgrove.kernels.structures import LINE
from topicgrove.state import State
from topicgrove.topics import Nodes

WASTE = 0.1
"""Share of the used cache lines that may hold only dead topics before these are cleared away."""


def keep_tidy(state: State, nodes: Nodes, slow: NDArray[np.bool_]) -> None:
    """Lay the state out if a topic has changed between slow and rapid, and pack it if too many columns are dead.

    Several ranks always pack, since packing gives topics the same slots everywhere.
    """
    is_slow = nodes.slot < state.topics.n_slow
    n_rapid = np.bincount(nodes.level[~slow], minlength=state.n_levels)
    n_used, n_needed = (int(lines(n).sum()) for n in (state.topics.layout.rapid_used, n_rapid))
    tidy = n_used - n_needed > LINE + WASTE * n_needed or state.comm.size > 1
    if tidy or not np.array_equal(is_slow, slow):
        state.topics.lay_out(nodes, slow, tidy=tidy)
