"""The start: documents enter in mini-batches, and early paths are drawn with levels summed out.

Progressive: a document's path and levels are drawn given the documents before it, and what is instantiated is refreshed
after every batch. For the first ``init_iterations`` sweeps, p(c | w) ~ 1/S sum_s p(c | z_s, w) with z_s uniform. The
tokens keep the levels z_s with which the path was chosen. (Restoring the old levels looks harmless and gives worse
trees.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

FIRST_BATCH = 32
"""Documents in the first batch, unless the batch size is given."""

GROWTH = 0.1
"""Size of later batches, as a share of the documents already in."""


def entry_order(n_docs: int, seed: int) -> NDArray[np.int64]:
    """Return a random order in which documents enter: files are often sorted, and early documents shape the tree."""
    return np.random.default_rng(seed).permutation(n_docs).astype(np.int64)


def batches(order: NDArray[np.int64], batch_size: int | None, n_in: int = 0) -> Iterator[NDArray[np.int64]]:
    """Cut the documents after the first ``n_in`` into batches of equal size, or into batches that grow.

    >>> [len(batch) for batch in batches(np.arange(100), 40)]
    [40, 40, 20]
    >>> [len(batch) for batch in batches(np.arange(9), 4, n_in=3)]
    [4, 2]
    """
    done = n_in
    while done < len(order):
        size = batch_size or max(FIRST_BATCH, int(GROWTH * done))
        yield order[done : done + size]
        done += size


def own_batches(parts: Iterator[NDArray[np.int64]], first: int, last: int) -> Iterator[NDArray[np.int64]]:
    """Return the part of each batch that a rank has, documents first..last - 1, counted from its first document.

    >>> [part.tolist() for part in own_batches(iter([np.array([4, 1]), np.array([3, 0])]), 3, 5)]
    [[1], [0]]
    """
    for part in parts:
        yield part[(part >= first) & (part < last)] - first
