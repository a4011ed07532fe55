"""Checks of the invariants of every tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from topicgrove.seeds.pinned import SeedPrior
    from topicgrove.tree.placed_documents import Documents
    from topicgrove.tree.topic_tree import TopicTree


def check_tree(tree: TopicTree) -> None:
    """Raise ValueError at the first error in a tree, its words or its documents."""
    for name in ("parent", "level", "n_docs", "n_tokens"):
        _check_integers(name, getattr(tree, name), len(tree.parent))
    _check_shape(tree)
    for name in ("n_docs", "n_tokens"):
        _refuse(getattr(tree, name) < 0, f"{name} is negative")
    _check_n_docs(tree)
    _check_words(tree)
    if tree.seeds is not None:
        _check_seeds(tree, tree.seeds)
    if tree.documents is not None:
        _check_documents(tree, tree.documents)
    for topic, name in tree.names.items():
        if not isinstance(topic, int) or not 0 <= topic < len(tree) or not isinstance(name, str):
            raise ValueError(f"names has {topic!r}: {name!r}; it maps topics 0 to {len(tree) - 1} to strings")


def _check_integers(name: str, array: Any, length: int) -> None:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu" or array.shape != (length,):
        raise ValueError(f"{name} must be an array of integers, one for each of {length} topics; got {array!r:.80}")


def _check_shape(tree: TopicTree) -> None:
    if len(tree) == 0 or tree.parent[0] != -1 or tree.level[0] != 0:
        raise ValueError("topic 0 must be the root: parent -1 and level 0")
    parent = tree.parent[1:]
    _refuse(np.append(False, parent < 0), "there is no parent, but only topic 0 is the root")
    _refuse(np.append(False, parent >= np.arange(1, len(tree))), "the parent does not come before its child")
    _refuse(np.append([False, False], parent[1:] < parent[:-1])[: len(tree)], "topics are not breadth first")
    _refuse(np.append(False, tree.level[1:] != tree.level[parent] + 1), "the level is not the parent's plus one")


def _check_n_docs(tree: TopicTree) -> None:
    in_children = np.zeros(len(tree), np.int64)
    np.add.at(in_children, tree.parent[1:], tree.n_docs[1:])
    _refuse(in_children > tree.n_docs, "n_docs is less than the children's together")
    if tree.source is None:
        several = tree.imported or (tree.documents is not None and tree.documents.topic_counts is not None)
        # Where tokens take several paths, and in imported models, a path may end above the last level.
        internal = np.isin(np.arange(len(tree)), tree.parent) if several else tree.level < tree.n_levels - 1
        _refuse(internal & (in_children < tree.n_docs), "n_docs is more than the children's together")


def _check_words(tree: TopicTree) -> None:
    counts, vocabulary, beta = tree.word_counts, tree.vocabulary, tree.beta
    if counts is not None:
        if counts.ndim != 2 or counts.shape[0] != len(tree) or counts.dtype.kind not in "iu":
            raise ValueError(f"word_counts has shape {counts.shape} of {counts.dtype}; there are {len(tree)} topics")
        counts.check_format(full_check=True)
        if counts.nnz and counts.data.min() < 0:
            raise ValueError("word_counts has negative counts")
        _refuse(np.asarray(counts.sum(axis=1)).ravel() != tree.n_tokens, "n_tokens is not the sum of word_counts")
        if vocabulary is not None and len(vocabulary) != counts.shape[1]:
            raise ValueError(f"vocabulary has {len(vocabulary)} words; word_counts has {counts.shape[1]} columns")
    if beta is not None and (len(beta) < tree.n_levels or not np.all(np.isfinite(beta) & (np.asarray(beta) > 0))):
        raise ValueError(f"beta must be positive numbers, one for each of {tree.n_levels} levels; got {beta!r:.80}")


def _check_seeds(tree: TopicTree, seeds: SeedPrior) -> None:
    counts, n_docs = seeds.counts, seeds.n_docs
    if tree.word_counts is None or counts.shape != tree.word_counts.shape or counts.dtype.kind not in "iu":
        raise ValueError(f"seeds has counts of shape {counts.shape} of {counts.dtype}, unlike word_counts")
    counts.check_format(full_check=True)
    if counts.nnz and counts.data.min() < 0:
        raise ValueError("seeds has negative counts")
    _check_integers("seeds.n_docs", n_docs, len(tree))
    in_children = np.bincount(tree.parent[1:], n_docs[1:], len(tree))
    _refuse(n_docs < 0, "seeds has fewer than no documents")
    _refuse((tree.level < tree.n_levels - 1) & (in_children != n_docs), "seeds.n_docs is not the children's together")


def _check_documents(tree: TopicTree, documents: Documents) -> None:
    paths, level_counts = documents.paths, documents.level_counts
    if paths.dtype.kind not in "iu" or level_counts.dtype.kind not in "iu":
        raise ValueError(f"paths and level_counts must be integers, not {paths.dtype} and {level_counts.dtype}")
    if paths.ndim != 2 or paths.shape[1] < tree.n_levels or level_counts.shape != paths.shape:
        raise ValueError(
            f"paths and level_counts have shapes {paths.shape} and {level_counts.shape}; "
            f"both must be (n_docs, n_levels) with at least {tree.n_levels} levels"
        )
    for name, names in _columns_of(documents):
        if names is not None and len(names) != len(documents):
            raise ValueError(f"documents has {len(names)} {name}; it must have {len(documents)}")
    several = documents.topic_counts is not None
    least = 0 if tree.source is None and not several and not tree.imported else -1
    if paths.size and not least <= paths.min() <= paths.max() < len(tree):
        raise ValueError(f"paths has topics from {paths.min()} to {paths.max()}; the tree has 0 to {len(tree) - 1}")
    if level_counts.size and level_counts.min() < 0:
        raise ValueError("level_counts has negative counts")
    present = paths >= 0
    above = np.hstack([np.full((len(paths), 1), -1, paths.dtype), paths[:, :-1]])
    _refuse_paths(np.any(present & (tree.parent[paths] != above), axis=1))
    if tree.source is None and tree.imported:
        _refuse_paths(np.isin(paths.max(axis=1, initial=-1), [-1, *tree.parent.tolist()]))
    _refuse(np.bincount(paths[present], minlength=len(tree)) != tree.n_docs, "n_docs is not what paths say")
    if several:
        _check_topic_counts(tree, documents)
        return
    if tree.imported:
        return
    in_topic = np.bincount(paths[present], weights=level_counts[present], minlength=len(tree))
    _refuse(in_topic != tree.n_tokens, "n_tokens is not what level_counts say")


def _check_topic_counts(tree: TopicTree, documents: Documents) -> None:
    """Check documents whose tokens are not all on one path."""
    counts = documents.topic_counts
    assert counts is not None
    if counts.shape != (len(documents), len(tree)) or counts.dtype.kind not in "iu":
        raise ValueError(
            f"topic_counts has shape {counts.shape} of {counts.dtype}; "
            f"there are {len(documents)} documents and {len(tree)} topics"
        )
    counts.check_format(full_check=True)
    if counts.nnz and counts.data.min() < 0:
        raise ValueError("topic_counts has negative counts")
    if not tree.imported:
        _refuse(np.asarray(counts.sum(axis=0)).ravel() != tree.n_tokens, "n_tokens is not what topic_counts say")
    for level in range(tree.n_levels):
        in_level = np.asarray(counts[:, tree.level == level].sum(axis=1)).ravel()
        if (in_level != documents.level_counts[:, level]).any():
            raise ValueError(f"level_counts is not what topic_counts say on level {level}")


def _columns_of(documents: Documents) -> list[tuple[str, Any]]:
    """Return the per-document columns by name."""
    return [("ids", documents.ids), ("titles", documents.titles), ("classes", documents.classes)]


def _refuse_paths(wrong: NDArray[np.bool_]) -> None:
    if wrong.any():
        raise ValueError(f"paths: that of document {int(wrong.argmax())} is no path down the tree")


def _refuse(wrong: NDArray[np.bool_], what: str) -> None:
    if wrong.any():
        raise ValueError(f"topic {int(wrong.argmax())}: {what}")
