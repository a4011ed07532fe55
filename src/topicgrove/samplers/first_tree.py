"""Trees to begin with: from nested groups of documents to topics, their slots, and the first paths."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.state import State
from topicgrove.topics import Nodes

Longs = NDArray[np.int64]


class FirstTree(NamedTuple):
    """Parents and levels of topics, the root its own parent, and the last topic of each document's path."""

    parent: Longs
    level: Longs
    last: Longs


def tree_of_groups(groups: Sequence[Longs]) -> FirstTree:
    """Return the topics that nested groups form, level by level, and each item's last topic.

    >>> parent, level, last = tree_of_groups([np.array([0, 0, 1]), np.array([0, 1, 2])])
    >>> parent.tolist(), level.tolist(), last.tolist()
    ([0, 0, 0, 1, 1, 2], [0, 1, 1, 2, 2, 2], [3, 4, 5])
    """
    starts = np.cumsum([0, 1, *(int(group.max()) + 1 for group in groups)])
    topics = [np.zeros_like(groups[0]), *(start + group for start, group in zip(starts[1:], groups, strict=False))]
    parent = np.zeros(starts[-1], np.int64)
    for above, here in pairwise(topics):
        parent[here] = above
    return FirstTree(parent, np.repeat(np.arange(len(topics)), np.diff(starts)), topics[-1])


def nested(keys: Sequence[Longs]) -> list[Longs]:
    """Number groups on each level: items are in one group if their keys are equal on this level and all above it.

    >>> [groups.tolist() for groups in nested([np.array([7, 7, 5]), np.array([2, 1, 1])])]
    [[1, 1, 0], [2, 1, 0]]
    """
    groups, above = [], np.zeros_like(keys[0])
    for key in keys:
        above = np.unique(np.stack([above, key], axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
        groups.append(above)
    return groups


def begin_with(state: State, tree: FirstTree, documents: Longs, leaf: Longs, pinned: Longs) -> None:
    """Begin with a tree in which these documents of the rank, and the pinned ones, have the given last topics.

    All ranks call it; the sampler's refresh has to follow.
    """
    nothing = np.zeros(len(tree.parent), np.int64)
    slots = state.topics.instantiate_all(Nodes(tree.parent, tree.level, nothing, nothing - 1))
    state.docs.leaf[documents] = slots[leaf]
    state.docs.leaf[state.n_docs :] = slots[pinned]
    state.topics.count_documents()


def place_pinned(state: State) -> None:
    """Begin with a tree of the pinned documents alone; the sampler's refresh has to follow."""
    assert state.pinned is not None
    tree = tree_of_groups(nested(state.pinned.keys(state.n_levels)))
    none = np.zeros(0, np.int64)
    begin_with(state, tree, none, none, tree.last)
