"""A sweep: one document after the other takes a Gibbs step.

Any number of threads sweep at once. They take chunks of documents from a shared cursor, and stop together between
documents when a level has no room for more topics.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel, part
from topicgrove.kernels.gibbs_step import resample_document
from topicgrove.kernels.hardware import fetch_add
from topicgrove.kernels.structures import Documents, Layout, Prior, Settings, TopicArrays, Workspace
from topicgrove.kernels.tree import has_room

CHUNK = 8
"""Documents that a thread takes from the cursor at once."""


@part
def may_go_on(layout: Layout, n_threads: int, fixed_weights: bool, stop: NDArray[np.int64]) -> bool:
    """Return whether there is room for a new topic per thread on every level; if not, tell all threads to stop."""
    if stop[0] != 0:
        return False
    if not fixed_weights:
        for level in range(1, len(layout.n_free)):
            if not has_room(layout, level, n_threads):
                stop[0] = 1
                return False
    return True


@kernel
def sweep(
    order: NDArray[np.int64],
    docs: Documents,
    topics: TopicArrays,
    prior: Prior,
    settings: Settings,
    work: Workspace,
) -> None:
    """Resample the documents of ``order`` along with other threads; ``work.pending`` keeps what a stop left undone."""
    control = topics.control
    while True:
        if work.pending[0] >= work.pending[1]:
            begin = fetch_add(control.cursor, 0, CHUNK)
            if begin >= len(order):
                return
            work.pending[0] = begin
            work.pending[1] = min(begin + CHUNK, len(order))
        while work.pending[0] < work.pending[1]:
            if not may_go_on(topics.layout, settings.n_threads, settings.fixed_weights, control.stop):
                return
            d = order[work.pending[0]]
            resample_document(d, docs, topics, prior, settings, work)
            work.pending[0] += 1
