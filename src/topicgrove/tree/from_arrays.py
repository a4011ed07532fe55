"""Trees from arrays: topics and documents of models trained elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from topicgrove.tree.names import read_names
from topicgrove.tree.placed_documents import Documents

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

TOKENS_OF_PROBABILITIES = 100_000
"""Tokens of a topic for which only the probabilities of its words are known."""

ROUNDING = 1e-4


class Shape(NamedTuple):
    """Topics breadth first: their parents and levels, and the number of each among the given topics, or -1."""

    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    given: NDArray[np.int64]


def from_arrays(  # noqa: D417 - cls is the class
    cls: type[TopicTree],
    topic_words: Any,
    *,
    parent: ArrayLike | None = None,
    vocabulary: Iterable[str] | None = None,
    document_topics: ArrayLike | None = None,
    document_lengths: ArrayLike | None = None,
    n_docs: ArrayLike | None = None,
    ids: Iterable[object] | None = None,
    titles: Iterable[object] | None = None,
    names: Mapping[int, str] | None = None,
) -> TopicTree:
    """Make a tree from the topics of any model, to explore, print, search and export it.

    Topics keep their order. Flat topics get a root above them, so topic k has the id k + 1.

    Parameters
    ----------
    topic_words : array or sparse array of shape (K, V)
        Counts, weights or probabilities of words. Rows that sum to at most 1 are probabilities.
    parent : array of shape (K,), default=None
        The number of each topic's parent; -1 for none. None means that the topics are flat. If several topics have no
        parent, they get a common root.
    vocabulary : iterable of str, default=None
        The words of the columns.
    document_topics : array of shape (n_docs, K) or (n_docs,), default=None
        Each document's shares of all topics, or the number of its topic. A document's path leads to the childless topic
        with the largest share of it.
    document_lengths : array of shape (n_docs,), default=None
        Words of each document; None means 100 for all.
    n_docs : array of shape (K,), default=None
        Documents of each childless topic, if the documents are unknown; None means 1.
    ids, titles : iterable, default=None
        Names of the documents.
    names : dict from number to str, default=None
        Names of topics.

    Returns
    -------
    TopicTree

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree.from_arrays([[4, 3, 0], [0, 1, 5]], vocabulary=["moon", "rocket", "goal"],
    ...     document_topics=[[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]], names={1: "sport"})
    >>> print(tree)
    3 [0] (no words of its own)
        2 [1] moon, rocket
        1 [2] sport: goal
    """
    weights = _weights(topic_words)
    n_topics = weights.shape[0]
    shape = _shape(np.full(n_topics, -1) if parent is None else np.asarray(parent), n_topics)
    new_id = np.empty(n_topics, np.int64)
    new_id[shape.given[shape.given >= 0]] = np.flatnonzero(shape.given >= 0)
    documents, tokens = None, None
    if document_topics is not None:
        shares = np.asarray(document_topics)
        documents = _documents(shape, new_id, shares, document_lengths, ids, titles)
        at_topics = np.bincount(documents.paths[documents.paths >= 0], minlength=len(shape.parent))
        tokens = _tokens(shares, documents, new_id)
    else:
        at_topics = _counted_up(shape, new_id, n_docs)
    counts = _counts(weights, tokens)[np.maximum(shape.given, 0)]
    counts = sparse.csr_array(sparse.diags_array((shape.given >= 0).astype(np.int64), dtype=np.int64) @ counts)
    tree = cls(
        shape.parent,
        shape.level,
        at_topics.astype(np.int64),
        np.asarray(counts.sum(axis=1), np.int64).ravel(),
        word_counts=counts,
        vocabulary=None if vocabulary is None else tuple(map(str, vocabulary)),
        documents=documents,
        imported=True,
        names={int(new_id[topic]): name for topic, name in read_names(names or {}, n_topics).items()},
    )
    tree.check()
    return tree


def _weights(topic_words: Any) -> sparse.csr_array:
    given = topic_words if sparse.issparse(topic_words) else np.asarray(topic_words, np.float64)
    if given.ndim != 2 or 0 in given.shape:
        raise ValueError(f"topic_words must have the shape (topics, words); it has {given.shape}")
    weights = sparse.csr_array(given).astype(np.float64)
    if not np.all(np.isfinite(weights.data)) or weights.data.min(initial=0) < 0:
        raise ValueError("topic_words must be finite numbers from 0")
    return weights


def _shape(parent: NDArray[Any], n_topics: int) -> Shape:
    """Return the topics breadth first, in their given order; a root is added unless exactly one has no parent."""
    if parent.shape != (n_topics,) or parent.dtype.kind not in "iu":
        raise ValueError(f"parent must be {n_topics} whole numbers, one for each topic; got {parent!r:.80}")
    if parent.min() < -1 or parent.max() >= n_topics:
        raise ValueError(f"parent must have numbers from -1 to {n_topics - 1}; it has {parent.min()} to {parent.max()}")
    below: dict[int, list[int]] = {}
    for topic, above in enumerate(parent.tolist()):
        below.setdefault(above, []).append(topic)
    tops = below.get(-1, [])
    # A single topic without children is a flat model of one topic.
    is_rooted = len(tops) == 1 and n_topics > 1
    given, parents, levels = ([tops[0]], [-1], [0]) if is_rooted else ([-1], [-1], [0])
    for place, topic in enumerate(given):
        children = below.get(topic, [])
        given += children
        parents += [place] * len(children)
        levels += [levels[place] + 1] * len(children)
    if len(given) != n_topics + (not is_rooted):
        raise ValueError("parent has a circle: some topics are not below any topic without a parent")
    return Shape(np.array(parents), np.array(levels), np.array(given))


def _documents(
    shape: Shape,
    new_id: NDArray[np.int64],
    shares: NDArray[Any],
    lengths: ArrayLike | None,
    ids: Iterable[object] | None,
    titles: Iterable[object] | None,
) -> Documents:
    """Put every document on the path to the leaf with the largest share of it, with its tokens in all topics."""
    n_topics = len(new_id)
    is_leaf = ~np.isin(np.arange(len(shape.parent)), shape.parent)[new_id]
    if shares.ndim == 1 and shares.dtype.kind in "iu":
        if len(shares) and not (shares.min() >= 0 and shares.max() < n_topics and is_leaf[shares].all()):
            raise ValueError("document_topics must have numbers of topics that have no children")
        main = shares.astype(np.int64)
    elif shares.ndim == 2 and shares.shape[1] == n_topics:
        if not np.all(np.isfinite(shares)) or shares.min(initial=0) < 0:
            raise ValueError("document_topics must be finite shares from 0")
        relative = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        main = np.where(is_leaf, relative, -1.0).argmax(axis=1)
    else:
        raise ValueError(f"document_topics has the shape {shares.shape}; it must be (n_docs, {n_topics}) or (n_docs,)")
    n_words = np.full(len(main), 100) if lengths is None else np.asarray(lengths).astype(np.int64)
    if n_words.shape != main.shape or n_words.min(initial=0) < 0:
        raise ValueError(f"document_lengths must be {len(main)} numbers of words, one for each document")
    names = _texts("ids", ids, len(main)), _texts("titles", titles, len(main))
    n_levels = int(shape.level.max()) + 1
    paths = np.full((len(main), n_levels), -1, np.int64)
    here = new_id[main]
    while len(here) and (here >= 0).any():
        at = np.flatnonzero(here >= 0)
        paths[at, shape.level[here[at]]] = here[at]
        here = np.where(here >= 0, shape.parent[here], -1)
    if shares.ndim == 1:
        counts = np.zeros_like(paths)
        counts[np.arange(len(main)), shape.level[new_id[main]]] = n_words
        return Documents(paths, counts, *names)
    in_topics = sparse.csr_array(np.floor(relative * n_words[:, None]).astype(np.int64))
    at_main = sparse.csr_array((n_words - in_topics.sum(axis=1), (np.arange(len(main)), main)), in_topics.shape)
    every = sparse.coo_array(in_topics + at_main)
    topic_counts = sparse.csr_array((every.data, (every.row, new_id[every.col])), (len(main), len(shape.parent)))
    by_level = sparse.csr_array((np.ones(len(shape.level), np.int64), (np.arange(len(shape.level)), shape.level)))
    return Documents(paths, (topic_counts @ by_level).toarray(), *names, topic_counts=topic_counts)


def _texts(name: str, column: Iterable[object] | None, n: int) -> tuple[str, ...] | None:
    if column is None:
        return None
    texts = tuple(map(str, column))
    if len(texts) != n:
        raise ValueError(f"{name} has {len(texts)} entries; it must have {n}, one for each document")
    return texts


def _tokens(shares: NDArray[Any], documents: Documents, new_id: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the expected tokens of the given topics."""
    lengths = documents.level_counts.sum(axis=1)
    if shares.ndim == 2:
        return np.asarray((shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)).T @ lengths)
    return np.bincount(shares, weights=lengths, minlength=len(new_id)).astype(np.float64)


def _counted_up(shape: Shape, new_id: NDArray[np.int64], n_docs: ArrayLike | None) -> NDArray[np.int64]:
    """Return the documents of leaves, and their sums for the topics above."""
    given = np.ones(len(new_id), np.int64) if n_docs is None else np.asarray(n_docs)
    if given.shape != new_id.shape or given.dtype.kind not in "iu" or given.min() < 0:
        raise ValueError(f"n_docs must be {len(new_id)} whole numbers from 0, one for each topic")
    counted = np.zeros(len(shape.parent), np.int64)
    counted[new_id] = given
    counted[np.unique(shape.parent[1:])] = 0
    for topic in range(len(counted) - 1, 0, -1):
        counted[shape.parent[topic]] += counted[topic]
    return counted


def _counts(weights: sparse.csr_array, tokens: NDArray[np.float64] | None) -> sparse.csr_array:
    """Return whole numbers of tokens: round counts, and multiply probabilities by the topics' tokens."""
    sums = np.asarray(weights.sum(axis=1)).ravel()
    if sums.max() <= 1 + ROUNDING:
        scale = np.full(len(sums), TOKENS_OF_PROBABILITIES) if tokens is None else np.maximum(tokens, 1)
        weights = sparse.diags_array(scale / np.maximum(sums, 1e-300)) @ weights
    counts = sparse.csr_array(weights)
    counts.data = np.round(counts.data)
    counts = counts.astype(np.int64)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return counts
