"""Counting topics from the assignments, and making their distributions phi: mean or drawn."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.hardware import add_at, fetch_add, float_bits
from topicgrove.kernels.logarithms import fast_log
from topicgrove.kernels.random import log_gamma_variate, start_stream
from topicgrove.kernels.structures import Documents
from topicgrove.kernels.tree import follow_path


@kernel
def count_tokens(
    first: int,
    last: int,
    docs: Documents,
    parent: NDArray[np.int32],
    target: NDArray[np.int32],
    counts: NDArray[np.int32],
    totals: NDArray[np.int64],
    n_docs: NDArray[np.int64],
    scratch: NDArray[np.int64],
    alone: bool,
) -> None:
    """Add documents first..last to ``counts[v, target[slot]]`` and to the slots' totals and documents.

    Slots whose target is negative are passed over in ``counts`` and ``totals``. Atomically, unless alone. ``scratch``
    has four rows of an entry per level.
    """
    path, column, own, counted = scratch[0], scratch[1], scratch[2], scratch[3]
    n_levels = len(path)
    for d in range(first, last):
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
            fetch_add(n_docs, path[level], 1)
        if not any_counted:
            continue
        words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
        levels = docs.levels[docs.offsets[d] : docs.offsets[d + 1]]
        if alone:
            for n in range(len(words)):
                level = levels[n]
                own[level] += 1
                # Others add nothing to the first word: a branch would be mispredicted.
                counts[words[n] * counted[level], column[level]] += counted[level]
        else:
            for n in range(len(words)):
                level = levels[n]
                own[level] += 1
                if counted[level] == 1:
                    add_at(counts, words[n], column[level], np.int32(1))
        for level in range(n_levels):
            if counted[level] == 1:
                fetch_add(totals, path[level], own[level])


@kernel
def counts_to_log_mean(
    first: int,
    last: int,
    matrix: NDArray[np.float32],
    beta: NDArray[np.float32],
    log_norm: NDArray[np.float32],
) -> None:
    """log phi = log(C + beta) - log(C_t + V beta), in place: the counts are the integers in the float32's bits."""
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
    """log G, G ~ Gamma(C + beta), in place; ``peak`` gets the columns' largest log G of these rows.

    Normalised over a column, G is phi ~ Dir(beta + C). A word has its own stream: draws don't depend on the threads.
    """
    for v in range(first, last):
        start_stream(stream, seed, iteration, np.uint64(v))
        row = matrix[v]
        for j in range(len(row)):
            row[j] = np.float32(log_gamma_variate(stream, float_bits(row[j]) + float(beta[j])))
            peak[j] = max(peak[j], row[j])


@kernel
def sum_exponentials(
    first: int, last: int, matrix: NDArray[np.float32], peak: NDArray[np.float32], sums: NDArray[np.float64]
) -> None:
    """``sums += exp(matrix[first:last] - peak).sum(axis=0)``."""
    for v in range(first, last):
        for j in range(len(peak)):
            sums[j] += math.exp(float(matrix[v, j]) - float(peak[j]))


@kernel
def clear_rows(first: int, last: int, matrix: NDArray[np.float32]) -> None:
    """``matrix[first:last] = 0``."""
    for v in range(first, last):
        for j in range(matrix.shape[1]):
            matrix[v, j] = np.float32(0.0)


@kernel
def subtract_row(first: int, last: int, matrix: NDArray[np.float32], row: NDArray[np.float32]) -> None:
    """``matrix[first:last] -= row``."""
    for v in range(first, last):
        for j in range(len(row)):
            matrix[v, j] -= row[j]


@kernel
def move_columns(
    first: int, last: int, old: NDArray[np.int32], new: NDArray[np.int32], runs: NDArray[np.int64]
) -> None:
    """``new[:, a:a + n] = old[:, b:b + n]`` for the rows first..last and the ``runs`` (a, b, n); zero elsewhere."""
    for v in range(first, last):
        row = new[v]
        for j in range(len(row)):
            row[j] = 0
        for r in range(len(runs)):
            there, here = row[runs[r, 0] :], old[v, runs[r, 1] :]
            for j in range(runs[r, 2]):
                there[j] = here[j]


@kernel
def put_columns(
    first: int, last: int, source: NDArray[np.int32], columns: NDArray[np.int64], counts: NDArray[np.int32]
) -> None:
    """``counts[first:last, columns] = source[first:last]``."""
    for v in range(first, last):
        for j in range(len(columns)):
            counts[v, columns[j]] = source[v, j]


@kernel
def sum_log_rising(
    counts: NDArray[np.int32], level: NDArray[np.int64], table: NDArray[np.float64], beta: NDArray[np.float32]
) -> float:
    """sum_{t, v} log Gamma(C_tv + beta) - log Gamma(beta), with ``table[l, n]`` of it as far as it reaches."""
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
