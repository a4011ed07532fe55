"""Select the topics that a picture shows, and connect them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from topicgrove.validation import check_whole

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

MOST_TOPICS = 30
"""Most topics shown without ``min_docs``: as many as a page can hold."""


@dataclass(frozen=True)
class Shown:
    """A topic in a picture, the topics below it, and the number of its children too small to be shown."""

    topic: int
    children: list[Shown] = field(default_factory=list)
    n_hidden: int = 0


def select(
    tree: TopicTree, *, levels: Iterable[int] | None = None, topic: int = 0, min_docs: int | None = None
) -> list[Shown]:
    """Return the topics at the top of a picture: several if the chosen levels leave out the one above them.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    levels : iterable of int, default=None
        Levels of the tree to show; None means all. A topic hangs from its nearest ancestor that is shown.
    topic : int, default=0
        Show this topic and those below it.
    min_docs : int, default=None
        Leave out topics with fewer documents. None shows the largest topics, as many as a page can hold.

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> n_docs = np.array([9, 6, 3, 6])
    >>> tree = TopicTree(np.array([-1, 0, 0, 1]), np.array([0, 1, 1, 2]), n_docs, n_docs)
    >>> select(tree, levels=[0, 2])
    [Shown(topic=0, children=[Shown(topic=3, children=[], n_hidden=0)], n_hidden=0)]
    """
    wanted = _below(tree, check_whole("topic", topic, 0, len(tree) - 1)) & _on(tree, levels)
    if not wanted.any():
        raise ValueError(f"levels must have one at or below topic {topic}, which is on level {tree.level[topic]}")
    large = tree.n_docs >= (_min_docs(tree, wanted) if min_docs is None else check_whole("min_docs", min_docs, 0))
    above = _nearest_above(tree, wanted)
    n_hidden = np.bincount(above[wanted & ~large & (above >= 0)], minlength=len(tree))
    nodes = {int(t): Shown(int(t), [], int(n_hidden[t])) for t in np.flatnonzero(wanted & large)}
    if not nodes:
        raise ValueError(
            f"min_docs must be at most {tree.n_docs[wanted].max()}; got {min_docs}: no topic is that large"
        )
    for t, node in nodes.items():
        if above[t] >= 0:
            nodes[int(above[t])].children.append(node)
    return [node for t, node in nodes.items() if above[t] < 0]


def generations(tops: list[Shown]) -> list[list[Shown]]:
    """Return the topics at the top, their children, and so on."""
    columns = [tops]
    while below := [child for node in columns[-1] for child in node.children]:
        columns.append(below)
    return columns


def _below(tree: TopicTree, topic: int) -> NDArray[np.bool_]:
    inside = np.zeros(len(tree), np.bool_)
    inside[topic] = True
    for t in range(topic + 1, len(tree)):
        inside[t] = inside[tree.parent[t]]
    return inside


def _on(tree: TopicTree, levels: Iterable[int] | None) -> NDArray[np.bool_]:
    if levels is None:
        return np.ones(len(tree), np.bool_)
    if isinstance(levels, int) or not isinstance(levels, Iterable):
        raise TypeError(f"levels must be several whole numbers, such as (1, 2); got {levels!r}")
    chosen = [check_whole("levels", level, 0, tree.n_levels - 1) for level in levels]
    return np.isin(tree.level, chosen)


def _min_docs(tree: TopicTree, wanted: NDArray[np.bool_]) -> int:
    largest = np.sort(tree.n_docs[wanted])[::-1]
    if len(largest) <= MOST_TOPICS:
        return 0
    # Topics of equal size are shown or left out together, but at least one is shown.
    return int(min(largest[MOST_TOPICS] + 1, largest[0]))


def _nearest_above(tree: TopicTree, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return each topic's nearest ancestor among those wanted; -1 for none."""
    above = np.full(len(tree), -1, np.int64)
    for t in range(1, len(tree)):
        parent = tree.parent[t]
        above[t] = parent if wanted[parent] else above[parent]
    return above
