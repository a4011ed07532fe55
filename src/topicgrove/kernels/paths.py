"""Drawing a document's path c: score every topic, sum the scores down the tree, draw a leaf or a new branch.

p(c_d = c | w, z, c_-d) ~ nCRP(c; gamma, c_-d) prod_l f(d, c_l), with f = f_I for slow topics and f_C for rapid ones.
The root's score is the same for all paths; it is needed only to tell several draws of the levels apart.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import part
from topicgrove.kernels.hardware import prefetch
from topicgrove.kernels.logarithms import LN_2, fast_log
from topicgrove.kernels.structures import LINE, ROOT
from topicgrove.kernels.vectors import (
    add_integers,
    biased_exponents,
    load_floats,
    load_line,
    mantissas,
    store_floats,
)

NEGLIGIBLE = np.float32(40.0)
"""A path whose log weight is this much below the best is never drawn (its odds are below 1e-17)."""

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_BIAS = np.int32(127)
_TWICE_BIAS = np.int32(254)
_NO_EXPONENT = np.int32(0)
_MUCH, _LITTLE = 1e200, 1e-200


@part
def number_rows(words: NDArray[np.int32], row_word: NDArray[np.int32], row_of: NDArray[np.int32]) -> int:
    """Number a document's distinct words: which word a row is, and which row a token; returns how many there are."""
    n_rows = 0
    before = np.int32(-1)
    for n in range(len(words)):
        n_rows += 1 if words[n] != before else 0
        before = words[n]
        row_word[n_rows - 1] = before
        row_of[n] = n_rows - 1
    return n_rows


@part
def count_rows(levels: NDArray[np.uint8], row_of: NDArray[np.int32], n_rows: int, own: NDArray[np.float32]) -> None:
    """How often each distinct word is on each level, into ``own[row, level]``."""
    for row in range(n_rows):
        for level in range(own.shape[1]):
            own[row, level] = _ZERO
    for n in range(len(levels)):
        own[row_of[n], levels[n]] += _ONE


@part
def list_by_level(
    row_word: NDArray[np.int32],
    n_rows: int,
    own: NDArray[np.float32],
    first_level: int,
    start: NDArray[np.int64],
    words: NDArray[np.int32],
    times: NDArray[np.float32],
    bucket: NDArray[np.int32],
    offset: NDArray[np.float32],
) -> None:
    """List the words of each level l from ``first_level`` on, in two ways.

    ``words[start[2l]:...]`` has every word once, and ``times`` how often it is there; ``bucket[start[2l + 1]:...]`` has
    every token, repeats next to each other, and ``offset`` how often its word came before. Both end where those of
    the next level begin.
    """
    n_distinct, n_tokens = np.int64(0), np.int64(0)
    for level in range(own.shape[1]):
        start[2 * level], start[2 * level + 1] = n_distinct, n_tokens
        if level < first_level:
            continue
        for row in range(n_rows):
            # Written in any case and kept if the word is there: a branch would be mispredicted.
            words[n_distinct] = row_word[row]
            times[n_distinct] = own[row, level]
            n_distinct += 1 if own[row, level] > _ZERO else 0
        for n in range(start[2 * level], n_distinct):
            bucket[n_tokens] = words[n]
            offset[n_tokens] = _ZERO
            n_tokens += 1
            for k in range(1, np.int64(times[n])):
                bucket[n_tokens] = words[n]
                offset[n_tokens] = np.float32(k)
                n_tokens += 1
    start[2 * own.shape[1]], start[2 * own.shape[1] + 1] = n_distinct, n_tokens


@part
def add_rows(
    matrix: NDArray[np.float32],
    rows: NDArray[np.int32],
    times: NDArray[np.float32],
    begin: int,
    end: int,
    first: int,
    last: int,
    score: NDArray[np.float32],
) -> None:
    """log f_I = sum_v C^d_tv log phi_tv: ``score[first:last] = times @ matrix[rows, first:last]``.

    Eight rows at a time, so that the sums are loaded and stored less often; the next eight are fetched meanwhile.
    """
    for j in range(first, last):
        score[j] = _ZERO
    i = begin
    while i + 8 <= end:
        following = min(i + 8, end - 8)
        r0, r1, r2, r3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        r4, r5, r6, r7 = rows[i + 4], rows[i + 5], rows[i + 6], rows[i + 7]
        t0, t1, t2, t3 = times[i], times[i + 1], times[i + 2], times[i + 3]
        t4, t5, t6, t7 = times[i + 4], times[i + 5], times[i + 6], times[i + 7]
        for j in range(first, last, LINE):
            for n in range(following, following + 8):
                prefetch(matrix, rows[n], j)
            w = load_line(matrix, r0, j) * t0 + load_line(matrix, r1, j) * t1
            x = load_line(matrix, r2, j) * t2 + load_line(matrix, r3, j) * t3
            y = load_line(matrix, r4, j) * t4 + load_line(matrix, r5, j) * t5
            z = load_line(matrix, r6, j) * t6 + load_line(matrix, r7, j) * t7
            store_floats(score, j, load_floats(score, j) + ((w + x) + (y + z)))
        i += 8
    while i < end:
        for j in range(first, last, LINE):
            store_floats(score, j, load_floats(score, j) + load_line(matrix, rows[i], j) * times[i])
        i += 1


@part
def multiply_rows(
    matrix: NDArray[np.int32],
    rows: NDArray[np.int32],
    offsets: NDArray[np.float32],
    begin: int,
    end: int,
    first: int,
    last: int,
    beta: np.float32,
    mantissa: NDArray[np.float32],
    exponent: NDArray[np.int32],
) -> None:
    """prod_n (C_tv + o + beta) of each topic as mantissa x 2^exponent: four factors, then the exponent is split off.

    Factors lie between 1e-9 (the least beta) and 2^31, so four of them and a mantissa stay inside float32.
    """
    for j in range(last - first):
        mantissa[j] = _ONE
        exponent[j] = _NO_EXPONENT
    i = begin
    while i + 8 <= end:
        following = min(i + 8, end - 8)
        r0, r1, r2, r3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        r4, r5, r6, r7 = rows[i + 4], rows[i + 5], rows[i + 6], rows[i + 7]
        b0, b1, b2, b3 = offsets[i] + beta, offsets[i + 1] + beta, offsets[i + 2] + beta, offsets[i + 3] + beta
        b4, b5, b6, b7 = offsets[i + 4] + beta, offsets[i + 5] + beta, offsets[i + 6] + beta, offsets[i + 7] + beta
        for j in range(first, last, LINE):
            for n in range(following, following + 8):
                prefetch(matrix, rows[n], j)
            x = (load_line(matrix, r0, j) + b0) * (load_line(matrix, r1, j) + b1)
            y = (load_line(matrix, r2, j) + b2) * (load_line(matrix, r3, j) + b3)
            half = load_floats(mantissa, j - first) * (x * y)
            x = (load_line(matrix, r4, j) + b4) * (load_line(matrix, r5, j) + b5)
            y = (load_line(matrix, r6, j) + b6) * (load_line(matrix, r7, j) + b7)
            product = mantissas(half) * (x * y)
            store_floats(mantissa, j - first, mantissas(product))
            add_integers(exponent, j - first, biased_exponents(half) + biased_exponents(product) - _TWICE_BIAS)
        i += 8
    while i < end:
        b = offsets[i] + beta
        for j in range(first, last, LINE):
            product = load_floats(mantissa, j - first) * (load_line(matrix, rows[i], j) + b)
            store_floats(mantissa, j - first, mantissas(product))
            add_integers(exponent, j - first, biased_exponents(product) - _BIAS)
        i += 1


@part
def log_rising(table: NDArray[np.float64], base: float, start: int, n: int) -> float:
    """sum_{i<n} log(base + start + i), from ``table[k] = sum_{i<k} log(base + i)`` as far as it reaches."""
    if start + n < len(table):
        return table[start + n] - table[start]
    return math.lgamma(base + start + n) - math.lgamma(base + start)


@part
def finish_rapid(
    mantissa: NDArray[np.float32],
    exponent: NDArray[np.int32],
    totals: NDArray[np.int32],
    table: NDArray[np.float64],
    base: float,
    n_tokens: int,
    first: int,
    last: int,
    out: NDArray[np.float32],
) -> None:
    """log f_C = log prod_n (C_tv + o + beta) + h_t, h_t = log Gamma(C_t + V beta) - log Gamma(C_t + n + V beta).

    -h_t = sum_{i<n} log(y + d_i) around y = C_t + V beta + (n - 1) / 2: where n is small beside V beta, three terms of
    the series in d_i / y are as good as float32 gets, and they vectorise.
    """
    for j in range(last - first):
        out[j] = np.float32(exponent[j]) * LN_2 + fast_log(mantissa[j])
    if n_tokens == 0:
        return  # h_t is 0, and the series has a pole at V beta = .5
    if n_tokens > 0.25 * base:
        for j in range(last - first):
            out[j] -= np.float32(log_rising(table, base, totals[first + j], n_tokens))
        return
    n = float(n_tokens)
    times, middle = np.float32(n), np.float32(base + 0.5 * (n - 1.0))
    second = np.float32(n * (n * n - 1.0) / 24.0)
    fourth = np.float32(n * (n * n - 1.0) * (3.0 * n * n - 7.0) / 960.0)
    for j in range(last - first):
        y = np.float32(totals[first + j]) + middle
        inverse = _ONE / (y * y)
        out[j] -= times * fast_log(y) - inverse * (second + inverse * fourth)


@part
def score_new(
    count: NDArray[np.float32],
    begin: int,
    end: int,
    n_tokens: int,
    word_table: NDArray[np.float64],
    beta: float,
    total_table: NDArray[np.float64],
    base: float,
) -> float:
    """log f_C of a topic that has no tokens yet; ``count[begin:end]`` are the document's counts of distinct words."""
    nothing = np.int32(0)
    score = -log_rising(total_table, base, nothing, n_tokens)
    for row in range(begin, end):
        score += log_rising(word_table, np.float64(beta), nothing, np.int64(count[row]))
    return score


@part
def list_left(
    n_rows: int, own: NDArray[np.float32], counted: NDArray[np.float32], level: int, left: NDArray[np.float32]
) -> int:
    """How often the word of each token of a level came before, less what is ``counted`` of it; returns their sum."""
    n, n_counted = np.int64(0), np.int64(0)
    for row in range(n_rows):
        left[n] = -counted[row, level]
        n_counted += np.int64(counted[row, level])
        n += 1 if own[row, level] > _ZERO else 0
        for _ in range(1, np.int64(own[row, level])):
            left[n] = left[n - 1] + _ONE
            n += 1
    return n_counted


@part
def score_own(
    matrix: NDArray[np.int32],
    rows: NDArray[np.int32],
    offsets: NDArray[np.float32],
    sign: float,
    column: int,
    base: float,
) -> float:
    """log prod_n (C_tv + sign o + base) of one topic."""
    score, product = 0.0, 1.0
    i = 0
    while i + 4 <= len(rows):
        w = np.float64(matrix[rows[i], column]) + (base + sign * offsets[i])
        x = np.float64(matrix[rows[i + 1], column]) + (base + sign * offsets[i + 1])
        y = np.float64(matrix[rows[i + 2], column]) + (base + sign * offsets[i + 2])
        z = np.float64(matrix[rows[i + 3], column]) + (base + sign * offsets[i + 3])
        product *= (w * x) * (y * z)
        if product > _MUCH or product < _LITTLE:
            score += math.log(product)
            product = 1.0
        i += 4
    while i < len(rows):
        product *= np.float64(matrix[rows[i], column]) + (base + sign * offsets[i])
        i += 1
    return score + math.log(product)


@part
def log_of_others(n_docs: int, gamma: float, is_leaf: bool) -> float:
    """What a topic's log m - log(gamma + m), without the latter for a leaf, changes by if one document is left out."""
    others = n_docs - 1
    if others <= 0:
        return -math.inf
    change = math.log(others / n_docs)
    return change if is_leaf else change - math.log((others + gamma) / (n_docs + gamma))


@part
def score_root(
    bucket: NDArray[np.int32],
    offset: NDArray[np.float32],
    end: int,
    log_phi: NDArray[np.float32],
    counts: NDArray[np.int32],
    beta: float,
    log_total: float,
) -> float:
    """log f(d, root); ``log_total`` is what the tokens add to log Gamma(C_t + V beta) if the root is rapid."""
    score = 0.0
    if log_phi.shape[1] > 0:
        for n in range(end):
            score += log_phi[bucket[n], ROOT]
        return score
    for n in range(end):
        score += math.log(counts[bucket[n], ROOT] + offset[n] + beta)
    return score - log_total


@part
def sum_down(
    score: NDArray[np.float32],
    log_docs: NDArray[np.float32],
    log_visits: NDArray[np.float32],
    parent: NDArray[np.int32],
    first: int,
    last: int,
    branch: np.float32,
    step: NDArray[np.float32],
    candidate: NDArray[np.float32],
) -> None:
    """Internal topics: log weight to pass through a topic, into ``step``; with a new branch, ``candidate``."""
    for slot in range(first, last):
        passing = score[slot] + log_docs[slot] + step[parent[slot]] - log_visits[slot]
        step[slot] = passing
        candidate[slot] = passing + branch


@part
def sum_leaves(
    score: NDArray[np.float32],
    log_docs: NDArray[np.float32],
    parent: NDArray[np.int32],
    first: int,
    last: int,
    step: NDArray[np.float32],
    candidate: NDArray[np.float32],
) -> None:
    """Leaves: the log weight of their paths, into ``candidate``."""
    for slot in range(first, last):
        candidate[slot] = score[slot] + log_docs[slot] + step[parent[slot]]


@part
def draw_candidate(
    candidate: NDArray[np.float32],
    ranges: NDArray[np.int64],
    n_samples: int,
    chosen: NDArray[np.int64],
    weight: NDArray[np.float64],
    uniform: float,
) -> int:
    """Draw by weight among the slots in ``ranges`` and the samples of the levels; returns sample x n_slots + slot."""
    n_slots = candidate.shape[1]
    best = candidate[0, ROOT]
    for sample in range(n_samples):
        row = candidate[sample]
        for r in range(len(ranges)):
            for slot in range(ranges[r, 0], ranges[r, 1]):
                best = max(best, row[slot])
    least = best - NEGLIGIBLE
    total = 0.0
    n = 0
    for sample in range(n_samples):
        row = candidate[sample]
        for r in range(len(ranges)):
            for slot in range(ranges[r, 0], ranges[r, 1]):
                if row[slot] > least:
                    total += math.exp(float(row[slot]) - float(best))
                    weight[n] = total
                    chosen[n] = sample * n_slots + slot
                    n += 1
    i = 0
    while i < n - 1 and weight[i] <= uniform * total:
        i += 1
    return chosen[i]
