"""Let documents join and leave paths of the tree, and topics be born and die.

All of it happens under one spin lock, held for some hundred nanoseconds per document. A dead topic's column is all zero
and goes to its level's stack of free columns. Births reuse those first, so dead topics take no memory.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel, part
from topicgrove.kernels.hardware import lock, unlock
from topicgrove.kernels.structures import ROOT, Layout, Prior, TopicArrays, Tree

# Typed, because a part is compiled again for every type of number that it is called with.
_ONE_MORE, _ONE_LESS = np.int64(1), np.int64(-1)


@part
def follow_path(parent: NDArray[np.int32], leaf: int, path: NDArray[np.int64]) -> None:
    """Set ``path`` to the slots from the root to ``leaf``."""
    slot = np.int64(leaf)
    for level in range(len(path) - 1, -1, -1):
        path[level] = slot
        slot = np.int64(parent[slot])


@part
def log_visits(n_docs: int, gamma: float, log_gamma: float) -> float:
    """Return log(gamma + m); gamma itself may be too small for a float."""
    return math.log(n_docs + gamma) if n_docs > 0 else log_gamma


@part
def visit(
    tree: Tree, path: NDArray[np.int64], gamma: NDArray[np.float64], log_gamma: NDArray[np.float64], change: int
) -> None:
    """Add ``change`` to m along a path, and update log m and log(gamma + m)."""
    for level in range(len(path)):
        slot = path[level]
        n_docs = tree.n_docs[slot] + change
        tree.n_docs[slot] = n_docs
        tree.log_weight[slot] = math.log(n_docs) if n_docs > 0 else -math.inf
        tree.log_visits[slot] = log_visits(n_docs, gamma[level], log_gamma[level])


@part
def leave_path(topics: TopicArrays, prior: Prior, path: NDArray[np.int64]) -> None:
    """Subtract a document from the topics of a path; topics without documents die."""
    tree, layout, control, n_slow = topics.tree, topics.layout, topics.control, topics.words.log_phi.shape[1]
    lock(control.tree_lock, 0)
    visit(tree, path, prior.gamma, prior.log_gamma, _ONE_LESS)
    for level in range(1, len(path)):
        slot = path[level]
        if tree.n_docs[slot] == 0:
            control.n_topics[0] -= 1
            if slot >= n_slow:
                layout.free[layout.rapid_start[level] + layout.n_free[level]] = slot - n_slow
                layout.n_free[level] += 1
    unlock(control.tree_lock, 0)


@kernel
def has_room(layout: Layout, level: int, n: int) -> bool:
    """Return whether n more topics of a level can be born."""
    unused = layout.rapid_start[level + 1] - layout.rapid_start[level] - layout.rapid_used[level]
    return unused + layout.n_free[level] >= n


@kernel
def new_column(layout: Layout, level: int) -> int:
    """Return a column for a new topic: a free one, or the next."""
    if layout.n_free[level] > 0:
        layout.n_free[level] -= 1
        return np.int64(layout.free[layout.rapid_start[level] + layout.n_free[level]])
    column = layout.rapid_start[level] + layout.rapid_used[level]
    layout.rapid_used[level] += 1
    return column


@part
def level_of(layout: Layout, n_slow: int, slot: int) -> int:
    """Return the level of a slot, by the range that it lies in."""
    level = 0
    if slot < n_slow:
        while slot >= layout.slow_start[level + 1]:
            level += 1
    else:
        while slot - n_slow >= layout.rapid_start[level + 1]:
            level += 1
    return level


@part
def join_path(topics: TopicArrays, prior: Prior, path: NDArray[np.int64], slot: int, max_topics: int) -> bool:
    """Add a document to the topics of the path to ``slot``, and to a new branch below if that is not a leaf.

    Returns False and changes nothing if the topic has died since it was chosen, as another thread took its last
    document out.
    """
    tree, layout, control, n_slow = topics.tree, topics.layout, topics.control, topics.words.log_phi.shape[1]
    last = level_of(layout, n_slow, slot)
    n_new = len(path) - 1 - last
    lock(control.tree_lock, 0)
    follow_path(tree.parent, slot, path[: last + 1])
    alive = control.n_topics[0] + n_new <= max_topics or n_new == 0
    for level in range(1, last + 1):
        alive &= tree.n_docs[path[level]] > 0
    if path[0] != ROOT or not alive:
        unlock(control.tree_lock, 0)
        return False
    for level in range(last + 1, len(path)):
        born = n_slow + new_column(layout, level)
        tree.parent[born] = path[level - 1]
        tree.id[born] = control.n_ids[0]
        control.n_ids[0] += 1
        path[level] = born
    control.n_topics[0] += n_new
    visit(tree, path, prior.gamma, prior.log_gamma, _ONE_MORE)
    unlock(control.tree_lock, 0)
    return True
