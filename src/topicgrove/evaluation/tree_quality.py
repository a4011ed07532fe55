"""Quality of a tree: topics that differ, that specialise from level to level, and that resemble their parents.

Topics are phi_t = (C_t + beta) / (n_t + V beta), smoothed counts. A cosine ignores the denominator, and
(C_s + b_s) . (C_t + b_t) = C_s . C_t + b_s n_t + b_t n_s + V b_s b_t needs only the sparse counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from topicgrove.evaluation.json_values import mean_or_none, numbers_or_none
from topicgrove.tree import TopicTree


@dataclass(frozen=True, eq=False)
class HierarchicalAffinity:
    """Cosine similarity of topics with the level below: with their children, and with the other topics there.

    Both arrays have one value for each level but the last, NaN where there is nothing to compare: the root,
    for example, has all topics of level 1 as its children. In a good tree `children` is above `non_children`.

    Examples
    --------
    >>> HierarchicalAffinity(np.array([0.5, 0.4]), np.array([np.nan, 0.1])).to_dict()
    {'children': [0.5, 0.4], 'non_children': [None, 0.1]}
    """

    children: NDArray[np.float64]
    non_children: NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """Return lists by level, None where there is no value."""
        return {"children": numbers_or_none(self.children), "non_children": numbers_or_none(self.non_children)}


def topic_diversity(top_words: Sequence[Sequence[int]]) -> float:
    """Return the share of different words among the top words of all topics: 1 if no topic repeats another's.

    Parameters
    ----------
    top_words : sequence of sequences of int
        Word ids, one sequence per topic.

    Returns
    -------
    float
        NaN if there are no words at all.

    References
    ----------
    A. B. Dieng, F. J. R. Ruiz, D. M. Blei (2020), Topic modeling in embedding spaces.

    Examples
    --------
    >>> topic_diversity([[0, 1], [0, 2]])
    0.75
    """
    words = [int(word) for topic in top_words for word in topic]
    return len(set(words)) / len(words) if words else float("nan")


def specialisation(tree: TopicTree, word_counts: Any, beta: ArrayLike) -> NDArray[np.float64]:
    """Return, by level, the mean cosine distance of phi_t from the frequencies of words in the corpus.

    It should be near 0 for the root and grow from level to level.

    Parameters
    ----------
    tree : TopicTree
        The tree, for the topics' levels.
    word_counts : sparse array of shape (T, V)
        Tokens of each word in each topic; their sum is the corpus.
    beta : array-like of shape (n_levels,)
        The topics' prior on each level.

    Returns
    -------
    array of shape (n_levels,)

    References
    ----------
    J. H. Kim, D. Kim, S. Kim, A. Oh (2012), Modeling topic hierarchies with the recursive Chinese restaurant process.

    Examples
    --------
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([2, 1, 1]), np.array([8, 4, 4]))
    >>> specialisation(tree, [[4, 4, 0], [4, 0, 0], [0, 4, 0]], [0.01, 0.01]).round(3)
    array([0.   , 0.291])
    """
    topics = _Topics.of(tree, word_counts, beta)
    corpus = np.asarray(topics.counts.sum(axis=0), np.float64).ravel()
    if not corpus.any():
        raise ValueError("word_counts has no tokens; at least one is needed")
    similarity = topics.dot(corpus) / np.linalg.norm(corpus)
    return np.bincount(tree.level, 1 - similarity) / np.bincount(tree.level)


def hierarchical_affinity(tree: TopicTree, word_counts: Any, beta: ArrayLike) -> HierarchicalAffinity:
    """Compare topics with their own children and with other topics' children, by mean cosine similarity.

    A topic with children has two means: over them, and over the other topics of the level below. A level's value is
    the mean over its topics.

    Parameters
    ----------
    tree, word_counts, beta
        As for `specialisation`.

    Returns
    -------
    HierarchicalAffinity

    References
    ----------
    J. H. Kim, D. Kim, S. Kim, A. Oh (2012), Modeling topic hierarchies with the recursive Chinese restaurant process.

    Examples
    --------
    >>> parent, level = np.array([-1, 0, 0, 1, 2]), np.array([0, 1, 1, 2, 2])
    >>> tree = TopicTree(parent, level, n_docs=np.array([4, 2, 2, 2, 2]), n_tokens=np.array([4, 4, 4, 2, 2]))
    >>> counts = [[1, 1, 1, 1], [2, 2, 0, 0], [0, 0, 2, 2], [2, 0, 0, 0], [0, 0, 2, 0]]
    >>> affinity = hierarchical_affinity(tree, counts, [0.01, 0.01, 0.01])
    >>> affinity.children.round(2), affinity.non_children.round(2)
    (array([0.71, 0.71]), array([ nan, 0.01]))
    """
    topics = _Topics.of(tree, word_counts, beta)
    own = np.full(tree.n_levels - 1, np.nan)
    others = np.full(tree.n_levels - 1, np.nan)
    for level in range(tree.n_levels - 1):
        parents, children = np.flatnonzero(tree.level == level), np.flatnonzero(tree.level == level + 1)
        position = np.searchsorted(parents, tree.parent[children])
        n_own = np.bincount(position, minlength=len(parents))
        n_others = len(children) - n_own
        with_children = topics.family_dots(parents, children, position)
        with_others = topics.dot(topics.total(children))[parents] - with_children
        own[level] = _mean_ratio(with_children, n_own, n_own > 0)
        others[level] = _mean_ratio(with_others, n_others, (n_own > 0) & (n_others > 0))
    return HierarchicalAffinity(own, others)


@dataclass(frozen=True, eq=False)
class TreeQuality:
    """Measures of a tree that need no documents.

    Examples
    --------
    >>> affinity = HierarchicalAffinity(np.array([0.5]), np.array([np.nan]))
    >>> TreeQuality(0.75, np.array([0.0, 0.25]), affinity).to_dict()
    {'diversity': 0.75, 'specialisation': [0.0, 0.25], 'affinity': {'children': [0.5], 'non_children': [None]}}
    """

    diversity: float
    specialisation: NDArray[np.float64]
    affinity: HierarchicalAffinity

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; lists are by level."""
        return {
            "diversity": mean_or_none(np.array([self.diversity])),
            "specialisation": numbers_or_none(self.specialisation),
            "affinity": self.affinity.to_dict(),
        }


def tree_quality(tree: TopicTree, word_counts: Any, beta: ArrayLike, top_words: Sequence[Sequence[int]]) -> TreeQuality:
    """Compute `topic_diversity`, `specialisation` and `hierarchical_affinity`.

    Examples
    --------
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([2, 1, 1]), np.array([8, 4, 4]))
    >>> tree_quality(tree, [[4, 4, 0], [4, 0, 0], [0, 4, 0]], [0.01, 0.01], [[0, 1], [0], [1]]).diversity
    0.5
    """
    return TreeQuality(
        topic_diversity(top_words),
        specialisation(tree, word_counts, beta),
        hierarchical_affinity(tree, word_counts, beta),
    )


@dataclass(frozen=True, eq=False)
class _Topics:
    """Unit vectors u_t = (C_t + b_t) / |C_t + b_t|, never stored densely."""

    counts: sparse.csr_array
    beta: NDArray[np.float64]
    norm: NDArray[np.float64]

    @classmethod
    def of(cls, tree: TopicTree, word_counts: Any, beta: ArrayLike) -> _Topics:
        counts = sparse.csr_array(word_counts).astype(np.float64)
        if counts.shape[0] != len(tree):
            raise ValueError(f"word_counts has {counts.shape[0]} rows; the tree has {len(tree)} topics")
        by_level = np.asarray(beta, np.float64)
        if by_level.ndim != 1 or len(by_level) < tree.n_levels or not np.all((by_level > 0) & np.isfinite(by_level)):
            raise ValueError(f"beta must have a positive number for each of {tree.n_levels} levels; got {beta!r}")
        b = by_level[tree.level]
        n_tokens = np.asarray(counts.sum(axis=1)).ravel()
        squares = np.asarray(counts.power(2).sum(axis=1)).ravel()
        return cls(counts, b, np.sqrt(squares + 2 * b * n_tokens + counts.shape[1] * b**2))

    def dot(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return u_t . vector for every topic."""
        return np.asarray((self.counts @ vector + self.beta * vector.sum()) / self.norm, np.float64)

    def total(self, topics: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sum of u_t over topics."""
        weights = np.zeros(len(self.norm))
        weights[topics] = 1 / self.norm[topics]
        return np.asarray(self.counts.T @ weights + weights @ self.beta, np.float64)

    def family_dots(
        self, parents: NDArray[np.int64], children: NDArray[np.int64], position: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return, for each parent, the sum of u_parent . u_child over children; child i belongs to position[i]."""
        weights = 1 / self.norm[children]
        shape = (len(parents), len(children))
        family = sparse.csr_array((weights, (position, np.arange(len(children)))), shape=shape)
        summed = family @ self.counts[children]
        n_summed = np.asarray(summed.sum(axis=1)).ravel()
        b_summed = np.bincount(position, weights * self.beta[children], minlength=len(parents))
        counts, b = self.counts[parents], self.beta[parents]
        common = np.asarray(counts.multiply(summed).sum(axis=1)).ravel()
        n_parents = np.asarray(counts.sum(axis=1)).ravel()
        dots = common + b * n_summed + b_summed * n_parents + counts.shape[1] * b * b_summed
        return np.asarray(dots / self.norm[parents], np.float64)


def _mean_ratio(sums: NDArray[np.float64], sizes: NDArray[np.int64], where: NDArray[np.bool_]) -> float:
    return float((sums[where] / sizes[where]).mean()) if where.any() else float("nan")
