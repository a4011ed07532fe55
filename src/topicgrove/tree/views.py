"""Parts of a tree, for showing: pruned ones and subtrees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from topicgrove.prior import check_whole

if TYPE_CHECKING:
    from topicgrove.tree.documents import Documents
    from topicgrove.tree.topic_tree import TopicTree


def prune(tree: TopicTree, min_docs: int, max_depth: int | None, min_share: float) -> TopicTree:
    """The tree of the root and of the topics that are large and high enough."""
    check_whole("min_docs", min_docs, 0)
    if isinstance(min_share, bool) or not 0 <= min_share <= 1:
        raise ValueError(f"min_share must be from 0 to 1; got {min_share!r}")
    kept = (tree.n_docs >= min_docs) & (tree.n_docs >= min_share * tree.n_docs[0])
    if max_depth is not None:
        kept &= tree.level <= check_whole("max_depth", max_depth, 0)
    kept[0] = True
    return view(tree, np.flatnonzero(kept))


def subtree(tree: TopicTree, topic: int) -> TopicTree:
    """The tree whose root is this topic."""
    return view(tree, branch_of(tree, topic))


def branch_of(tree: TopicTree, topic: int) -> NDArray[np.int64]:
    """The ids of a topic and all topics below it."""
    inside = np.zeros(len(tree), np.bool_)
    inside[topic] = True
    for t in range(topic + 1, len(tree)):
        inside[t] = inside[tree.parent[t]]
    return np.flatnonzero(inside)


def view(tree: TopicTree, kept: NDArray[np.int64]) -> TopicTree:
    """The tree of some topics: one that becomes the root, and others whose parents are among them."""
    new_id = np.full(len(tree), -1, np.int64)
    new_id[kept] = np.arange(len(kept))
    parent = new_id[tree.parent[kept]]
    parent[0] = -1
    top = int(tree.level[kept[0]])
    return replace(
        tree,
        parent=parent,
        level=tree.level[kept] - top,
        n_docs=tree.n_docs[kept],
        n_tokens=tree.n_tokens[kept],
        word_counts=None if tree.word_counts is None else tree.word_counts[kept],
        beta=None if tree.beta is None else tree.beta[top:],
        documents=None if tree.documents is None else _rename(tree.documents, new_id, top),
        labels={int(new_id[t]): label for t, label in tree.labels.items() if new_id[t] >= 0},
        source=tree if tree.source is None else tree.source,
        original_ids=kept if tree.original_ids is None else tree.original_ids[kept],
    )


def _rename(documents: Documents, new_id: NDArray[np.int64], top: int) -> Documents:
    # The id -1 of a topic that was lost before stays -1.
    renamed = np.append(new_id, -1)[documents.paths[:, top:]]
    return replace(documents, paths=renamed, level_counts=documents.level_counts[:, top:])
