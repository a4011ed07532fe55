"""log f(d, t): how well a topic explains the tokens that a document has on the topic's level.

slow topics      log f_I = sum_v C^d_tv log phi_tv
rapid topics     log f_C = log B(C_t + C^d_t + beta) - log B(C_t + beta), C_t without the document
a new topic      log f_C with C_t = 0
own topics       their counts hold the document: scored one by one, with its tokens left out
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import inlined, part
from topicgrove.kernels.document_words import list_uncounted_repeats
from topicgrove.kernels.hardware import prefetch
from topicgrove.kernels.logarithms import LN_2, fast_log
from topicgrove.kernels.structures import LINE, ROOT, Prior, TopicWords, Workspace
from topicgrove.kernels.vectors import (
    add_integers,
    biased_exponents,
    load_floats,
    load_line,
    mantissas,
    store_floats,
)

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_BIAS = np.int32(127)
_TWICE_BIAS = np.int32(254)
_NO_EXPONENT = np.int32(0)
_MUCH, _LITTLE = 1e200, 1e-200


@part
def log_rising(table: NDArray[np.float64], base: float, start: int, n: int) -> float:
    """Return sum_{i<n} log(base + start + i), from ``table[k] = sum_{i<k} log(base + i)`` as far as it goes."""
    if start + n < len(table):
        return table[start + n] - table[start]
    return math.lgamma(base + start + n) - math.lgamma(base + start)


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
    """Compute log f_I = sum_v C^d_tv log phi_tv: ``score[first:last] = times @ matrix[rows, first:last]``.

    Takes eight rows at a time, so that the sums are loaded and stored less often, and fetches the next eight.
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
    repeat: NDArray[np.float32],
    begin: int,
    end: int,
    first: int,
    last: int,
    beta: np.float32,
    mantissa: NDArray[np.float32],
    exponent: NDArray[np.int32],
) -> None:
    """Compute prod_n (C_tv + o + beta) of each topic, o being ``repeat``, as mantissa x 2^exponent.

    Multiplies four factors, then splits the exponent off. Factors lie between 1e-9 (the least beta) and 2^31, so four
    of them and a mantissa stay inside float32.
    """
    for j in range(last - first):
        mantissa[j] = _ONE
        exponent[j] = _NO_EXPONENT
    i = begin
    while i + 8 <= end:
        following = min(i + 8, end - 8)
        r0, r1, r2, r3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        r4, r5, r6, r7 = rows[i + 4], rows[i + 5], rows[i + 6], rows[i + 7]
        b0, b1, b2, b3 = repeat[i] + beta, repeat[i + 1] + beta, repeat[i + 2] + beta, repeat[i + 3] + beta
        b4, b5, b6, b7 = repeat[i + 4] + beta, repeat[i + 5] + beta, repeat[i + 6] + beta, repeat[i + 7] + beta
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
        b = repeat[i] + beta
        for j in range(first, last, LINE):
            product = load_floats(mantissa, j - first) * (load_line(matrix, rows[i], j) + b)
            store_floats(mantissa, j - first, mantissas(product))
            add_integers(exponent, j - first, biased_exponents(product) - _BIAS)
        i += 1


@part
def divide_by_totals(
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
    """Compute log f_C = log prod_n (C_tv + o + beta) + h_t,

    h_t = log Gamma(C_t + V beta) - log Gamma(C_t + n + V beta).

    -h_t = sum_{i<n} log(y + d_i) around y = C_t + V beta + (n - 1) / 2. If n is small compared with V beta, three terms
    of the series in d_i / y reach the precision of float32, and they vectorise.
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
    """Compute log f_C of a topic without tokens; ``count[begin:end]`` has the document's counts of distinct words."""
    nothing = np.int32(0)
    score = -log_rising(total_table, base, nothing, n_tokens)
    for row in range(begin, end):
        score += log_rising(word_table, np.float64(beta), nothing, np.int64(count[row]))
    return score


@inlined
def score_level(words: TopicWords, prior: Prior, work: Workspace, level: int) -> None:
    """Compute log f(d, t) of all topics of a level, and of a new one."""
    listed, paths, n_slow = work.by_level, work.paths, words.log_phi.shape[1]
    begin, end = listed.start[2 * level], listed.start[2 * level + 2]
    begin_token, end_token = listed.start[2 * level + 1], listed.start[2 * level + 3]
    n_tokens = end_token - begin_token
    first, last = paths.ranges[2 * level, 0], paths.ranges[2 * level, 1]
    if last > first:
        add_rows(words.log_phi, listed.words, listed.times, begin, end, first, last, paths.score)
    slot, last = paths.ranges[2 * level + 1, 0], paths.ranges[2 * level + 1, 1] - n_slow
    first = slot - n_slow
    beta, table, base = prior.beta[level], prior.log_rising_total[level], prior.beta_sum[level]
    mantissa, exponent = paths.mantissa, paths.exponent
    if last > first:
        multiply_rows(
            words.rapid, listed.tokens, listed.repeat, begin_token, end_token, first, last, beta, mantissa, exponent
        )
        out = paths.score[slot:]
        divide_by_totals(mantissa, exponent, words.totals, table, base, n_tokens, first, last, out)
    new = score_new(listed.times, begin, end, n_tokens, prior.log_rising_word[level], beta, table, base)
    paths.new[level] = paths.new[level + 1] + new


@part
def score_root(
    tokens: NDArray[np.int32],
    repeat: NDArray[np.float32],
    end: int,
    log_phi: NDArray[np.float32],
    counts: NDArray[np.int32],
    beta: float,
    log_total: float,
) -> float:
    """Return log f(d, root); ``log_total`` is what the tokens add to log Gamma(C_t + V beta) if the root is rapid."""
    score = 0.0
    if log_phi.shape[1] > 0:
        for n in range(end):
            score += log_phi[tokens[n], ROOT]
        return score
    for n in range(end):
        score += math.log(counts[tokens[n], ROOT] + repeat[n] + beta)
    return score - log_total


@inlined
def score_root_topic(words: TopicWords, prior: Prior, work: Workspace) -> None:
    """Compute log f(d, root)."""
    listed = work.by_level
    log_total = 0.0
    if words.log_phi.shape[1] == 0:
        log_total = log_rising(prior.log_rising_total[0], prior.beta_sum[0], words.totals[ROOT], listed.start[3])
    work.paths.score[ROOT] = score_root(
        listed.tokens, listed.repeat, listed.start[3], words.log_phi, words.rapid, prior.beta[0], log_total
    )


@part
def score_one(
    matrix: NDArray[np.int32],
    rows: NDArray[np.int32],
    repeat: NDArray[np.float32],
    sign: float,
    column: int,
    base: float,
) -> float:
    """Return log prod_n (C_tv + sign o + base) of one topic."""
    score, product = 0.0, 1.0
    i = 0
    while i + 4 <= len(rows):
        w = np.float64(matrix[rows[i], column]) + (base + sign * repeat[i])
        x = np.float64(matrix[rows[i + 1], column]) + (base + sign * repeat[i + 1])
        y = np.float64(matrix[rows[i + 2], column]) + (base + sign * repeat[i + 2])
        z = np.float64(matrix[rows[i + 3], column]) + (base + sign * repeat[i + 3])
        product *= (w * x) * (y * z)
        if product > _MUCH or product < _LITTLE:
            score += math.log(product)
            product = 1.0
        i += 4
    while i < len(rows):
        product *= np.float64(matrix[rows[i], column]) + (base + sign * repeat[i])
        i += 1
    return score + math.log(product)


@inlined
def score_own_topics(words: TopicWords, prior: Prior, work: Workspace, first_level: int, fresh: bool) -> None:
    """Compute log f(d, t) of the rapid topics on ``work.path`` as if their counts did not hold the document.

    For freshly drawn levels, a word's tokens have the factors C - counted + o + beta. Otherwise the topic has counted
    exactly the k tokens on the level. Their factors go from C - k + beta to C - 1 + beta: C - 1 - o + beta, in reverse
    order.
    """
    path, listed, document = work.path, work.by_level, work.document
    for level in range(first_level, len(path)):
        slot, column = path[level], path[level] - words.log_phi.shape[1]
        if column >= 0:
            begin, end = listed.start[2 * level + 1], listed.start[2 * level + 3]
            tokens, beta = listed.tokens[begin:end], np.float64(prior.beta[level])
            if fresh:
                n_counted = list_uncounted_repeats(
                    document.n_rows[0], document.drawn, document.counted, level, listed.left
                )
                log_words = score_one(words.rapid, tokens, listed.left, 1.0, column, beta)
            else:
                n_counted = end - begin
                log_words = score_one(words.rapid, tokens, listed.repeat[begin:end], -1.0, column, beta - 1.0)
            table, base = prior.log_rising_total[level], prior.beta_sum[level]
            log_total = log_rising(table, base, words.totals[column] - n_counted, end - begin)
            work.paths.score[slot] = log_words - log_total
