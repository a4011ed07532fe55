"""Arrays for kernels: in cache lines of their own, on huge pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def plain_memory(size: int) -> NDArray[np.uint8]:
    """So many bytes of any content."""
    return aligned((size,), np.uint8, clear=False)


class Reserve:
    """Memory for an array that is made anew again and again, each time of another shape.

    Pages that are new to a process are cleared by the system first, which takes longer than what is done with them. So
    memory is kept, with some room, unless it has become far too large. ``take`` is where it comes from.

    >>> reserve = Reserve()
    >>> reserve.array((3, 4), np.int32).shape, reserve.array((2, 7), np.uint16).dtype
    ((3, 4), dtype('uint16'))
    """

    def __init__(self, take: Callable[[int], NDArray[np.uint8]] = plain_memory) -> None:
        self._take = take
        self._raw = np.empty(0, np.uint8)
        self.n_bytes = 0
        """What the system has given so far: room that was never used takes none of its memory."""

    def array(self, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
        """An array of any content, in the memory of the one before, which must not be used any more."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if not size <= len(self._raw) <= KEEP_UP_TO * size:
            self._raw = np.empty(0, np.uint8)  # given back before more is taken
            self._raw = self._take(2 * size)
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
