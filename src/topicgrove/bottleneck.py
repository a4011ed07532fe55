"""Agglomerative information bottleneck: merge topics so that the words say as much as possible about the groups.

Merging groups i and j loses (n_i + n_j) JS(p_i, p_j) nats, the Jensen-Shannon divergence of their word distributions
weighted by their tokens. With g(x) = x log x and counts c this is

    sum_v [g(c_iv) + g(c_jv) - g(c_iv + c_jv)] + g(n_i + n_j) - g(n_i) - g(n_j),

where only words that both groups have contribute to the sum, so sparse counts are all it takes.

Reference: N. Slonim, N. Tishby (1999), Agglomerative information bottleneck.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import xlogy

from topicgrove.kernels.bottleneck import shared_losses


def merge_topics(counts: sparse.csr_array, sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """Merge the rows of a count matrix greedily, and return the group of each row at every size asked for.

    Parameters
    ----------
    counts : CSR array of shape (n_topics, n_words)
        Tokens of each word in each topic.
    sizes : sequence of int
        Numbers of groups, in descending order. Each partition refines the next.

    Returns
    -------
    list of arrays of shape (n_topics,)
        Groups numbered from 0.

    Examples
    --------
    >>> counts = sparse.csr_array([[9, 1, 0, 0], [0, 1, 9, 2], [8, 2, 0, 0], [0, 0, 2, 9]])
    >>> [groups.tolist() for groups in merge_topics(counts, [3, 2])]
    [[0, 1, 0, 2], [0, 1, 0, 1]]
    """
    groups = _Groups(counts)
    partitions = []
    for size in sizes:
        while len(groups.alive) > max(size, 1):
            groups.merge_closest()
        partitions.append(np.unique(groups.member_of, return_inverse=True)[1].astype(np.int64))
    return partitions


class _Groups:
    """Groups of topics with their counts, and the loss of merging any two of them.

    A group's words and counts are entries ``begins[group]`` to ``ends[group]`` of two arrays. Merged groups are written
    behind the others; when there is no room left, the entries of groups that are gone are dropped.
    """

    def __init__(self, counts: sparse.csr_array) -> None:
        counts = sparse.csr_array(counts, copy=True)
        counts.sum_duplicates()
        n_topics, n_words = counts.shape
        self.words, self.counts = (np.resize(part, 2 * counts.nnz) for part in (counts.indices, counts.data))
        self.begins, self.ends = counts.indptr[:-1].astype(np.int64), counts.indptr[1:].astype(np.int64)
        self.n_tokens = np.asarray(counts.sum(axis=1), np.int64).ravel()
        self.member_of = np.arange(n_topics)
        self.alive = np.arange(n_topics)
        self._end = counts.nnz
        most = np.arange(int(np.asarray(counts.sum(axis=0)).max(initial=0)) + 1)
        self._xlogx = xlogy(most, most)
        self._row = np.zeros(n_words, np.int64)
        self._loss = np.full((n_topics, n_topics), np.inf)
        for group in range(1, n_topics):
            self._loss[group, :group] = self._losses(group, self.alive[:group])

    def merge_closest(self) -> None:
        """Merge the two groups that lose least into the one with the smaller number."""
        gone, kept = divmod(int(self._loss.argmin()), len(self._loss))
        self._join(kept, gone)
        self.n_tokens[kept] += self.n_tokens[gone]
        self.member_of[self.member_of == gone] = kept
        self.alive = self.alive[self.alive != gone]
        self._loss[gone, :] = self._loss[:, gone] = np.inf
        others = self.alive[self.alive != kept]
        self._loss[np.maximum(kept, others), np.minimum(kept, others)] = self._losses(kept, others)

    def _join(self, kept: int, gone: int) -> None:
        """Write the sum of two groups' counts behind the others."""
        both = [slice(self.begins[group], self.ends[group]) for group in (kept, gone)]
        for part in both:
            self._row[self.words[part]] += self.counts[part]
        words = np.union1d(*(self.words[part] for part in both))
        self.ends[gone] = self.begins[gone]
        self.ends[kept] = self.begins[kept]
        if self._end + len(words) > len(self.words):
            self._drop_unused()
        self.begins[kept], self._end = self._end, self._end + len(words)
        self.ends[kept] = self._end
        here = slice(self.begins[kept], self.ends[kept])
        self.words[here], self.counts[here] = words, self._row[words]
        self._row[words] = 0

    def _drop_unused(self) -> None:
        lengths = self.ends - self.begins
        entries = np.repeat(self.begins - np.append(0, np.cumsum(lengths)[:-1]), lengths) + np.arange(lengths.sum())
        self._end = len(entries)
        self.words[: self._end], self.counts[: self._end] = self.words[entries], self.counts[entries]
        self.ends = np.cumsum(lengths)
        self.begins = self.ends - lengths

    def _losses(self, group: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
        """What merging a group with each of the others loses, in nats times tokens."""
        entries = slice(self.begins[group], self.ends[group])
        words = self.words[entries]
        self._row[words] = self.counts[entries]
        losses = np.empty(len(others))
        shared_losses(self._row, others, self.begins, self.ends, self.words, self.counts, self._xlogx, losses)
        self._row[words] = 0
        n, m = self.n_tokens[group], self.n_tokens[others]
        return np.asarray(losses + xlogy(n + m, n + m) - xlogy(n, n) - xlogy(m, m), np.float64)
