"""A sampler's state as arrays, from which training goes on bit for bit.

Slots matter: the order of candidates decides which of them a random number picks. So the layout is kept as it is, dead
columns included. Counts and phi are made again from the assignments, as they always could be.
"""

from __future__ import annotations

import numpy as np

from topicgrove.kernels.structures import CONTROL_STRIDE, N_IDS, N_TOPICS, Counts, Layout, Tree
from topicgrove.memory import aligned
from topicgrove.persistence.sealed import Arrays
from topicgrove.samplers import Sampler
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


def restore_snapshot(state: State, arrays: Arrays, sampler: Sampler) -> None:
    """Bring a new state of the same corpus to where a snapshot was taken that `check_snapshot` found no fault with."""
    n_slow, n_rapid, n_slow_topics = arrays["widths"].tolist()
    if len(arrays["leaf"]) != state.n_docs or len(arrays["levels"]) != len(state.docs.levels):
        raise ValueError("it has other documents than the corpus")
    state.docs.levels[:] = arrays["levels"]
    state.docs.leaf[:] = arrays["leaf"]
    state.tree = _cleared(Tree(**_named(arrays, _TREE)))
    state.layout = Layout(**_named(arrays, _LAYOUT))
    state.n_slow_topics = n_slow_topics
    state.control[N_IDS * CONTROL_STRIDE] = arrays["n_ids"][0]
    state.control[N_TOPICS * CONTROL_STRIDE] = np.count_nonzero(state.tree.n_docs)
    rapid = aligned((state.n_words, n_rapid), state.count_type)
    log_phi = aligned((state.n_words, n_slow), np.float32)
    state.counts = Counts(rapid, log_phi, state.counts.root_phi, np.zeros(n_rapid, np.int32))
    slots = n_slow + np.flatnonzero(state.tree.n_docs[n_slow:])
    totals, _ = state.count(slots, slots - n_slow, rapid)
    state.counts.totals[:] = totals[n_slow:]
    state.refreshes = int(arrays["refreshes"][0]) - 1
    if sampler.fixed_weights:
        # The same draws again, of the weights too.
        sampler.refresh(state)
    else:
        refresh_phi(state, sampler.draw_phi)


def _cleared(tree: Tree) -> Tree:
    """Slots without a topic as a new layout has them: what the last topic left there means nothing."""
    dead = tree.n_docs == 0
    for array, nothing in zip(tree, (0, 0, -np.inf, 0, 0), strict=True):
        array[dead] = nothing
    return tree


def _named(arrays: Arrays, prefix: str) -> Arrays:
    # Copies, since arrays that come from a file may be read-only, which is another type to Numba.
    return {name.removeprefix(prefix): np.array(a) for name, a in arrays.items() if name.startswith(prefix)}
