"""Fast logarithms and exponentials against NumPy's in double precision."""

from collections.abc import Callable

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from topicgrove.kernels.logarithms import fast_exp, fast_log, log_rising_table


def over(function: Callable[[np.float32], np.float32], values: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.array([function(value) for value in values], np.float64)


@pytest.mark.parametrize(
    ("low", "high"), [(1.2e-38, 1e-9), (1e-9, 1.0), (0.5, 2.0), (0.99, 1.01), (1.0, 2.0**31), (2.0**31, 3.4e38)]
)
def test_fast_log_is_within_three_units_in_the_last_place(low: float, high: float, n_draws: int) -> None:
    values = np.geomspace(low, high, n_draws // 4).astype(np.float32)
    exact = np.log(values.astype(np.float64))
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    assert (np.abs(over(fast_log, values) - exact) <= 3 * unit).all()


@njit  # type: ignore[misc]
def all_logs(values: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    for i in range(len(values)):
        out[i] = fast_log(values[i])


def test_fast_log_is_so_for_every_seventh_number_between_a_half_and_two(compiled: bool) -> None:
    first, last = np.array([0.5, 2.0], np.float32).view(np.int32)
    values = np.arange(first, last, 7 if compiled else 7_001, dtype=np.int32).view(np.float32)
    values = values[values != 1]
    out = np.empty_like(values)
    all_logs(values, out)
    exact = np.log(values.astype(np.float64))
    assert (np.abs(out - exact) <= 3 * np.spacing(np.abs(exact).astype(np.float32))).all()


def test_fast_log_of_one_is_zero() -> None:
    assert fast_log(np.float32(1)) == 0


def test_fast_log_is_right_at_powers_of_two() -> None:
    exponents = np.arange(-126, 128)
    values = over(fast_log, np.ldexp(np.float32(1), exponents).astype(np.float32))
    np.testing.assert_allclose(values, exponents * np.log(2), rtol=2e-7)


def test_fast_exp_is_right_to_one_in_a_million(n_draws: int) -> None:
    values = np.append(np.linspace(-87, 88, n_draws), [0.0, -80.0, 1e-10, -1e-10]).astype(np.float32)
    np.testing.assert_allclose(over(fast_exp, values), np.exp(values.astype(np.float64)), rtol=1e-6)


def test_fast_exp_undoes_fast_log(n_draws: int) -> None:
    values = np.geomspace(1e-30, 1.0, n_draws // 10).astype(np.float32)
    there_and_back = over(fast_exp, over(fast_log, values).astype(np.float32))
    np.testing.assert_allclose(there_and_back, values, rtol=1e-5)


@pytest.mark.parametrize("start", [1e-9, 0.05, 1.0, 250.0, 1e6])
def test_rising_table_holds_sums_of_logarithms(start: float) -> None:
    table = log_rising_table(np.array([start, 2 * start]), 2_000)
    for row, base in zip(table, (start, 2 * start), strict=True):
        exact = np.append(0, np.cumsum(np.log(base + np.arange(1_999))))
        np.testing.assert_allclose(row, exact, rtol=1e-9, atol=1e-7 * start)
