"""When the columns are laid out anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.state import Nodes, State

WASTE = 0.25
"""Share of the columns in use that may be dead before they are cleared away."""


def keep_tidy(state: State, nodes: Nodes, slow: NDArray[np.bool_]) -> None:
    """Lay the state out if a topic changed sides between slow and rapid, or if too many columns are dead."""
    is_slow = nodes.slot < state.n_slow
    n_dead = int(state.layout.n_free.sum())
    wasted = n_dead > 16 + WASTE * int(state.layout.rapid_used.sum())
    n_slow_slots = int((state.tree.log_docs[: state.n_slow] > -np.inf).sum())
    if wasted or not np.array_equal(is_slow, slow) or n_slow_slots != int(is_slow.sum()):
        state.lay_out(nodes, slow)
