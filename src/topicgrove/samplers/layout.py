"""When the columns are laid out anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.structures import LINE
from topicgrove.state import Nodes, State

WASTE = 0.25
"""Share of the columns in use that may be dead before they are cleared away."""


def keep_tidy(state: State, nodes: Nodes, slow: NDArray[np.bool_]) -> None:
    """Lay the state out if a topic changed sides between slow and rapid, or if too many columns are dead.

    Several ranks always do, since that is what gives topics the same slots everywhere.
    """
    is_slow = nodes.slot < state.n_slow
    n_columns = int(state.layout.rapid_used.sum()) + state.n_slow_topics
    n_dead = n_columns - len(nodes.slot)
    wasteful = n_dead > LINE + WASTE * n_columns
    if wasteful or state.comm.size > 1 or not np.array_equal(is_slow, slow):
        state.lay_out(nodes, slow)
