"""Convert a sampler's state to arrays and back, so that training resumes bit for bit."""

from __future__ import annotations

import numpy as np

from topicgrove.persistence.sealed import Arrays
from topicgrove.samplers import Sampler
from topicgrove.samplers.distributions import refresh_phi
from topicgrove.state import State


def take_snapshot(state: State) -> Arrays:
    """Return everything that the next sweep depends on, between two sweeps."""
    documents: Arrays = {"levels": state.docs.levels, "leaf": state.docs.leaf}
    return documents | {"refreshes": np.array([state.refreshes])} | state.topics.snapshot()


def restore_snapshot(state: State, arrays: Arrays, sampler: Sampler) -> None:
    """Restore a snapshot, accepted by `check_snapshot`, in a new state of the same corpus."""
    if len(arrays["leaf"]) != len(state.docs.leaf) or len(arrays["levels"]) != len(state.docs.levels):
        raise ValueError("it has other documents than the corpus")
    state.docs.levels[:] = arrays["levels"]
    state.docs.leaf[:] = arrays["leaf"]
    state.topics.restore(arrays)
    state.refreshes = int(arrays["refreshes"][0]) - 1
    if sampler.fixed_weights:
        # Repeats the same draws, including those of weights.
        sampler.refresh(state)
    else:
        refresh_phi(state, sampler.draw_phi)
