"""Counting topics and making their distributions, against NumPy."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.special import gammaln

from topicgrove.kernels.logarithms import log_rising_table
from topicgrove.kernels.structures import Documents
from topicgrove.kernels.topics import (
    clear_columns,
    count_tokens,
    counts_to_log_gamma,
    counts_to_log_mean,
    move_columns,
    put_columns,
    sum_log_rising,
)

# A root (slot 0) with children 1 and 2, and leaves 3, 4 below 1 and 5 below 2; 6 is unused.
PARENT = np.array([0, 0, 0, 1, 1, 2, 0], np.int32)
PATHS = {3: [0, 1, 3], 4: [0, 1, 4], 5: [0, 2, 5]}


def make_documents(rng: np.random.Generator, n_docs: int, n_words: int) -> Documents:
    lengths = rng.integers(0, 60, n_docs)
    return Documents(
        words=np.concatenate([np.sort(rng.integers(0, n_words, n)) for n in lengths]).astype(np.int32),
        offsets=np.append(0, np.cumsum(lengths)),
        levels=rng.integers(0, 3, lengths.sum()).astype(np.uint8),
        leaf=rng.choice([3, 4, 5, -1], n_docs, p=[0.4, 0.3, 0.2, 0.1]).astype(np.int32),
        key=np.arange(n_docs, dtype=np.uint64),
    )


def test_count_tokens_counts_chosen_topics_and_all_documents(rng: np.random.Generator) -> None:
    docs = make_documents(rng, 40, 25)
    target = np.array([2, -1, 0, 4, -1, 1, -1], np.int32)
    counts, totals, n_docs = np.zeros((25, 5), np.int32), np.zeros(7, np.int64), np.zeros(7, np.int64)
    scratch = np.zeros((4, 3), np.int64)
    count_tokens((5, 35), (0, 25), docs, PARENT, target, counts, totals, n_docs, scratch)

    true_counts, true_totals, true_docs = np.zeros((25, 5), int), np.zeros(7, int), np.zeros(7, int)
    for d in range(5, 35):
        if docs.leaf[d] < 0:
            continue
        slots = PATHS[int(docs.leaf[d])]
        true_docs[slots] += 1
        for n in range(docs.offsets[d], docs.offsets[d + 1]):
            slot = slots[docs.levels[n]]
            if target[slot] >= 0:
                true_counts[docs.words[n], target[slot]] += 1
                true_totals[slot] += 1
    assert true_totals.sum() > 100
    assert_array_equal(counts, true_counts)
    assert_array_equal(totals, true_totals)
    assert_array_equal(n_docs, true_docs)


@pytest.mark.parametrize("target", [np.arange(7), np.array([3, -1, 0, -1, 4, 1, -1])], ids=["all", "some"])
def test_counting_in_parts_is_counting_at_once(rng: np.random.Generator, target: NDArray[np.int64]) -> None:
    docs = make_documents(rng, 30, 25)
    results = []
    for doc_bounds, word_bounds in (([0, 30], [0, 25]), ([0, 7, 8, 30], [0, 25]), ([0, 4, 30], [0, 1, 2, 11, 24, 25])):
        counts, totals, n_docs = np.zeros((25, 7), np.int32), np.zeros(7, np.int64), np.zeros(7, np.int64)
        scratch = np.zeros((4, 3), np.int64)
        for part in itertools.pairwise(doc_bounds):
            for words in itertools.pairwise(word_bounds):
                count_tokens(part, words, docs, PARENT, target.astype(np.int32), counts, totals, n_docs, scratch)
        results.append((counts, totals, n_docs))
    for other in results[1:]:
        for array, same in zip(results[0], other, strict=True):
            assert_array_equal(array, same)


def test_a_part_writes_to_no_other_words(rng: np.random.Generator) -> None:
    docs = make_documents(rng, 30, 25)
    target = np.array([2, -1, 0, -1, 4, 1, -1], np.int32)
    counts, (totals, n_docs) = np.zeros((25, 5), np.int32), np.zeros((2, 7), np.int64)
    count_tokens((0, 30), (7, 19), docs, PARENT, target, counts, totals, n_docs, np.zeros((4, 3), np.int64))
    assert not counts[:7].any()
    assert not counts[19:].any()
    assert counts[7:19].sum() == totals.sum() > 50
    assert not n_docs.any()


def as_bits(counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Counts as kernels find them: integers in the bits of a float32 matrix."""
    return counts.astype(np.int32).view(np.float32)


@pytest.mark.parametrize("beta", [1e-9, 0.01, 1.0])
def test_log_mean_is_that_of_the_dirichlet_posterior(rng: np.random.Generator, beta: float) -> None:
    counts = rng.poisson(rng.gamma(0.2, 20.0, (50, 1)), (50, 6))
    counts[0] = [0, 1, 2, 100, 10**6, 2**31 - 1]
    betas = np.full(6, beta, np.float32) * np.arange(1, 7, dtype=np.float32)
    norm = counts.sum(axis=0) + 50 * betas.astype(np.float64)
    matrix = as_bits(counts)
    counts_to_log_mean(10, 30, matrix, betas, np.log(norm).astype(np.float32))
    counts_to_log_mean(0, 10, matrix, betas, np.log(norm).astype(np.float32))
    exact = np.log((counts + betas.astype(np.float64)) / norm)
    assert_allclose(matrix[:30], exact[:30], rtol=1e-5, atol=2e-6)
    assert_array_equal(matrix[30:].view(np.int32), counts[30:])


def draw_phi(counts: NDArray[np.int64], beta: NDArray[np.float32], iteration: int) -> NDArray[np.float64]:
    """phi of every column by the kernel and a division; words in two parts, as two threads would."""
    matrix, stream = as_bits(counts), np.zeros(2, np.uint64)
    peak = np.full(counts.shape[1], -np.inf, np.float32)
    parts = ((0, 3), (3, len(counts)))
    for first, last in parts:
        counts_to_log_gamma(first, last, matrix, beta, np.uint64(5), np.uint64(iteration), peak, stream)
    assert_array_equal(peak, matrix.max(axis=0))
    variates = np.exp(matrix.astype(np.float64) - peak)
    return variates / variates.sum(axis=0)


def test_drawn_phi_has_the_moments_of_a_dirichlet_distribution(n_draws: int) -> None:
    counts = np.array([[0, 0], [0, 1], [3, 2], [10, 0], [0, 40], [1, 0]])
    beta = np.array([0.05, 0.5], np.float32)
    n = n_draws // 10
    draws = np.array([draw_phi(counts, beta, iteration) for iteration in range(n)])
    assert_allclose(draws.sum(axis=1), 1, rtol=1e-5)
    shape = counts + beta.astype(np.float64)
    total = shape.sum(axis=0)
    mean = shape / total
    variance = mean * (1 - mean) / (total + 1)
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(variance / n)).all()
    assert_allclose(draws.var(axis=0), variance, rtol=0.25 if n > 1_000 else 0.9, atol=1e-4)
    covariance = np.mean((draws[:, 2] - mean[2]) * (draws[:, 3] - mean[3]), axis=0)[0]
    assert covariance == pytest.approx(-mean[2, 0] * mean[3, 0] / (total[0] + 1), rel=0.2 if n > 1_000 else 0.5)


def test_drawn_phi_with_a_tiny_beta_is_a_distribution() -> None:
    counts = np.zeros((6, 3), int)
    counts[2, 0] = 5
    phi = draw_phi(counts, np.full(3, 1e-6, np.float32), 0)
    assert_allclose(phi.sum(axis=0), 1, rtol=1e-4)


def test_a_words_draw_does_not_depend_on_where_the_parts_begin() -> None:
    counts = np.arange(12).reshape(6, 2)
    beta = np.full(2, 0.1, np.float32)
    results = []
    for bounds in ([0, 6], [0, 1, 5, 6]):
        matrix, stream = as_bits(counts), np.zeros(2, np.uint64)
        for first, last in reversed(list(itertools.pairwise(bounds))):
            counts_to_log_gamma(first, last, matrix, beta, np.uint64(5), np.uint64(0), np.zeros(2, np.float32), stream)
        results.append(matrix)
    assert_array_equal(*results)


def test_move_columns_moves_runs_and_clears_the_rest(rng: np.random.Generator) -> None:
    old = rng.integers(1, 9, (6, 5)).astype(np.int32)
    new = np.full((6, 5), -3, np.int32)
    move_columns(1, 5, old, new, np.array([[0, 3, 2], [4, 0, 1]]))
    nothing = np.zeros((4, 2), int)
    assert_array_equal(new[1:5], np.concatenate([old[1:5, 3:5], nothing, old[1:5, :1]], axis=1))
    assert (new[[0, 5]] == -3).all()


@pytest.mark.parametrize("table_size", [2, 10, 1_000])
def test_sum_log_rising_equals_gamma_functions_inside_and_beyond_the_table(
    rng: np.random.Generator, table_size: int
) -> None:
    counts = rng.poisson(rng.gamma(0.2, 20.0, (40, 1)), (40, 6)).astype(np.int32)
    counts[0, 0], counts[1, :2] = 10**6, [table_size - 1, table_size]
    level, beta = np.array([0, 1, 1, 2, 2, 2]), np.array([1.0, 0.5, 0.25], np.float32)
    table = log_rising_table(beta.astype(np.float64), table_size)
    per_topic = beta[level].astype(np.float64)
    exact = (gammaln(counts + per_topic) - gammaln(per_topic)).sum()
    assert sum_log_rising(counts, level, table, beta) == pytest.approx(exact, rel=1e-9)


def test_put_columns_writes_the_chosen_rows_and_columns_only(rng: np.random.Generator) -> None:
    source, counts = rng.integers(0, 9, (6, 2)).astype(np.int32), np.full((6, 4), 7, np.uint16)
    put_columns(1, 5, source, np.array([3, 0]), counts)
    expected = np.full((6, 4), 7)
    expected[1:5, [3, 0]] = source[1:5]
    assert_array_equal(counts, expected)


def test_clear_columns_clears_the_chosen_rows_and_columns_only() -> None:
    counts = np.full((6, 4), 7, np.uint16)
    clear_columns(1, 5, np.array([3, 0]), counts)
    expected = np.full((6, 4), 7)
    expected[1:5, [3, 0]] = 0
    assert_array_equal(counts, expected)
