"""The main path of a document whose tokens take several paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.several_paths.shape import levels_of
from topicgrove.several_paths.state import WalkState

BLOCK = 4096
"""Documents per block."""

PSEUDO_TOKENS = 1000
"""Tokens drawn from the words of all documents, by which the words of a topic's documents are smoothed."""

ROUNDS = 2
"""Rounds in which documents go to the topics whose documents explain them best."""

SWEEPS = 10
"""Sweeps that main paths are computed from: a token's topic in a single sweep is noisy."""


def ancestors(parent: NDArray[np.integer]) -> sparse.csr_array:
    """Return a (T, T) matrix of ones where the column's topic is the row's or above it.

    >>> ancestors(np.array([-1, 0, 0, 1])).toarray()[3].tolist()
    [1, 1, 0, 1]
    """
    rows: list[NDArray[np.int64]] = []
    columns: list[NDArray[np.int64]] = []
    topic: NDArray[np.int64] = np.arange(len(parent))
    here = topic.copy()
    while len(topic):
        rows.append(topic)
        columns.append(here)
        keep = parent[here] >= 0
        topic, here = topic[keep], parent[here[keep]].astype(np.int64)
    entries = np.concatenate(rows), np.concatenate(columns)
    return sparse.coo_array((np.ones(len(entries[0]), np.int32), entries), shape=(len(parent),) * 2).tocsr()


def main_paths(
    parent: NDArray[np.integer], weights: sparse.csr_array | NDArray[np.floating], n_levels: int
) -> NDArray[np.int64]:
    """Return (D, L) topics from the root down, each the child whose subtree has most of a document; -1 below a leaf.

    Parameters
    ----------
    parent : array of shape (T,)
        The tree, breadth first.
    weights : (D, T)
        Tokens of each document in each topic, or their shares. Among tied children, the first is taken.
    n_levels : int
        L, at least the levels of the tree.

    Examples
    --------
    >>> main_paths(np.array([-1, 0, 0, 2, 2]), sparse.csr_array([[1, 2, 0, 1, 3], [0, 5, 4, 0, 0]]), 3).tolist()
    [[0, 2, 4], [0, 1, -1]]
    """
    n_docs, n_topics = weights.shape
    paths = np.full((n_docs, n_levels), -1, np.int64)
    paths[:, 0] = 0
    n_children = np.bincount(parent[1:], minlength=n_topics)
    end_child = 1 + np.cumsum(n_children)
    above = ancestors(parent)
    for first in range(0, n_docs, BLOCK):
        rows = slice(first, min(first + BLOCK, n_docs))
        through = weights[rows] @ above
        dense = through.toarray() if sparse.issparse(through) else through
        for level in range(1, int(levels_of(parent).max()) + 1):
            before = paths[rows, level - 1]
            for node in np.unique(before[before >= 0]):
                if n_children[node]:
                    here = np.flatnonzero(before == node)
                    begin = end_child[node] - n_children[node]
                    family = dense[here, begin : end_child[node]]
                    paths[first + here, level] = begin + family.argmax(axis=1)
    return paths


def word_counts(words: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> sparse.csr_array:
    """Return (D, V) tokens of each word in each document."""
    ones = np.ones(len(words), np.int32)
    matrix = sparse.csr_array((ones, words, offsets), shape=(len(offsets) - 1, n_words), copy=True)
    matrix.sum_duplicates()
    return matrix


def profiles_of(paths: NDArray[np.integer], own: sparse.csr_array) -> NDArray[np.int64]:
    """Return (T, T) tokens at the column's topic in the documents whose main path includes the row's.

    >>> profiles_of(np.array([[0, 1], [0, 2]]), sparse.csr_array([[1, 2, 0], [0, 0, 5]])).tolist()
    [[1, 2, 5], [1, 2, 0], [0, 0, 5]]
    """
    document, level = np.nonzero(paths >= 0)
    ones = np.ones(len(document), np.int64)
    on_path = sparse.coo_array((ones, (paths[document, level], document)), shape=own.shape[::-1]).tocsr()
    profiles: NDArray[np.int64] = (on_path @ own).toarray()
    return profiles


def explained_paths(
    parent: NDArray[np.integer],
    profiles: NDArray[np.integer],
    counts: sparse.csr_array,
    documents: sparse.csr_array,
    n_levels: int,
) -> NDArray[np.int64]:
    """Return (D, L) topics from the root down, each the child whose documents explain the words best; -1 below a leaf.

    Child j explains document d by sum_w n_dw log(f_jw / p_w), where f_jw is the share of word w expected in the
    documents on j, sum_t profile_jt C_tw / C_t, smoothed by p_w, its share in all documents. Children without documents
    are left out. Among tied children, the first is taken.

    Parameters
    ----------
    parent : array of shape (T,)
        The tree, breadth first.
    profiles : (T, T)
        See `profiles_of`.
    counts : (T, V)
        Tokens of each word in each topic.
    documents : (D, V)
        Tokens of each word in each document.
    n_levels : int
        L, at least the levels of the tree.
    """
    totals = np.asarray(counts.sum(axis=1), np.float64).ravel()
    by_topic = profiles / np.maximum(totals, 1.0)
    common = np.maximum(np.asarray(counts.sum(axis=0), np.float64).ravel(), 1e-9)
    common /= common.sum()
    paths = np.full((documents.shape[0], n_levels), -1, np.int64)
    paths[:, 0] = 0
    for level in range(1, int(levels_of(parent).max()) + 1):
        before = paths[:, level - 1].copy()
        for node in np.unique(before[before >= 0]):
            children = np.flatnonzero((parent == node) & (profiles.any(axis=1)))
            if len(children) == 0:
                continue
            expected = by_topic[children] @ counts
            expected += PSEUDO_TOKENS * common
            expected /= expected.sum(axis=1, keepdims=True) * common
            here = np.flatnonzero(before == node)
            score = documents[here] @ np.log(expected).T
            paths[here, level] = children[score.argmax(axis=1)]
    return paths


def telling_counts(state: WalkState, after: int) -> sparse.csr_array:
    """Return (D, T) tokens of documents in topics over a few sweeps, weighted by how well words identify topics.

    A token of word w at t weighs log(phi_tw / p_w), at least 0, where p_w is the share of w among all tokens: words
    common to all topics say little about where a document belongs. The topics of the tokens change; the counts of words
    do not. The sweeps are numbered from ``after + 1`` on.
    """
    n_topics = state.n_nodes
    n_tokens = np.maximum(state.words.counts.reshape(-1, n_topics).sum(axis=1), 1)
    share = (n_tokens / n_tokens.sum())[state.tokens.words]
    document = np.repeat(np.arange(state.n_docs), np.diff(state.tokens.offsets))
    row = state.tokens.words.astype(np.int64) * n_topics
    found = sparse.csr_array((state.n_docs, n_topics))
    for sweep in range(1, SWEEPS + 1):
        state.sweep(after + sweep, learning=False)
        t = state.node
        phi = (state.words.counts[row + t] + state.words.beta[t]) * state.words.inverse[t]
        weights = np.maximum(np.log(phi / share), 0.0)
        found = found + sparse.coo_array((weights, (document, t)), shape=found.shape).tocsr()
    return found
