"""Scores of topics and paths against NumPy and SciPy in double precision, and the draw of a path by chi-square."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln

from topicgrove.kernels.document_words import count_by_level, list_by_level, list_distinct, list_uncounted_repeats
from topicgrove.kernels.logarithms import log_rising_table
from topicgrove.kernels.paths import draw_candidate, log_of_others, sum_down, sum_leaves
from topicgrove.kernels.scores import (
    add_rows,
    divide_by_totals,
    log_rising,
    multiply_rows,
    score_new,
    score_one,
    score_root,
)
from topicgrove.kernels.structures import LINE
from topicgrove.prior import TOTAL_TABLE, WORD_TABLE

TABLE_END = TOTAL_TABLE
UNLIKELY = 1e-4
NO_PHI = np.zeros((1, 0), np.float32)


def table_of(base: float, size: int = TOTAL_TABLE) -> NDArray[np.float64]:
    return log_rising_table(np.array([base]), size)[0]


class TestDocumentWords:
    """A document's distinct words, their places and its tokens by level."""

    @pytest.fixture(params=[1, 2, 30, 400])
    def document(
        self, request: pytest.FixtureRequest, rng: np.random.Generator
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        words = np.sort(rng.integers(0, 40, request.param)).astype(np.int32)
        return words, rng.integers(0, 4, request.param).astype(np.uint8)

    def test_rows_are_distinct_words_counted_by_level(
        self, document: tuple[NDArray[np.int32], NDArray[np.uint8]]
    ) -> None:
        words, levels = document
        n = len(words)
        row_word, row_of = np.full(n, -7, np.int32), np.full(n, -7, np.int32)
        own = np.full((n, 4), 9, np.float32)
        n_rows = list_distinct(words, row_word, row_of)
        count_by_level(levels, row_of, n_rows, own)
        distinct, inverse = np.unique(words, return_inverse=True)
        assert n_rows == len(distinct)
        assert_array_equal(row_word[:n_rows], distinct)
        assert_array_equal(row_of, inverse)
        counts = np.zeros((n_rows, 4))
        np.add.at(counts, (inverse, levels), 1)
        assert_array_equal(own[:n_rows], counts)

    def test_an_empty_document_has_no_rows(self) -> None:
        words = np.zeros(0, np.int32)
        assert list_distinct(words, words, words) == 0

    @pytest.mark.parametrize("first_level", [0, 1])
    def test_list_by_level_has_every_word_once_and_every_token_beside_its_like(
        self, document: tuple[NDArray[np.int32], NDArray[np.uint8]], first_level: int
    ) -> None:
        words, levels = document
        n = len(words)
        row_word, row_of = np.zeros((2, n), np.int32)
        own = np.zeros((n, 4), np.float32)
        n_rows = list_distinct(words, row_word, row_of)
        count_by_level(levels, row_of, n_rows, own)
        start, listed, bucket = np.full(10, -1), np.zeros(n + 1, np.int32), np.zeros(n, np.int32)
        times, offset = np.zeros(n + 1, np.float32), np.zeros(n, np.float32)
        list_by_level(row_word, n_rows, own, first_level, start, listed, times, bucket, offset)
        assert start[9] == (levels >= first_level).sum()
        for level in range(4):
            once = slice(start[2 * level], start[2 * level + 2])
            tokens = slice(start[2 * level + 1], start[2 * level + 3])
            wanted = words[levels == level] if level >= first_level else words[:0]
            here, counts = np.unique(wanted, return_counts=True)
            assert_array_equal(listed[once], here)
            assert_array_equal(times[once], counts)
            assert_array_equal(bucket[tokens], wanted)
            assert_array_equal(offset[tokens], [k for count in counts for k in range(count)])


class TestSlowScores:
    @pytest.mark.parametrize("n_rows", [0, 1, 7, 8, 9, 16, 37, 200])
    @pytest.mark.parametrize(("first", "last"), [(0, 48), (16, 32), (16, 48)])
    def test_add_rows_is_a_product_with_the_counts(
        self, rng: np.random.Generator, n_rows: int, first: int, last: int
    ) -> None:
        matrix = np.log(rng.dirichlet(np.full(300, 0.1), 48).T + 1e-12).astype(np.float32, order="C")
        rows = rng.integers(0, 300, n_rows + 5).astype(np.int32)
        times = rng.integers(1, 9, n_rows + 5).astype(np.float32)
        score = np.full(48, 5, np.float32)
        add_rows(matrix, rows, times, 3, 3 + n_rows, first, last, score)
        used = slice(3, 3 + n_rows)
        exact = times[used].astype(np.float64) @ matrix[rows[used]].astype(np.float64)
        assert_allclose(score[first:last], exact[first:last], rtol=1e-5)
        outside = np.ones(48, bool)
        outside[first:last] = False
        assert (score[outside] == 5).all()


def log_f_collapsed(
    counts: NDArray[np.int64], totals: NDArray[np.int64], words: NDArray[np.int64], beta: float, n_words: int
) -> NDArray[np.float64]:
    """log f_C = sum_v log G(C_v + n_v + beta) / G(C_v + beta) - log G(C + n + V beta) / G(C + V beta)."""
    distinct, times = np.unique(words, return_counts=True)
    here = counts[distinct] + beta
    base = totals + n_words * beta
    words_part = (gammaln(here + times[:, None]) - gammaln(here)).sum(axis=0)
    return words_part - (gammaln(base + len(words)) - gammaln(base))


def log_f_rapid(
    counts: NDArray[np.int64], totals: NDArray[np.int64], words: NDArray[np.int64], beta: float, n_words: int
) -> NDArray[np.float32]:
    """Compute the same by the kernels, which must leave the columns before and after alone."""
    n_topics = counts.shape[1]
    width = -(-n_topics // LINE) * LINE
    first, last = LINE, LINE + width
    around = (LINE, width - n_topics + LINE)
    matrix = np.pad(counts, ((0, 0), around)).astype(np.int32)
    all_totals = np.pad(totals, around).astype(np.int32)
    words = np.sort(words)
    offsets = np.array([np.count_nonzero(words[:n] == word) for n, word in enumerate(words)], np.float32)
    mantissa, exponent = np.full(width + 3, 77, np.float32), np.full(width + 3, 77, np.int32)
    out = np.full(width + 3, 77, np.float32)
    n, base = len(words), float(np.float64(np.float32(beta)) * n_words)
    beta32 = np.float32(beta)
    multiply_rows(matrix, words.astype(np.int32), offsets, 0, n, first, last, beta32, mantissa, exponent)
    divide_by_totals(mantissa, exponent, all_totals, table_of(base), base, n, first, last, out)
    for behind in (mantissa, exponent, out):
        assert (behind[width:] == 77).all()
    return out[:n_topics]


class TestRapidScores:
    """multiply_rows and divide_by_totals together make log f_C."""

    @pytest.mark.parametrize("n_tokens", [0, 1, 3, 4, 5, 7, 8, 9, 16, 23, 50, 1_000])
    @pytest.mark.parametrize(
        ("n_words", "beta"),
        [(500, 0.01), (500, 0.05), (500, 1.0), (100_000, 0.25), (100_000, 1e-6), (2, 0.25)],
        ids=["base 5", "base 25", "base 500", "base 25,000", "base .1", "base .5"],
    )
    def test_scores_equal_ratios_of_gamma_functions(
        self, rng: np.random.Generator, n_tokens: int, n_words: int, beta: float
    ) -> None:
        """Below base / 4 tokens a series takes over from the table; the parameters lie on both sides.

        A base of .5 is a pole of that series for no tokens in an empty topic.
        """
        counts = rng.poisson(rng.gamma(0.3, 3.0, (n_words, 1)), (n_words, 5))
        counts[:, 0] = 0
        words = rng.integers(0, min(n_words, 300), n_tokens)
        totals = counts.sum(axis=0)
        exact = log_f_collapsed(counts, totals, words, float(np.float32(beta)), n_words)
        assert_allclose(log_f_rapid(counts, totals, words, beta, n_words), exact, rtol=1e-5)

    @pytest.mark.parametrize("n_tokens", [1, 60, 124, 125, 126, 600])
    def test_scores_are_right_beyond_the_tables_end(self, n_tokens: int) -> None:
        """base is 500, so a quarter of it is 125 tokens."""
        edge = TABLE_END - n_tokens
        totals = np.array([0, 1, edge - 1, edge, edge + 1, TABLE_END, 10**6, 2 * 10**9])
        words = np.arange(n_tokens) % 50
        counts = np.zeros((500, len(totals)), np.int64)
        counts[:50] = totals // 50
        exact = log_f_collapsed(counts, totals, words, 1.0, 500)
        assert_allclose(log_f_rapid(counts, totals, words, 1.0, 500), exact, rtol=1e-5)

    def test_both_ways_to_the_divisor_agree_where_they_meet(self) -> None:
        counts, totals = np.zeros((400, 3), np.int64), np.array([0, 40, 5_000])
        for n_tokens in (99, 100, 101):
            words = np.arange(n_tokens)
            exact = log_f_collapsed(counts, totals, words, 1.0, 400)
            assert_allclose(log_f_rapid(counts, totals, words, 1.0, 400), exact, rtol=1e-6)

    @pytest.mark.parametrize("count", [0, 2**31 - 1_000])
    def test_products_of_the_smallest_and_largest_factors_stay_in_range(self, count: int) -> None:
        counts = np.full((40, 2), count, np.int64)
        counts[:, 1] = np.where(np.arange(40) % 2, 0, count)
        words, totals = np.arange(40), np.full(2, 2**31 - 1_000)
        exact = log_f_collapsed(counts, totals, words, float(np.float32(1e-9)), 40)
        assert_allclose(log_f_rapid(counts, totals, words, 1e-9, 40), exact, rtol=1e-5, atol=1e-4)

    def test_a_thousand_tokens_leave_the_odds_between_topics_right(self, rng: np.random.Generator) -> None:
        """Scores near -5,000 in float32: their differences must still be good to a few hundredths."""
        phi = rng.dirichlet(np.full(2_000, 0.1))
        counts = rng.multinomial(30_000, phi, 8).T + rng.poisson(0.05, (2_000, 8))
        words = rng.choice(2_000, 1_000, p=phi)
        exact = log_f_collapsed(counts, counts.sum(axis=0), words, 0.25, 2_000)
        scores = log_f_rapid(counts, counts.sum(axis=0), words, 0.25, 2_000).astype(np.float64)
        assert_allclose(scores - scores[0], exact - exact[0], atol=0.02)

    @pytest.mark.parametrize("start", [0, 7, TABLE_END - 11, TABLE_END - 10, TABLE_END, 3 * TABLE_END])
    def test_log_rising_is_a_sum_of_logarithms(self, start: int) -> None:
        value = log_rising(table_of(12.5), 12.5, np.int32(start), 10)
        assert value == pytest.approx(np.log(12.5 + start + np.arange(10)).sum(), rel=1e-9)


class TestScoresOfOwnTopics:
    @pytest.mark.parametrize("n_tokens", [0, 1, 3, 4, 5, 8, 50, 1_000])
    @pytest.mark.parametrize("beta", [1e-6, 0.25])
    def test_score_one_is_the_score_of_a_topic(self, rng: np.random.Generator, n_tokens: int, beta: float) -> None:
        counts = rng.poisson(rng.gamma(0.3, 3.0, (300, 1)), (300, 3))
        words = np.sort(rng.integers(0, 300, n_tokens)).astype(np.int32)
        offsets = np.array([np.count_nonzero(words[:n] == word) for n, word in enumerate(words)], np.float32)
        distinct, times = np.unique(words, return_counts=True)
        others = counts[distinct, 1] + beta
        exact = (gammaln(others + times) - gammaln(others)).sum()
        value = score_one(counts.astype(np.uint16), words, offsets, 1.0, 1, np.float64(beta))
        assert value == pytest.approx(exact, rel=1e-6, abs=1e-9)
        np.add.at(counts[:, 1], words, 1)
        value = score_one(counts.astype(np.uint16), words, offsets, -1.0, 1, np.float64(beta) - 1.0)
        assert value == pytest.approx(exact, rel=1e-6, abs=1e-9), "its own tokens left out"

    @pytest.mark.parametrize(("count", "beta"), [(2**31 - 1, 1.0), (0, 1e-9)])
    def test_score_one_stays_in_range(self, count: int, beta: float) -> None:
        counts, words = np.full((400, 1), count, np.int32), np.arange(399, dtype=np.int32)
        value = score_one(counts, words, np.zeros(399, np.float32), 1.0, 0, np.float64(beta))
        assert value == pytest.approx(399 * np.log(count + beta), rel=1e-9)

    @pytest.mark.parametrize("level", [0, 1, 2])
    def test_repeats_go_through_the_tokens_as_they_are_listed(self, rng: np.random.Generator, level: int) -> None:
        own, counted = rng.poisson(0.7, (2, 40, 3)).astype(np.float32)
        left = np.full(int(own[:, level].sum()) + 1, 99, np.float32)
        assert list_uncounted_repeats(40, own, counted, level, left) == counted[:, level].sum()
        wanted = [k - counted[row, level] for row in range(40) for k in range(int(own[row, level]))]
        assert_array_equal(left[:-1], wanted)

    @pytest.mark.parametrize("gamma", [0.0, 0.7])
    def test_log_of_others_is_what_one_document_makes_out(self, gamma: float) -> None:
        def log_share(n_docs: int) -> float:
            return float(np.log(n_docs) - np.log(n_docs + gamma))

        for n_docs in (2, 3, 1_000):
            assert log_of_others(n_docs, gamma, True) == pytest.approx(np.log(n_docs - 1) - np.log(n_docs))
            assert log_of_others(n_docs, gamma, False) == pytest.approx(log_share(n_docs - 1) - log_share(n_docs))
        assert log_of_others(1, gamma, True) == log_of_others(1, gamma, False) == -np.inf


class TestScoresOfNewTopicsAndTheRoot:
    @pytest.mark.parametrize("largest", [1, 3, WORD_TABLE - 1, WORD_TABLE, 5 * WORD_TABLE])
    @pytest.mark.parametrize("beta", [1e-6, 0.1, 1.0])
    def test_score_new_is_log_f_of_an_empty_topic(self, beta: float, largest: int) -> None:
        counts = np.array([1, 2, 1, largest, 1], np.float32)
        n, base = int(counts[1:4].sum()), 1_000 * beta
        value = score_new(counts, 1, 4, n, table_of(beta, WORD_TABLE), np.float32(beta), table_of(base), base)
        distinct = counts[1:4].astype(np.float64)
        exact = (gammaln(distinct + beta) - gammaln(beta)).sum() - (gammaln(n + base) - gammaln(base))
        assert value == pytest.approx(exact, rel=1e-5)

    def test_score_new_equals_the_score_of_an_empty_rapid_topic(self, rng: np.random.Generator) -> None:
        words = np.sort(rng.integers(0, 30, 60))
        counts = np.unique(words, return_counts=True)[1].astype(np.float32)
        empty = np.zeros((200, 1), np.int64)
        base = float(np.float64(np.float32(0.1)) * 200)
        beta = np.float32(0.1)
        value = score_new(counts, 0, len(counts), 60, table_of(float(beta), WORD_TABLE), beta, table_of(base), base)
        assert value == pytest.approx(float(log_f_rapid(empty, np.zeros(1, int), words, 0.1, 200)[0]), rel=1e-5)

    def test_score_root_of_a_slow_root_adds_its_logarithms(self, rng: np.random.Generator) -> None:
        log_phi = np.log(rng.dirichlet(np.ones(50), 16).T).astype(np.float32)
        words = rng.integers(0, 50, 30).astype(np.int32)
        value = score_root(words, np.zeros(30, np.float32), 25, log_phi, np.zeros((50, 1), np.int32), 1.0, 123.0)
        assert value == pytest.approx(log_phi[words[:25], 0].astype(np.float64).sum(), rel=1e-5)

    def test_score_root_of_a_rapid_root_is_its_log_f(self, rng: np.random.Generator) -> None:
        counts = rng.poisson(2.0, (50, 1))
        words = np.sort(rng.integers(0, 50, 80))
        offsets = np.array([np.count_nonzero(words[:n] == word) for n, word in enumerate(words)], np.float32)
        total = int(counts.sum())
        log_total = gammaln(total + 80 + 25.0) - gammaln(total + 25.0)
        value = score_root(
            words.astype(np.int32), offsets, 80, np.zeros((50, 0), np.float32), counts.astype(np.int32), 0.5, log_total
        )
        assert value == pytest.approx(log_f_collapsed(counts, np.array([total]), words, 0.5, 50)[0], rel=1e-5)


class TestSums:
    """Scores summed down the tree."""

    def test_sum_down_adds_the_parents_weight_and_divides_by_visits(self, rng: np.random.Generator) -> None:
        n = 40
        score, log_weight, log_visits = rng.normal(-50, 20, (3, n)).astype(np.float32)
        log_weight[[3, 20]] = -np.inf
        parent = rng.integers(0, 5, n).astype(np.int32)
        step, candidate = rng.normal(size=n).astype(np.float32), np.full(n, 6, np.float32)
        before = step.copy()
        sum_down(score, log_weight, log_visits, parent, 10, 30, np.float32(-8.5), step, candidate)
        exact = (score.astype(np.float64) + log_weight + before[parent] - log_visits)[10:30]
        assert_allclose(step[10:30], exact, rtol=1e-5, atol=1e-5)
        assert_allclose(candidate[10:30], exact - 8.5, rtol=1e-5, atol=1e-5)
        assert step[20] == candidate[20] == -np.inf
        assert_array_equal(step[:10], before[:10])
        assert (candidate[30:] == 6).all()

    def test_sum_leaves_adds_the_parents_weight(self, rng: np.random.Generator) -> None:
        n = 40
        score, log_weight, step = rng.normal(-50, 20, (3, n)).astype(np.float32)
        log_weight[12] = -np.inf
        parent = rng.integers(0, n, n).astype(np.int32)
        candidate = np.full(n, 6, np.float32)
        sum_leaves(score, log_weight, parent, 10, 30, step, candidate)
        assert_allclose(
            candidate[10:30], (score.astype(np.float64) + log_weight + step[parent])[10:30], rtol=1e-5, atol=1e-5
        )
        assert candidate[12] == -np.inf
        assert (candidate[30:] == 6).all()


class TestDraw:
    RANGES = np.array([[0, 1], [0, 0], [4, 7], [10, 12]])
    IN_RANGES = (0, 4, 5, 6, 10, 11)

    def draw(self, candidate: NDArray[np.float32], uniform: float, n_samples: int = 1) -> int:
        chosen, weight = np.zeros(candidate.size, np.int64), np.zeros(candidate.size)
        return int(draw_candidate(candidate, self.RANGES, n_samples, chosen, weight, uniform))

    @pytest.mark.parametrize("n_samples", [1, 3])
    def test_frequencies_follow_the_weights(self, rng: np.random.Generator, n_draws: int, n_samples: int) -> None:
        candidate = rng.normal(-5_000, 1.5, (3, 12)).astype(np.float32)
        candidate[:, 5] = -np.inf
        inside = np.zeros((3, 12), bool)
        inside[:n_samples, list(self.IN_RANGES)] = True
        weights = np.where(inside, np.exp(candidate.astype(np.float64) + 5_000), 0).ravel()
        drawn = np.bincount([self.draw(candidate, u, n_samples) for u in rng.random(n_draws)], minlength=36)
        possible = weights > 0
        assert drawn[~possible].sum() == 0
        expected = n_draws * weights[possible] / weights.sum()
        assert stats.chisquare(drawn[possible], expected).pvalue > UNLIKELY

    def test_the_ends_of_the_unit_interval_draw_the_first_and_the_last(self) -> None:
        candidate = np.zeros((1, 12), np.float32)
        candidate[0, 0] = -np.inf
        assert self.draw(candidate, 0.0) == 4
        assert self.draw(candidate, 1 - 2**-53) == 11

    def test_the_best_wins_whatever_its_scale(self) -> None:
        for best in (-3e6, 1e3):
            candidate = np.full((1, 12), best - 100, np.float32)
            candidate[0, 10] = best
            assert [self.draw(candidate, u) for u in (0.0, 0.5, 0.999999)] == [10] * 3

    def test_only_one_possibility_is_always_drawn(self) -> None:
        candidate = np.full((1, 12), -np.inf, np.float32)
        candidate[0, 0] = -1e5
        assert self.draw(candidate, 0.7) == 0
