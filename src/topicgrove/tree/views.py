"""Parts of a tree to show: pruned trees, subtrees, and trees without chains."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.validation import check_whole

if TYPE_CHECKING:
    from topicgrove.tree.placed_documents import Documents
    from topicgrove.tree.topic_tree import TopicTree


def prune(tree: TopicTree, min_docs: int, max_depth: int | None, min_share: float) -> TopicTree:
    """Return the tree of the root and of the topics that are large and high enough."""
    check_whole("min_docs", min_docs, 0)
    if isinstance(min_share, bool) or not 0 <= min_share <= 1:
        raise ValueError(f"min_share must be from 0 to 1; got {min_share!r}")
    kept = (tree.n_docs >= min_docs) & (tree.n_docs >= min_share * tree.n_docs[0])
    if max_depth is not None:
        kept &= tree.level <= check_whole("max_depth", max_depth, 0)
    kept[0] = True
    return view(tree, np.flatnonzero(kept))


def subtree(tree: TopicTree, topic: int) -> TopicTree:
    """Return the tree whose root is this topic."""
    return view(tree, branch_of(tree, topic))


def collapse_chains(tree: TopicTree) -> TopicTree:
    """Return the tree in which a topic and an only child with all of its documents are one topic."""
    first = np.arange(len(tree))
    for topic, above in enumerate(tree.parent[1:].tolist(), start=1):
        if tree.n_docs[topic] == tree.n_docs[above] and len(tree.children[above]) == 1:
            first[topic] = first[above]
    kept = _breadth_first(tree, first)
    new_id = np.full(len(tree), -1, np.int64)
    new_id[kept] = np.arange(len(kept))
    new_id = new_id[first]
    parent = new_id[tree.parent[kept]]
    parent[0] = -1
    level = np.zeros(len(kept), np.int64)
    for topic in range(1, len(kept)):
        level[topic] = level[parent[topic]] + 1
    sums = sparse.csr_array((np.ones(len(tree), np.int64), (new_id, np.arange(len(tree)))), (len(kept), len(tree)))
    return replace(
        tree,
        parent=parent,
        level=level,
        n_docs=tree.n_docs[kept],
        n_tokens=sums @ tree.n_tokens,
        word_counts=None if tree.word_counts is None else sparse.csr_array(sums @ tree.word_counts),
        documents=None if tree.documents is None else _shorten(tree.documents, new_id, level),
        names={int(new_id[topic]): name for topic, name in sorted(tree.names.items(), reverse=True)},
        source=tree if tree.source is None else tree.source,
        original_ids=kept if tree.original_ids is None else tree.original_ids[kept],
    )


def _breadth_first(tree: TopicTree, first: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first topics of all chains, in the order of a tree that has only these."""
    below: dict[int, list[int]] = {}
    for topic in np.flatnonzero(first == np.arange(len(tree)))[1:].tolist():
        below.setdefault(int(first[tree.parent[topic]]), []).append(topic)
    order = [0]
    for topic in order:
        order += below.get(topic, [])
    return np.array(order, np.int64)


def _shorten(documents: Documents, new_id: NDArray[np.int64], level: NDArray[np.int64]) -> Documents:
    """Return the documents with the topics' new ids; tokens of merged topics are summed."""
    renamed = np.append(new_id, -1)[documents.paths]
    document, before = np.nonzero(renamed >= 0)
    topic = renamed[document, before]
    paths = np.full((len(documents), level.max() + 1), -1, np.int64)
    paths[document, level[topic]] = topic
    counts = np.zeros(paths.shape, np.int64)
    np.add.at(counts, (document, level[topic]), documents.level_counts[document, before])
    return replace(documents, paths=paths, level_counts=counts)


def branch_of(tree: TopicTree, topic: int) -> NDArray[np.int64]:
    """Return the ids of a topic and all topics below it."""
    inside = np.zeros(len(tree), np.bool_)
    inside[topic] = True
    for t in range(topic + 1, len(tree)):
        inside[t] = inside[tree.parent[t]]
    return np.flatnonzero(inside)


def view(tree: TopicTree, kept: NDArray[np.int64]) -> TopicTree:
    """Return the tree of some topics: one that becomes the root, and others whose parents are among them."""
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
        names={int(new_id[t]): name for t, name in tree.names.items() if new_id[t] >= 0},
        seeds=None,
        source=tree if tree.source is None else tree.source,
        original_ids=kept if tree.original_ids is None else tree.original_ids[kept],
    )


def _rename(documents: Documents, new_id: NDArray[np.int64], top: int) -> Documents:
    # The id -1 of a topic lost earlier stays -1.
    renamed = np.append(new_id, -1)[documents.paths[:, top:]]
    return replace(documents, paths=renamed, level_counts=documents.level_counts[:, top:])
