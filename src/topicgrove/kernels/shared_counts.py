"""Write to the counts of rapid topics, which all threads share.

A topic is written by one thread at a time: a lock for all words of a document costs far less than an atomic addition
for each. Threads read without a lock.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import fused, part
from topicgrove.kernels.hardware import lock, unlock
from topicgrove.kernels.structures import LOCK_STRIDE, N_TOPIC_LOCKS, TopicArrays, Workspace

_ONE, _ZERO = np.float32(1.0), np.float32(0.0)


@part
def any_rapid(path: NDArray[np.int64], n_slow: int) -> bool:
    """Return whether a path has a rapid topic."""
    found = False
    for level in range(len(path)):
        found |= path[level] >= n_slow
    return found


@part
def subtract_words(
    column: int,
    words: NDArray[np.int32],
    times: NDArray[np.float32],
    n_words: int,
    counts: NDArray[np.int32],
    totals: NDArray[np.int32],
    locks: NDArray[np.int64],
) -> None:
    """Subtract ``times`` from C_tv and their sum from C_t, for the topic in a column; times may be negative."""
    total, gate = np.int32(0), (column % N_TOPIC_LOCKS) * LOCK_STRIDE
    lock(locks, gate)
    for n in range(n_words):
        change = np.int32(times[n])
        counts[words[n], column] -= change
        total += change
    totals[column] -= total
    unlock(locks, gate)


@fused
def subtract_counts(topics: TopicArrays, work: Workspace) -> None:
    """Subtract ``work.document.counted`` from C_tv, and its sum from C_t, for the rapid topics on ``work.path``."""
    document, words, times = work.document, work.by_level.words, work.by_level.times
    n_rows, n_slow = document.n_rows[0], topics.words.log_phi.shape[1]
    for level in range(len(work.path)):
        column = work.path[level] - n_slow
        if column < 0:
            continue
        n_words = np.int64(0)
        for row in range(n_rows):
            words[n_words] = document.word[row]
            times[n_words] = document.counted[row, level]
            n_words += 1 if document.counted[row, level] != _ZERO else 0
        subtract_words(
            column, words, times, n_words, topics.words.rapid, topics.words.totals, topics.control.topic_locks
        )


@fused
def write_levels(levels: NDArray[np.uint8], topics: TopicArrays, work: Workspace) -> None:
    """Update the rapid topics on ``work.path`` from the document's tokens as in ``counted`` to those as in ``levels``.

    Overwrites ``counted``.
    """
    document = work.document
    if any_rapid(work.path, topics.words.log_phi.shape[1]):
        for n in range(len(levels)):
            document.counted[document.row_of[n], levels[n]] -= _ONE
        subtract_counts(topics, work)
