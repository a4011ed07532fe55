"""Arrays for kernels, aligned to cache lines and on huge pages, and the workspace of a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.levels import N_SCRATCH
from topicgrove.kernels.structures import (
    LOCK_STRIDE,
    N_TOPIC_LOCKS,
    Control,
    DocumentWords,
    LevelWeights,
    PathScores,
    WordsByLevel,
    Workspace,
)
from topicgrove.kernels.vectors import lanes_for

if TYPE_CHECKING:
    from topicgrove.state import State

LINE_BYTES = 128
"""Alignment in bytes: some processors fetch cache lines in pairs."""

KEEP_UP_TO = 4
"""Largest ratio of kept to needed memory."""


def aligned(shape: tuple[int, ...], dtype: type = np.int32, *, clear: bool = True) -> NDArray[Any]:
    """Return an array of zeros (or unset) in cache lines of its own, on huge pages if it is large.

    Threads that write to one line slow each other down badly. NumPy asks for huge pages in ``empty`` but not in
    ``zeros``; random rows of a matrix need them.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 2 * LINE_BYTES, np.uint8)
    start = -raw.ctypes.data % LINE_BYTES
    array: NDArray[Any] = raw[start : start + size].view(dtype).reshape(shape)
    if clear:
        array.fill(0)
    return array


class Reserve:
    """Reusable memory for an array that is allocated again and again, in different shapes.

    The system clears new pages first, which takes longer than the work done with them. So memory is kept, with some
    room to spare, unless it has become far too large.

    >>> reserve = Reserve()
    >>> reserve.array((3, 4), np.int32).shape, reserve.array((2, 7), np.uint16).dtype
    ((3, 4), dtype('uint16'))
    """

    def __init__(self) -> None:
        self._raw = np.empty(0, np.uint8)
        self.n_bytes = 0
        """Bytes used so far: spare room that was never used takes no physical memory."""

    def array(self, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
        """Return an unset array in the memory of the previous one, which must not be used any more."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if not size <= len(self._raw) <= KEEP_UP_TO * size:
            self._raw = np.empty(0, np.uint8)  # freed before more is allocated
            self._raw = aligned((2 * size,), np.uint8, clear=False)
            self.n_bytes = 0
        self.n_bytes = max(self.n_bytes, size)
        array: NDArray[Any] = self._raw[:size].view(dtype).reshape(shape)
        return array


def floats(*shape: int) -> NDArray[np.float32]:
    """Return aligned zeros of float32."""
    return aligned(shape, np.float32)


def longs(*shape: int) -> NDArray[np.int64]:
    """Return aligned zeros of int64."""
    return aligned(shape, np.int64)


def control() -> Control:
    """Return the threads' counters and locks as before the first sweep."""
    shared = Control(
        n_topics=longs(1),
        n_ids=longs(1),
        cursor=longs(1),
        stop=longs(1),
        tree_lock=longs(1),
        topic_locks=longs(N_TOPIC_LOCKS * LOCK_STRIDE),
    )
    shared.n_ids[0] = 1
    return shared


def workspace(state: State, n_samples: int) -> Workspace:
    """Allocate the workspace of one thread, for the present layout."""
    n_levels, longest, topics = state.n_levels, state.assignments.longest, state.topics
    return Workspace(
        stream=aligned((2,), np.uint64),
        pending=longs(2),
        path=longs(n_levels),
        drawn_levels=aligned((n_samples, longest), np.uint8),
        document=DocumentWords(
            n_rows=longs(1),
            word=aligned((longest,)),
            row_of=aligned((longest,)),
            counted=floats(longest, n_levels),
            drawn=floats(longest, n_levels),
        ),
        by_level=WordsByLevel(
            start=longs(2 * n_levels + 2),
            words=aligned((longest + 1,)),
            times=floats(longest + 1),
            tokens=aligned((longest,)),
            repeat=floats(longest),
            left=floats(longest + 1),
        ),
        paths=_path_scores(n_levels, topics.n_slots, topics.words.rapid.shape[1], n_samples),
        levels=_level_weights(n_levels, longest),
    )


def _path_scores(n_levels: int, n_slots: int, n_rapid: int, n_samples: int) -> PathScores:
    return PathScores(
        ranges=longs(2 * n_levels, 2),
        score=floats(n_slots),
        mantissa=floats(n_rapid),
        exponent=aligned((n_rapid,)),
        new=aligned((n_levels + 1,), np.float64),
        passing=floats(n_slots),
        candidate=floats(n_samples, n_slots),
        chosen=longs(n_samples * n_slots),
        weight=aligned((n_samples * n_slots,), np.float64),
    )


def _level_weights(n_levels: int, longest: int) -> LevelWeights:
    lanes = lanes_for(n_levels)
    width = max(n_levels, len(lanes))
    return LevelWeights(likelihood=floats(longest, width), scratch=floats(N_SCRATCH, width), lanes=lanes)
