"""Cut a corpus into shards with about equally many tokens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK_TOKENS = 1 << 22
"""Tokens of a block, for work that takes several times their memory."""


def shard_bounds(offsets: NDArray[np.int64], n_shards: int) -> list[tuple[int, int]]:
    """Cut consecutive runs of documents with about equally many tokens.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_docs + 1,)
        Where documents begin, as in `Corpus.offsets`.
    n_shards : int
        Number of runs; some are empty if there are fewer documents.

    Returns
    -------
    list of (begin, end)
        Documents begin..end-1 of each shard.

    Examples
    --------
    >>> shard_bounds(np.array([0, 4, 5, 6, 8]), 2)
    [(0, 1), (1, 4)]
    """
    if isinstance(n_shards, bool) or not isinstance(n_shards, int | np.integer) or n_shards < 1:
        raise ValueError(f"n_shards must be a whole number from 1; got {n_shards!r}")
    # Empty documents get a small weight, or one shard could get all of them.
    weight: NDArray[Any] = np.asarray(offsets, np.float64) + np.arange(len(offsets)) * 1e-3
    targets = weight[-1] * np.arange(1, n_shards) / n_shards
    after = np.searchsorted(weight, targets)
    before = np.maximum(after - 1, 0)
    cuts = np.where(targets - weight[before] < weight[after] - targets, before, after)
    bounds = [0, *np.maximum.accumulate(cuts).tolist(), len(offsets) - 1]
    return list(pairwise(bounds))


def blocks_of_documents(offsets: NDArray[np.int64]) -> Iterator[tuple[slice, slice]]:
    """Give slices of documents and their tokens in blocks of about ``BLOCK_TOKENS``, to bound memory.

    >>> list(blocks_of_documents(np.array([0, 3, 5])))
    [(slice(0, 2, None), slice(0, 5, None))]
    """
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + BLOCK_TOKENS, side="right")) - 1
        last = max(last, first + 1)
        yield slice(first, last), slice(int(offsets[first]), int(offsets[last]))
        first = last
