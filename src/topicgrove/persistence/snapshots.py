"""A sampler's state as arrays, from which training goes on bit for bit.

Slots matter: the order of candidates decides which of them a random number picks. So the layout is kept as it is, dead
columns included. Counts and phi are made again from the assignments, as they always could be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.structures import CONTROL_STRIDE, N_IDS, N_TOPICS, Counts, Layout, Tree
from topicgrove.memory import aligned
from topicgrove.persistence.sealed import Arrays
from topicgrove.samplers.distributions import refresh_phi
from topicgrove.state import State

_LAYOUT = "layout."
_TREE = "tree."


def take_snapshot(state: State) -> Arrays:
    """Everything that the next sweep depends on, between two sweeps."""
    arrays: Arrays = {
        "levels": state.docs.levels,
        "leaf": state.docs.leaf,
        "widths": np.array([state.n_slow, state.counts.rapid.shape[1], state.n_slow_topics]),
        "refreshes": np.array([state.refreshes]),
        "n_ids": state.control[N_IDS * CONTROL_STRIDE :][:1].copy(),
    }
    arrays |= {_TREE + name: array for name, array in state.tree._asdict().items()}
    arrays |= {_LAYOUT + name: array for name, array in state.layout._asdict().items()}
    return arrays


def restore_snapshot(state: State, arrays: Arrays, draw_phi: bool) -> None:
    """Bring a new state of the same corpus to where the snapshot was taken."""
    n_slow, n_rapid, n_slow_topics = (int(width) for width in arrays["widths"])
    state.docs.levels[:] = _same_shape("levels", arrays, state.docs.levels)
    state.docs.leaf[:] = _same_shape("leaf", arrays, state.docs.leaf)
    state.tree = Tree(**_named(arrays, _TREE))
    state.layout = Layout(**_named(arrays, _LAYOUT))
    _check_slots(state, n_slow + n_rapid)
    _check_layout(state.layout, state.n_levels, n_slow, n_rapid)
    state.n_slow_topics = n_slow_topics
    state.control[N_IDS * CONTROL_STRIDE] = arrays["n_ids"][0]
    state.control[N_TOPICS * CONTROL_STRIDE] = max(1, int(np.count_nonzero(state.tree.n_docs)))
    rapid = aligned((state.n_words, n_rapid), state.count_type)
    log_phi = aligned((state.n_words, n_slow), np.float32)
    state.counts = Counts(rapid, log_phi, state.counts.root_phi, np.zeros(n_rapid, np.int32))
    slots = n_slow + np.flatnonzero(state.tree.n_docs[n_slow:])
    totals, n_docs = state.count(slots, slots - n_slow, rapid)
    if not np.array_equal(n_docs, state.tree.n_docs):
        raise ValueError("documents of topics are not those of the assignments")
    state.counts.totals[:] = totals[n_slow:]
    state.refreshes = int(arrays["refreshes"][0]) - 1
    refresh_phi(state, draw_phi)


def _check_slots(state: State, n_slots: int) -> None:
    """Kernels don't check their indices."""
    docs, tree = state.docs, state.tree
    same_size = all(len(array) == n_slots for array in tree)
    if not same_size or not _within(docs.leaf, n_slots) or not _within(tree.parent, n_slots):
        raise ValueError("documents or topics are in slots that are not there")
    if not _within(docs.levels, state.n_levels):
        raise ValueError("tokens are on levels that are not there")


def _check_layout(layout: Layout, n_levels: int, n_slow: int, n_rapid: int) -> None:
    lengths = [len(array) for array in layout]
    if lengths != [n_levels + 1, n_levels + 1, n_levels, n_levels, n_rapid]:
        raise ValueError("the columns are of another number of levels")
    for start, n_columns in ((layout.slow_start, n_slow), (layout.rapid_start, n_rapid)):
        if not 0 <= start[0] <= start[-1] <= n_columns or np.any(np.diff(start) < 0):
            raise ValueError("levels have columns that are not there")
    width = np.diff(layout.rapid_start)
    if not all(np.all((n >= 0) & (n <= width)) for n in (layout.rapid_used, layout.n_free)):
        raise ValueError("levels use more columns than they have")
    if not _within(layout.free, n_rapid):
        raise ValueError("free columns are not there")


def _within(indices: NDArray[np.integer], size: int) -> bool:
    return len(indices) == 0 or bool(indices.min() >= 0 and indices.max() < size)


def _same_shape(name: str, arrays: Arrays, like: NDArray[np.generic]) -> NDArray[np.generic]:
    if arrays[name].shape != like.shape or arrays[name].dtype != like.dtype:
        raise ValueError(f"{name} has shape {arrays[name].shape}, where the corpus asks for {like.shape}")
    return arrays[name]


def _named(arrays: Arrays, prefix: str) -> Arrays:
    # Copies, since arrays that come from a file may be read-only, which is another type to Numba.
    return {name.removeprefix(prefix): np.array(a) for name, a in arrays.items() if name.startswith(prefix)}
