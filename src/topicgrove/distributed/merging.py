"""Merging of other ranks' changes. Threads rest meanwhile, so nothing needs to be atomic.

A topic may be dead here and alive elsewhere, or be born on two ranks at once under one parent. Names tell topics apart,
dead topics come back if a document has joined them elsewhere, and topics without documents die as usual. A batch
covers whole documents, so no count ever falls below zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.distributed.changes import Batch
from topicgrove.distributed.ids import NO_SLOT, Ids
from topicgrove.kernels.changes import add_changes
from topicgrove.state import State
from topicgrove.topics import Topics


def merge(state: State, ids: Ids, batch: Batch) -> None:
    """Add another rank's batch to the tree and to the counts of rapid topics."""
    topics = state.topics
    named = ids.ids_of(batch.name, batch.parent, batch.level)
    slots = _with_slots(topics, ids, named)[named]
    columns = slots - topics.n_slow
    add_changes(columns, batch.position, batch.word, batch.change, topics.words.rapid, topics.words.totals)
    topics.add_documents(slots, batch.level, batch.n_docs)


def _with_slots(topics: Topics, ids: Ids, named: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return slots by id, after giving each of these topics one; parents come before children."""
    slots = ids.slots()
    missing = named[slots[named] == NO_SLOT]
    births = np.bincount(ids.level[missing], minlength=topics.n_levels)
    if not topics.has_room(births):
        topics.grow(births)
        slots = ids.slots()
    for topic in missing.tolist():
        slots[topic] = topics.new_slot(int(ids.level[topic]))
    # Slow ones too: growing forgets those without documents.
    topics.tree.parent[slots[named]] = slots[ids.parent[named]]
    topics.tree.id[slots[named]] = named
    return slots
