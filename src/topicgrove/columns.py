"""Columns of rapid topics in the matrix of counts: packed side by side, or kept where they were."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.structures import LINE, Layout


class Columns(NamedTuple):
    """A layout, and the column that it gives each node; -1 for slow nodes."""

    layout: Layout
    column: NDArray[np.int64]


def lines(n: NDArray[np.int64]) -> NDArray[np.int64]:
    """Round columns up to whole cache lines."""
    return -(-n // LINE) * LINE


def odd_lines(width: int) -> int:
    """Add a line if their number is even: rows a power of two apart would compete for the same cache sets."""
    return width + LINE if width > 0 and width // LINE % 2 == 0 else width


def runs(to: NDArray[np.int64], source: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (to, source, length) of runs of columns that stay neighbours when they move."""
    order = np.argsort(to)
    to, source = to[order], source[order]
    begins = np.flatnonzero((np.diff(to, prepend=-2) != 1) | (np.diff(source, prepend=-2) != 1))
    return np.stack([to[begins], source[begins], np.diff(begins, append=len(to))], axis=1)


def packed(
    levels: NDArray[np.int64], slow: NDArray[np.bool_], slow_start: NDArray[np.int64], room: NDArray[np.int64] | int
) -> Columns:
    """Pack columns in the nodes' order, level by level, with room for births, and more for every four topics."""
    n_levels = len(slow_start) - 1
    used = np.bincount(levels[~slow], minlength=n_levels)
    width = lines(used + used // 4 + room)
    width[0] = lines(used[:1])[0]
    start = np.append(0, np.cumsum(width))
    column = np.full(len(levels), -1, np.int64)
    for level in range(n_levels):
        column[~slow & (levels == level)] = start[level] + np.arange(used[level])
    free = np.zeros(odd_lines(int(start[-1])), np.int32)
    return Columns(Layout(slow_start, start, used, np.zeros(n_levels, np.int64), free), column)


def kept(
    old: Layout,
    levels: NDArray[np.int64],
    slow: NDArray[np.bool_],
    before: NDArray[np.int64],
    slow_start: NDArray[np.int64],
    room: int,
) -> Columns | None:
    """Keep columns as ``before`` (-1: none), and free those of topics that are slow now; None if there is no room."""
    layout = Layout(slow_start, old.rapid_start, old.rapid_used.copy(), old.n_free.copy(), old.free.copy())
    column = np.where(slow, -1, before)
    for level in range(len(old.n_free)):
        here, start = levels == level, old.rapid_start[level]
        came = np.flatnonzero(here & ~slow & (before < 0))
        free = np.append(old.free[start : start + old.n_free[level]], before[here & slow & (before >= 0)])
        unused = np.arange(start + old.rapid_used[level], old.rapid_start[level + 1])
        if len(free) + len(unused) < len(came) + (room if level > 0 else 0):
            return None
        n_old = min(len(came), len(free))
        n_left = len(free) - n_old
        column[came] = np.append(free[n_left:], unused[: len(came) - n_old])
        layout.rapid_used[level] += len(came) - n_old
        layout.n_free[level] = n_left
        layout.free[start : start + n_left] = free[:n_left]
    return Columns(layout, column)
