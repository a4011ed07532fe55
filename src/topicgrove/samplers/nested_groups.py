"""Nested groups of vectors: k-means on level 1, then within each group, down to the leaves."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

TRIES = 6
"""Runs of k-means on level 1, of which the best is kept: with more runs, seeds agree better."""

MAX_ITERATIONS = 50

MOST_SHARE, MOST_MEANS = 0.19, 1.6
"""A level-1 group with a larger share of the vectors, and more than 1.6 times the mean, calls for more groups."""

MORE_GROUPS = 0.5
"""Limit on the additional groups, as a share of the original number."""

Groups = NDArray[np.int64]


def nested_groups(vectors: NDArray[np.float32], sizes: Sequence[int], seed: int, even: bool = False) -> list[Groups]:
    """Group vectors on each level; groups are numbered from 0, and each lies within a group of the level above.

    Parameters
    ----------
    vectors : array of shape (n, dimensions)
        One vector per row.
    sizes : sequence of int
        Number of groups on each level, ascending; fewer where vectors are equal.
    seed : int
        Seed of k-means.
    even : bool, default=False
        Whether level 1 may have more groups, so that none is far larger than the others.

    Examples
    --------
    >>> vectors = np.array([[0, 0], [0, 1], [9, 0], [9, 1]], np.float32)
    >>> [len(np.unique(groups)) for groups in nested_groups(vectors, [2, 4], seed=0)]
    [2, 4]
    """
    levels = [(even_groups if even else coarse_groups)(vectors, sizes[0], seed)]
    for size in sizes[1:]:
        levels.append(_split(vectors, levels[-1], size, seed))
    return levels


def coarse_groups(vectors: NDArray[np.float32], size: int, seed: int) -> Groups:
    """Return the groups of level 1: the best of several runs of k-means."""
    return _k_means(vectors, size, seed, TRIES)


def even_groups(vectors: NDArray[np.float32], size: int, seed: int) -> Groups:
    """Return ``size`` or more groups of level 1, enough that none is far larger than the others.

    >>> vectors = np.array([[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [9, 0]], np.float32)
    >>> int(even_groups(vectors, 2, seed=0).max()) + 1
    3
    """
    limit = max(MOST_SHARE, MOST_MEANS / size) * len(vectors)
    for more in range(int(MORE_GROUPS * size) + 1):
        groups = coarse_groups(vectors, size + more, seed)
        if np.bincount(groups).max() <= limit:
            break
    return groups


def _split(vectors: NDArray[np.float32], groups: Groups, size: int, seed: int) -> Groups:
    """Split groups into ``size`` in all, or fewer where vectors are equal."""
    parts, n_parts = np.empty_like(groups), 0
    for group, share in enumerate(shares(np.bincount(groups), size)):
        inside = np.flatnonzero(groups == group)
        parts[inside] = n_parts + _k_means(vectors[inside], int(share), seed)
        n_parts = int(parts[inside].max()) + 1
    return parts


def shares(sizes: Groups, total: int) -> Groups:
    """Return the number of parts for each group: at least two if possible, the rest by size.

    >>> shares(np.array([60, 30, 10]), 12).tolist(), shares(np.array([60, 30, 10]), 4).tolist()
    ([6, 4, 2], [2, 1, 1])
    """
    least = 2 if total >= 2 * len(sizes) else 1
    exact = max(0, total - least * len(sizes)) * sizes / sizes.sum()
    parts: Groups = least + np.floor(exact).astype(np.int64)
    rest = max(0, total - int(parts.sum()))
    parts[np.argsort(-(exact % 1), kind="stable")[:rest]] += 1
    return parts


def _k_means(vectors: NDArray[np.float32], size: int, seed: int, n_tries: int = 1) -> Groups:
    k_means = KMeans(min(size, len(vectors)), n_init=n_tries, max_iter=MAX_ITERATIONS, random_state=seed % 2**32)
    with warnings.catch_warnings():
        # Equal vectors leave fewer groups.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = k_means.fit_predict(vectors)
    return np.unique(found, return_inverse=True)[1].astype(np.int64)
