"""Arrays for kernels: in cache lines of their own, on huge pages, and all that a thread needs to work in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.levels import N_SCRATCH
from topicgrove.kernels.structures import Workspace
from topicgrove.kernels.vectors import lanes_for

if TYPE_CHECKING:
    from topicgrove.state import State

LINE_BYTES = 128
"""Cache lines are fetched in pairs by some processors."""

KEEP_UP_TO = 4
"""Times the memory that is needed."""


def aligned(shape: tuple[int, ...], dtype: type = np.int32, *, clear: bool = True) -> NDArray[Any]:
    """Zeros (or anything) in cache lines of their own, on huge pages where they are large.

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
    """Memory for an array that is made anew again and again, each time of another shape.

    Pages that are new to a process are cleared by the system first, which takes longer than what is done with them. So
    memory is kept, with some room, unless it has become far too large.

    >>> reserve = Reserve()
    >>> reserve.array((3, 4), np.int32).shape, reserve.array((2, 7), np.uint16).dtype
    ((3, 4), dtype('uint16'))
    """

    def __init__(self) -> None:
        self._raw = np.empty(0, np.uint8)
        self.n_bytes = 0
        """What the system has given so far: room that was never used takes none of its memory."""

    def array(self, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
        """An array of any content, in the memory of the one before, which must not be used any more."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if not size <= len(self._raw) <= KEEP_UP_TO * size:
            self._raw = np.empty(0, np.uint8)  # given back before more is taken
            self._raw = aligned((2 * size,), np.uint8, clear=False)
            self.n_bytes = 0
        self.n_bytes = max(self.n_bytes, size)
        array: NDArray[Any] = self._raw[:size].view(dtype).reshape(shape)
        return array


def floats(*shape: int) -> NDArray[np.float32]:
    """Zeros of float32, aligned."""
    return aligned(shape, np.float32)


def longs(*shape: int) -> NDArray[np.int64]:
    """Zeros of int64, aligned."""
    return aligned(shape, np.int64)


def workspace(state: State, n_samples: int) -> Workspace:
    """Room for one thread to work in, for the present layout."""
    n_slots, n_rapid, n_levels = len(state.tree.parent), state.counts.rapid.shape[1], state.n_levels
    longest, lanes = state.longest, lanes_for(state.n_levels)
    width = max(n_levels, len(lanes))
    return Workspace(
        stream=aligned((2,), np.uint64),
        pending=longs(2),
        path=longs(n_levels),
        ranges=longs(2 * n_levels, 2),
        n_rows=longs(1),
        row_word=aligned((longest,)),
        row_of=aligned((longest,)),
        row_counts=floats(longest, n_levels),
        row_drawn=floats(longest, n_levels),
        likelihood=floats(longest, width),
        start=longs(2 * n_levels + 2),
        words=aligned((longest + 1,)),
        times=floats(longest + 1),
        bucket=aligned((longest,)),
        offset=floats(longest),
        left=floats(longest + 1),
        drawn_levels=aligned((n_samples, longest), np.uint8),
        score=floats(n_slots),
        mantissa=floats(n_rapid),
        exponent=aligned((n_rapid,)),
        step=floats(n_slots),
        candidate=floats(n_samples, n_slots),
        chosen=longs(n_samples * n_slots),
        weight=aligned((n_samples * n_slots,), np.float64),
        tail=aligned((n_levels + 1,), np.float64),
        scratch=floats(N_SCRATCH, width),
        lanes=lanes,
    )
