"""Levels of tokens: their conditional distribution, and the bookkeeping while they move."""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import stats

from topicgrove.kernels.compiled import exact_part
from topicgrove.kernels.document_words import count_by_level, list_distinct
from topicgrove.kernels.levels import (
    N_SCRATCH,
    OWN,
    RAPID,
    TOTAL,
    WEIGHT,
    WITHOUT,
    count_drawn,
    draw_few_levels,
    draw_levels,
    draw_many_levels,
    draw_uniform_levels,
    gather_likelihoods,
    prepare_levels,
    root_likelihoods,
)
from topicgrove.kernels.random import start_stream
from topicgrove.kernels.vectors import Lanes, lane_of, lanes_for, load_lanes, pick_lane

UNLIKELY = 1e-4
N_SLOW = 16


def stream_of(item: int) -> NDArray[np.uint64]:
    stream = np.zeros(2, np.uint64)
    start_stream(stream, np.uint64(17), np.uint64(1), np.uint64(item))
    return stream


class Prepared(NamedTuple):
    """Arrays that levels are drawn from."""

    row_of: NDArray[np.int32]
    n_rows: int
    likelihood: NDArray[np.float32]
    scratch: NDArray[np.float32]


class Setting(NamedTuple):
    """A path of slow and rapid topics, and the counts of all other documents."""

    path: NDArray[np.int64]
    counts: NDArray[np.int32]
    totals: NDArray[np.int32]
    log_phi: NDArray[np.float32]
    alpha: NDArray[np.float32]
    beta: NDArray[np.float32]

    @property
    def n_levels(self) -> int:
        return len(self.path)

    def weight(self, level: int, word: int, levels: NDArray[np.uint8], words: NDArray[np.int32]) -> float:
        """p(z = level) up to a factor, given the document's other tokens."""
        slot = self.path[level]
        here = levels == level
        share = np.count_nonzero(here) + float(self.alpha[level])
        if slot < N_SLOW:
            return share * float(np.exp(float(self.log_phi[word, slot])))
        beta = float(self.beta[level])
        count = self.counts[word, slot - N_SLOW] + np.count_nonzero(here & (words == word))
        total = self.totals[slot - N_SLOW] + np.count_nonzero(here)
        return share * (count + beta) / (total + len(self.counts) * beta)

    def conditional(self, n: int, words: NDArray[np.int32], levels: NDArray[np.uint8]) -> NDArray[np.float64]:
        """p(z_n = l | the other tokens' levels)."""
        others = np.arange(len(words)) != n
        weights = [self.weight(level, words[n], levels[others], words[others]) for level in range(self.n_levels)]
        return np.array(weights) / np.sum(weights)

    def with_document(
        self, words: NDArray[np.int32], levels: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the shared counts and totals during the document's step, including its tokens."""
        counts = self.counts.copy()
        columns = self.path[levels] - N_SLOW
        np.add.at(counts, (words[columns >= 0], columns[columns >= 0]), 1)
        return counts, counts.sum(axis=0, dtype=np.int32)

    def draw(
        self,
        words: NDArray[np.int32],
        levels: NDArray[np.uint8],
        stream: NDArray[np.uint64],
        kernel: Callable[..., None] = draw_levels,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
        """Draw the levels in place by the kernels; returns scratch, likelihoods and the tokens' rows."""
        ready, lanes = self.prepare(words, levels), lanes_for(self.n_levels)
        lanes_if_any = () if kernel is draw_many_levels else (lanes,)
        kernel(levels, ready.row_of, ready.likelihood, self.n_levels, stream, ready.scratch, *lanes_if_any)
        return ready.scratch, ready.likelihood, ready.row_of

    def prepare(self, words: NDArray[np.int32], levels: NDArray[np.uint8]) -> Prepared:
        """What levels are drawn from, the document being counted as ``levels`` says."""
        n, width = len(words), max(self.n_levels, len(lanes_for(self.n_levels)))
        row_word, row_of = np.zeros((2, n), np.int32)
        likelihood, scratch = np.zeros((n, width), np.float32), np.zeros((N_SCRATCH, width), np.float32)
        n_rows = list_distinct(words, row_word, row_of)
        beta_sum = self.beta.astype(np.float64) * len(self.counts)
        counts, totals = self.with_document(words, levels)
        prepare_levels(levels, self.path, N_SLOW, totals, self.alpha, beta_sum, scratch)
        root_phi = root_likelihoods(self.log_phi)
        gather_likelihoods(row_word, n_rows, self.path, counts, self.log_phi, root_phi, self.beta, likelihood)
        return Prepared(row_of, n_rows, likelihood, scratch)


def make_setting(path: list[int], seed: int = 3) -> Setting:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (10, 32)).astype(np.int32)
    n_levels = len(path)
    return Setting(
        path=np.array(path),
        counts=counts,
        totals=counts.sum(axis=0, dtype=np.int32),
        log_phi=np.log(rng.dirichlet(np.ones(10), N_SLOW).T).astype(np.float32),
        alpha=rng.uniform(0.1, 1.0, n_levels).astype(np.float32),
        beta=rng.uniform(0.1, 1.0, n_levels).astype(np.float32),
    )


PATHS = {
    "slow": [0, 3, 5],
    "rapid": [16, 20, 30],
    "mixed": [0, 5, 18, 40],
    "five": [0, 5, 18, 40, 25],
    "many": [0, 5, 18, 40, 25, 21, 30, 33, 28],
}


@pytest.fixture(params=PATHS.values(), ids=PATHS.keys())
def setting(request: pytest.FixtureRequest) -> Setting:
    return make_setting(request.param)


def test_uniform_levels_are_uniform(n_draws: int) -> None:
    levels = np.full(n_draws, 9, np.uint8)
    draw_uniform_levels(levels, 5, stream_of(0))
    assert levels.max() < 5
    assert stats.chisquare(np.bincount(levels, minlength=5)).pvalue > UNLIKELY


def test_one_token_moves_by_its_exact_conditional(setting: Setting, n_draws: int) -> None:
    words, levels = np.array([4], np.int32), np.array([1], np.uint8)
    stream = stream_of(1)
    drawn = np.zeros(setting.n_levels)
    for _ in range(n_draws // 4):
        setting.draw(words, levels, stream)
        drawn[levels[0]] += 1
    expected = setting.conditional(0, words, levels)
    assert stats.chisquare(drawn, expected * drawn.sum()).pvalue > UNLIKELY


def test_tokens_of_a_document_move_one_after_the_other(setting: Setting, n_draws: int) -> None:
    """Two tokens of one word and one of another, from one start: all outcomes against the product of conditionals."""
    words, start = np.array([2, 2, 7], np.int32), np.array([1, 2, 1], np.uint8)
    outcomes = list(itertools.product(range(setting.n_levels), repeat=3))
    expected = []
    for outcome in outcomes:
        levels = start.copy()
        probability = 1.0
        for n, level in enumerate(outcome):
            probability *= setting.conditional(n, words, levels)[level]
            levels[n] = level
        expected.append(probability)
    assert sum(expected) == pytest.approx(1)
    stream = stream_of(2)
    drawn = dict.fromkeys(outcomes, 0)
    n = n_draws // 2
    for _ in range(n):
        levels = start.copy()
        setting.draw(words, levels, stream)
        drawn[tuple(levels.tolist())] += 1
    observed, expected_counts = np.array(list(drawn.values())), n * np.array(expected)
    common = expected_counts >= 5
    observed = np.append(observed[common], observed[~common].sum())
    expected_counts = np.append(expected_counts[common], max(expected_counts[~common].sum(), 1e-9))
    assert stats.chisquare(observed, expected_counts * observed.sum() / expected_counts.sum()).pvalue > UNLIKELY


def test_bookkeeping_equals_a_recount(setting: Setting, rng: np.random.Generator) -> None:
    words = np.sort(rng.integers(0, 10, 120)).astype(np.int32)
    levels = rng.integers(0, setting.n_levels, 120).astype(np.uint8)
    before = levels.copy()
    scratch, likelihood, row_of = setting.draw(words, levels, stream_of(3))
    assert np.count_nonzero(levels != before) > 20
    n_words = len(setting.counts)
    for level, slot in enumerate(setting.path):
        tokens = np.count_nonzero(levels == level)
        rapid = slot >= N_SLOW
        own = tokens + setting.alpha[level]
        total = setting.totals[slot - N_SLOW] + tokens + n_words * setting.beta[level] if rapid else 1.0
        assert_allclose(scratch[OWN, level], own, rtol=1e-5)
        assert_allclose(scratch[TOTAL, level], total, rtol=1e-5)
        assert scratch[RAPID, level] == rapid
        if lanes_for(setting.n_levels):
            continue
        assert_allclose(scratch[WEIGHT, level], own / total, rtol=1e-5)
        assert_allclose(scratch[WITHOUT, level], (own - 1) / (total - rapid), rtol=1e-5, atol=1e-6)
        for word in np.unique(words):
            row = row_of[np.flatnonzero(words == word)[0]]
            if rapid:
                here = np.count_nonzero((words == word) & (levels == level))
                exact = setting.counts[word, slot - N_SLOW] + here + setting.beta[level]
            else:
                exact = np.exp(setting.log_phi[word, slot])
            assert_allclose(likelihood[row, level], exact, rtol=1e-5)


def test_levels_drawn_anew_count_in_place_of_those_before(setting: Setting, rng: np.random.Generator) -> None:
    words = np.sort(rng.integers(0, 10, 60)).astype(np.int32)
    before, drawn = rng.integers(0, setting.n_levels, (2, 60)).astype(np.uint8)
    as_before, as_drawn = setting.prepare(words, before), setting.prepare(words, drawn)
    own = np.zeros((60, setting.n_levels), np.float32)
    count_by_level(before, as_before.row_of, as_before.n_rows, own)
    totals = as_before.scratch[TOTAL].copy()
    as_before.scratch[:] = as_drawn.scratch
    as_before.scratch[TOTAL] = totals
    arrays = (own, as_before.likelihood, as_before.scratch)
    count_drawn(drawn, as_before.row_of, as_before.n_rows, setting.n_levels, *arrays)
    assert_allclose(as_before.likelihood, as_drawn.likelihood, rtol=1e-5, atol=1e-6)
    assert_allclose(as_before.scratch[TOTAL], as_drawn.scratch[TOTAL], rtol=1e-6)


@pytest.mark.parametrize(
    "path", [[0, 3], [0, 20], [16, 20, 30], [0, 5, 18, 40], [0, 5, 18, 40, 25], [0, 1, 18, 40, 25, 3, 21, 30]], ids=str
)
def test_registers_and_memory_give_the_same_levels(path: list[int], rng: np.random.Generator) -> None:
    """Any slip in the weights, even of one token, would make the two ways diverge."""
    setting = make_setting(path)
    words = np.sort(rng.integers(0, 10, 400)).astype(np.int32)
    few = rng.integers(0, len(path), 400).astype(np.uint8)
    many = few.copy()
    streams = stream_of(7), stream_of(7)
    for _ in range(5):
        setting.draw(words, few, streams[0], draw_few_levels)
        setting.draw(words, many, streams[1], draw_many_levels)
        assert_array_equal(few, many)
    assert_array_equal(*streams)
    assert len(np.unique(few)) == len(path)


def test_the_stream_moves_on_by_one_number_a_token(setting: Setting) -> None:
    stream = stream_of(4)
    state, step = int(stream[0]), int(stream[1])
    setting.draw(np.array([1, 2, 3, 3], np.int32), np.zeros(4, np.uint8), stream)
    assert int(stream[0]) == (state + 4 * step) % 2**64


def test_an_empty_document_draws_nothing(setting: Setting) -> None:
    stream = stream_of(5)
    before = stream.copy()
    scratch, _, _ = setting.draw(np.zeros(0, np.int32), np.zeros(0, np.uint8), stream)
    assert_array_equal(stream, before)
    assert_allclose(scratch[OWN, : setting.n_levels], setting.alpha)


def test_probabilities_too_small_for_float32_are_floored() -> None:
    """phi drawn with beta 1e-6 has logarithms of -1e5: some level still has weight."""
    setting = make_setting([0, 3, 5])
    setting.log_phi[:] = -1e5
    levels = np.array([0, 1, 2, 1], np.uint8)
    _, likelihood, _ = setting.draw(np.arange(4, dtype=np.int32), levels, stream_of(6))
    assert_allclose(likelihood[:, :3], np.exp(-80.0), rtol=1e-5)
    assert levels.max() < 3


@pytest.mark.parametrize("weights", [[1, np.inf, 1, 0], [np.inf] * 4, [0] * 4, [np.nan, 1, 1, 1], [1, 1, np.nan, 0]])
@pytest.mark.parametrize("n_levels", [4, 8])
def test_whatever_the_weights_one_lane_is_picked(weights: list[float], n_levels: int) -> None:
    """Extreme priors make weights infinite or undefined, and a level that does not exist could be written to."""
    picked = np.zeros((n_levels - 1, 4), np.int64)
    pick_in_kernel(np.array([weights * 2], np.float32)[:, :n_levels].copy(), picked, lanes_for(n_levels))
    assert ((picked >= 0) & (picked <= np.arange(1, n_levels)[:, None])).all()


@exact_part
def pick_in_kernel(matrix: NDArray[np.float32], picked: NDArray[np.int64], lanes: Lanes) -> None:
    for last in range(1, len(picked) + 1):
        for quarter in range(4):
            unit = np.float32(0.25 * quarter)
            picked[last - 1, quarter] = lane_of(pick_lane(load_lanes(matrix, 0, lanes), unit, last))
