"""Count topics from the assignments, and compute or draw their distributions phi."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel, part
from topicgrove.kernels.hardware import float_bits
from topicgrove.kernels.logarithms import fast_log
from topicgrove.kernels.random import log_gamma_variate, start_stream
from topicgrove.kernels.structures import Documents
from topicgrove.kernels.tree import follow_path


@part
def first_from(words: NDArray[np.int32], word: int) -> int:
    """Return the first position in sorted words that is not below ``word``."""
    begin, end = np.int64(0), np.int64(len(words))
    while begin < end:
        middle = (begin + end) // 2
        if words[middle] < word:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def count_tokens(
    docs_range: tuple[int, int],
    words_range: tuple[int, int],
    docs: Documents,
    parent: NDArray[np.int32],
    target: NDArray[np.int32],
    counts: NDArray[np.int32],
    totals: NDArray[np.int64],
    n_docs: NDArray[np.int64],
    scratch: NDArray[np.int64],
) -> None:
    """Add a range of words of some documents to ``counts[v, target[slot]]`` and to the slots' totals and documents.

    Slots with a negative target are left out of ``counts`` and ``totals``. Each thread takes a range of words, so no
    two write to the same row. A document is counted in ``n_docs`` with the range that has its first word. ``scratch``
    has four rows with an entry per level.
    """
    path, column, own, counted = scratch[0], scratch[1], scratch[2], scratch[3]
    n_levels = len(path)
    first_word, last_word = words_range
    for d in range(docs_range[0], docs_range[1]):
        leaf = docs.leaf[d]
        if leaf < 0:
            continue
        follow_path(parent, np.int64(leaf), path)
        any_counted = False
        for level in range(n_levels):
            counted[level] = 1 if target[path[level]] >= 0 else 0
            column[level] = max(target[path[level]], 0)
            own[level] = 0
            any_counted |= counted[level] == 1
            if first_word == 0:
                n_docs[path[level]] += 1
        if not any_counted:
            continue
        words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
        levels = docs.levels[docs.offsets[d] : docs.offsets[d + 1]]
        begin = first_from(words, first_word) if first_word > 0 else np.int64(0)
        end = first_from(words, last_word) if last_word < len(counts) else np.int64(len(words))
        for n in range(begin, end):
            level = levels[n]
            own[level] += 1
            # Topics left out add 0 to the first column: a branch would be mispredicted.
            counts[words[n], column[level]] += counted[level]
        for level in range(n_levels):
            if counted[level] == 1:
                totals[path[level]] += own[level]


@kernel
def counts_to_log_mean(
    first: int,
    last: int,
    matrix: NDArray[np.float32],
    beta: NDArray[np.float32],
    log_norm: NDArray[np.float32],
) -> None:
    """Compute log phi = log(C + beta) - log(C_t + V beta), in place; the float32's bits hold integer counts."""
    for v in range(first, last):
        row = matrix[v]
        for j in range(len(row)):
            row[j] = fast_log(np.float32(float_bits(row[j])) + beta[j]) - log_norm[j]


@kernel
def counts_to_log_gamma(
    first: int,
    last: int,
    matrix: NDArray[np.float32],
    beta: NDArray[np.float32],
    seed: np.uint64,
    iteration: np.uint64,
    peak: NDArray[np.float32],
    stream: NDArray[np.uint64],
) -> None:
    """Draw log G, G ~ Gamma(C + beta), in place; ``peak`` gets each column's largest log G in these rows.

    Normalised over a column, G is phi ~ Dir(beta + C). Each word has its own stream, so draws don't depend on the
    threads.
    """
    for v in range(first, last):
        start_stream(stream, seed, iteration, np.uint64(v))
        row = matrix[v]
        for j in range(len(row)):
            row[j] = np.float32(log_gamma_variate(stream, float_bits(row[j]) + float(beta[j])))
            peak[j] = max(peak[j], row[j])


@kernel
def move_columns(
    first: int, last: int, old: NDArray[np.int32], new: NDArray[np.int32], runs: NDArray[np.int64]
) -> None:
    """Set ``new[:, a:a + n] = old[:, b:b + n]`` for rows first..last and each run (a, b, n), and 0 elsewhere."""
    for v in range(first, last):
        row = new[v]
        for j in range(len(row)):
            row[j] = 0
        for r in range(len(runs)):
            there, here = row[runs[r, 0] :], old[v, runs[r, 1] :]
            for j in range(runs[r, 2]):
                there[j] = here[j]


@kernel
def clear_columns(first: int, last: int, columns: NDArray[np.int64], counts: NDArray[np.int32]) -> None:
    """Set ``counts[first:last, columns] = 0``."""
    for v in range(first, last):
        for j in range(len(columns)):
            counts[v, columns[j]] = 0


@kernel
def put_columns(
    first: int, last: int, source: NDArray[np.int32], columns: NDArray[np.int64], counts: NDArray[np.int32]
) -> None:
    """Set ``counts[first:last, columns] = source[first:last]``."""
    for v in range(first, last):
        for j in range(len(columns)):
            counts[v, columns[j]] = source[v, j]


@kernel
def sum_log_rising(
    counts: NDArray[np.int32], level: NDArray[np.int64], table: NDArray[np.float64], beta: NDArray[np.float32]
) -> float:
    """Return sum_{t, v} log Gamma(C_tv + beta) - log Gamma(beta), from ``table[l, n]`` as far as it goes."""
    total = 0.0
    for v in range(counts.shape[0]):
        for j in range(counts.shape[1]):
            n = counts[v, j]
            if n > 0:
                row = level[j]
                if n < table.shape[1]:
                    total += table[row, n]
                else:
                    total += math.lgamma(n + beta[row]) - math.lgamma(beta[row])
    return total
