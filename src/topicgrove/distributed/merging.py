"""Taking in what other ranks changed. Threads rest meanwhile, so nothing needs to be atomic.

A topic may be dead here and live elsewhere, or be born on two ranks at once under one parent: names tell topics apart,
dead ones come back when somebody joined them, and topics without documents die like everywhere else. Since a rank's
batches are complete up to a document, no count ever falls below zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.distributed.changes import Batch
from topicgrove.distributed.ids import NO_SLOT, Ids
from topicgrove.kernels.changes import add_changes
from topicgrove.kernels.structures import CONTROL_STRIDE, N_TOPICS
from topicgrove.kernels.tree import has_room, new_column
from topicgrove.state import State


def merge(state: State, ids: Ids, batch: Batch) -> None:
    """Add a batch of another rank to the tree and to the counts of rapid topics."""
    topics = ids.ids_of(batch.name, batch.parent, batch.level)
    slots = _with_slots(state, ids, topics)[topics]
    add_changes(slots - state.n_slow, batch.position, batch.word, batch.change, state.counts.rapid, state.counts.totals)
    _add_documents(state, slots, batch.level, batch.n_docs)


def _with_slots(state: State, ids: Ids, topics: NDArray[np.int64]) -> NDArray[np.int64]:
    """Slots by id, once all these topics have one; parents come before children."""
    slots = ids.slots()
    missing = topics[slots[topics] == NO_SLOT]
    births = np.bincount(ids.level[missing], minlength=state.n_levels)
    if not all(has_room(state.layout, level, int(n)) for level, n in enumerate(births) if n):
        state.grow(births)
        slots = ids.slots()
    for topic in missing.tolist():
        slots[topic] = state.n_slow + new_column(state.layout, int(ids.level[topic]))
    # Slow ones too: growing forgets those without documents.
    state.tree.parent[slots[topics]] = slots[ids.parent[topics]]
    state.tree.id[slots[topics]] = topics
    return slots


def _add_documents(
    state: State, slots: NDArray[np.int64], levels: NDArray[np.int64], change: NDArray[np.int64]
) -> None:
    tree, layout, n_slow = state.tree, state.layout, state.n_slow
    before = tree.n_docs[slots]
    now = before + change
    tree.n_docs[slots] = now
    state.set_weights(slots, levels)
    below = levels > 0
    state.control[N_TOPICS * CONTROL_STRIDE] += np.count_nonzero(now[below]) - np.count_nonzero(before[below])
    for slot, level in zip(slots.tolist(), levels.tolist(), strict=True):
        if level > 0 and slot >= n_slow and tree.n_docs[slot] == 0:
            layout.free[layout.rapid_start[level] + layout.n_free[level]] = slot - n_slow
            layout.n_free[level] += 1
