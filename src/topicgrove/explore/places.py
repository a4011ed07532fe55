"""Places of topics among their siblings, in two dimensions, by the distances of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from topicgrove.tree import TopicTree


def sibling_places(tree: TopicTree, topics: NDArray[np.int64]) -> list[list[float]]:
    """Return coordinates x and y of every topic in the unit disc around its parent: near siblings have similar words.

    Classical scaling of Hellinger distances, 1 - sum_v sqrt(p_v q_v), of the words of topics and of those below them.

    >>> from topicgrove.tree import TopicTree
    >>> counts = sparse.csr_array([[0, 0, 0, 0], [8, 2, 0, 0], [7, 3, 0, 0], [0, 0, 4, 4]])
    >>> n_docs, n_tokens = np.array([6, 3, 2, 1]), np.array([0, 10, 10, 8])
    >>> tree = TopicTree(np.array([-1, 0, 0, 0]), np.array([0, 1, 1, 1]), n_docs, n_tokens, word_counts=counts)
    >>> root, moon, orbit, goal = np.array(sibling_places(tree, np.arange(4)))
    >>> bool(np.linalg.norm(moon - orbit) < np.linalg.norm(moon - goal)), root.tolist()
    (True, [0.0, 0.0])
    """
    places = np.zeros((len(tree), 2))
    if tree.word_counts is not None:
        roots = _roots_of_shares(tree)
        shown = np.zeros(len(tree), np.bool_)
        shown[topics] = True
        for parent in np.unique(tree.parent[topics[tree.parent[topics] >= 0]]).tolist():
            siblings = np.flatnonzero((tree.parent == parent) & shown)
            places[siblings] = _scaled(roots[siblings])
    found: list[list[float]] = places[topics].round(3).tolist()
    return found


def _roots_of_shares(tree: TopicTree) -> sparse.csr_array:
    """(T, V) square roots of the words' shares of each branch."""
    below = [(topic, topic) for topic in range(len(tree))]
    above = tree.parent.copy()
    while (above >= 0).any():
        below += [(int(ancestor), topic) for topic, ancestor in enumerate(above) if ancestor >= 0]
        above = np.where(above >= 0, tree.parent[above], -1)
    rows, columns = np.array(below).T
    branches = sparse.csr_array((np.ones(len(rows)), (rows, columns)), (len(tree), len(tree))) @ tree.word_counts
    totals = np.maximum(np.asarray(branches.sum(axis=1)).ravel(), 1)
    branches.data = np.sqrt(branches.data / np.repeat(totals, np.diff(branches.indptr)))
    return sparse.csr_array(branches)


def _scaled(roots: sparse.csr_array) -> NDArray[np.float64]:
    """Return the first two principal coordinates, the farthest point at distance 1."""
    gram = (roots @ roots.T).toarray()
    centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    values, vectors = np.linalg.eigh(centred)
    largest = np.argsort(-values, kind="stable")[:2]
    found = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0))
    # The sign of an eigenvector is arbitrary: the largest entry is positive.
    found *= np.where(found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])] < 0, -1, 1)
    places = np.zeros((len(found), 2))
    places[:, : found.shape[1]] = found
    farthest = np.linalg.norm(places, axis=1).max()
    return places / farthest if farthest > 1e-9 else np.zeros_like(places)
