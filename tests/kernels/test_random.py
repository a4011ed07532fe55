"""Random numbers: known values, distributions, and independent streams."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import digamma, polygamma

from topicgrove.kernels.random import (
    log_gamma_variate,
    mix64,
    next_bits,
    normal,
    start_stream,
    uniform,
    unit_float32,
)

UNLIKELY = 1e-4
ALL_ONES = np.uint64(2**64 - 1)


def stream_of(seed: int, iteration: int = 0, item: int = 0) -> NDArray[np.uint64]:
    stream = np.zeros(2, np.uint64)
    start_stream(stream, np.uint64(seed), np.uint64(iteration), np.uint64(item))
    return stream


def first_bits(keys: list[tuple[int, int, int]], n: int) -> NDArray[np.uint64]:
    """The first n outputs of each key's stream."""
    bits = np.empty((len(keys), n), np.uint64)
    for row, key in zip(bits, keys, strict=True):
        stream = stream_of(*key)
        for i in range(n):
            row[i] = next_bits(stream)
    return bits


def test_mix64_has_the_published_values() -> None:
    """SplitMix64 seeded with 0: its state after k steps is k times the golden number."""
    golden = 0x9E3779B97F4A7C15
    states = [np.uint64(k * golden % 2**64) for k in (1, 2, 3)]
    assert [int(mix64(state)) for state in states] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_uniform_numbers_are_uniform(n_draws: int) -> None:
    stream = stream_of(1)
    draws = np.array([uniform(stream) for _ in range(n_draws)])
    assert 0 <= draws.min() <= draws.max() < 1
    assert stats.chisquare(np.bincount((draws * 50).astype(int), minlength=50)).pvalue > UNLIKELY
    assert stats.kstest(draws, "uniform").pvalue > UNLIKELY


def test_successive_numbers_of_a_stream_are_independent(n_draws: int) -> None:
    stream = stream_of(2)
    pairs = np.array([uniform(stream) for _ in range(n_draws)]).reshape(-1, 2)
    cells = np.bincount((pairs[:, 0] * 8).astype(int) * 8 + (pairs[:, 1] * 8).astype(int), minlength=64)
    assert stats.chisquare(cells).pvalue > UNLIKELY


def test_unit_float32_stays_below_one() -> None:
    assert unit_float32(ALL_ONES) == np.float32(1) - np.float32(2**-24)
    assert unit_float32(np.uint64(0)) == 0


def test_unit_float32_is_uniform(n_draws: int) -> None:
    stream = stream_of(3)
    draws = np.array([unit_float32(np.uint64(next_bits(stream))) for _ in range(n_draws)])
    assert draws.max() < 1
    assert stats.chisquare(np.bincount((draws * 50).astype(int), minlength=50)).pvalue > UNLIKELY


def test_normal_numbers_are_normal(n_draws: int) -> None:
    stream = stream_of(4)
    assert stats.kstest([normal(stream) for _ in range(n_draws)], "norm").pvalue > UNLIKELY


@pytest.mark.parametrize("shape", [1e-3, 0.03, 0.19, 0.21, 0.99, 1.0, 3.5, 1e4])
def test_log_gamma_variates_have_their_distribution(shape: float, n_draws: int) -> None:
    stream = stream_of(5)
    draws = np.array([log_gamma_variate(stream, shape) for _ in range(n_draws)])
    deviation = np.sqrt(polygamma(1, shape))
    assert np.isfinite(draws).all()
    assert abs(draws.mean() - digamma(shape)) < 5 * deviation / np.sqrt(n_draws)
    assert draws.std() == pytest.approx(deviation, rel=0.1 if n_draws < 10_000 else 0.03)
    assert stats.kstest(draws, stats.loggamma(shape).cdf).pvalue > UNLIKELY


def test_log_gamma_variates_of_the_smallest_shape_are_numbers() -> None:
    stream = stream_of(6)
    assert all(log_gamma_variate(stream, 1e-100) < -1e90 for _ in range(100))


class TestStreams:
    """Draws don't depend on threads because every (seed, iteration, document) has its own stream."""

    def test_the_same_key_gives_the_same_stream(self) -> None:
        np.testing.assert_array_equal(first_bits([(7, 8, 9)], 20), first_bits([(7, 8, 9)], 20))

    def test_parts_of_a_key_are_told_apart(self) -> None:
        keys = [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1), (0, 0, 0), (0, 0, 6), (6, 0, 0)]
        assert len(np.unique(first_bits(keys, 1))) == len(keys)

    def test_streams_of_neighbouring_keys_do_not_overlap(self, compiled: bool) -> None:
        """Among all outputs of a cube of keys, no value occurs twice: 64-bit numbers repeat only if streams do."""
        side, n = (16, 100) if compiled else (6, 20)
        keys = [(s, t, d) for s in range(side) for t in range(side) for d in range(side)]
        bits = first_bits(keys, n)
        assert len(np.unique(bits)) == bits.size

    def test_steps_of_neighbouring_keys_differ_and_are_odd(self) -> None:
        steps = np.array([stream_of(0, t, d)[1] for t in range(30) for d in range(30)])
        assert (steps % np.uint64(2) == 1).all()
        assert len(np.unique(steps)) == len(steps)

    @pytest.mark.parametrize("axis", [0, 1, 2], ids=["seed", "iteration", "document"])
    def test_streams_of_neighbouring_keys_do_not_correlate(self, axis: int, n_draws: int) -> None:
        n_keys = n_draws // 20
        keys = []
        for k in range(n_keys):
            key = [123, 4, 56]
            key[axis] += k
            keys.append((key[0], key[1], key[2]))
        values = first_bits(keys, 20) / 2.0**64 - 0.5
        for lag in (1, 2, 8):
            products = 12 * values[lag:] * values[:-lag]
            assert abs(products.mean()) < 5 / np.sqrt(products.size)
        # The k-th numbers of all streams, read across: as good as a stream.
        assert stats.kstest(values[:, 0] + 0.5, "uniform").pvalue > UNLIKELY

    @pytest.mark.parametrize("axis", [0, 1, 2], ids=["seed", "iteration", "document"])
    def test_one_bit_of_a_key_changes_half_the_bits_of_a_draw(self, axis: int) -> None:
        base = [99, 5, 1000]
        keys = []
        for bit in range(62):
            key = list(base)
            key[axis] ^= 1 << bit
            keys.append((key[0], key[1], key[2]))
        flipped = first_bits(keys, 1).ravel() ^ first_bits([(99, 5, 1000)], 1)[0, 0]
        changes = np.array([int(x).bit_count() for x in flipped])
        assert changes.min() > 10
        assert abs(changes.mean() - 32) < 5 * 4 / np.sqrt(len(changes))
