"""Atomics, the lock and bit casts: compiled and as plain Python."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numba import njit

from topicgrove.kernels.hardware import bits_float, fetch_add, float_bits, lock, prefetch, prefetch_at, unlock

N_THREADS, N_TIMES = 4, 200_000


@njit(nogil=True)  # type: ignore[misc]
def fetch_add_many(array: Any, seen: Any, times: int) -> None:
    for _ in range(times):
        seen[0] += fetch_add(array, 1, 3)


@njit(nogil=True)  # type: ignore[misc]
def count_under_lock(control: Any, counter: Any, times: int) -> None:
    for _ in range(times):
        lock(control, 8)
        counter[0] += 1
        counter[1] = 2 * counter[0]
        unlock(control, 8)


@njit(nogil=True)  # type: ignore[misc]
def bits_there_and_back(values: Any, bits: Any, back: Any) -> None:
    for i in range(len(values)):
        bits[i] = float_bits(values[i])
        back[i] = bits_float(bits[i])


def in_threads(function: Any, *arguments: Any) -> None:
    with ThreadPoolExecutor(N_THREADS) as pool:
        for future in [pool.submit(function, *arguments) for _ in range(N_THREADS)]:
            future.result()


def test_fetch_add_returns_what_was_there_before() -> None:
    array, seen = np.array([5, 10, 5]), np.zeros(1, np.int64)
    fetch_add_many(array, seen, 4)
    assert array.tolist() == [5, 22, 5]
    assert seen[0] == 10 + 13 + 16 + 19


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_fetch_add_in_plain_python_does_the_same(dtype: type) -> None:
    array = np.array([1, 2], dtype)
    assert fetch_add(array, 0, 7) == 1
    assert array.tolist() == [8, 2]


def test_no_add_is_lost_between_threads(compiled: bool) -> None:
    if not compiled:
        pytest.skip("plain Python is for one thread")
    array = np.zeros(2, np.int64)
    in_threads(fetch_add_many, array, np.zeros(1, np.int64), N_TIMES)
    assert array[1] == 3 * N_THREADS * N_TIMES


def test_the_lock_lets_one_thread_in_at_a_time(compiled: bool) -> None:
    if not compiled:
        pytest.skip("plain Python is for one thread")
    control, counter = np.zeros(16, np.int64), np.zeros(2, np.int64)
    in_threads(count_under_lock, control, counter, N_TIMES // 10)
    assert counter.tolist() == [N_THREADS * N_TIMES // 10, 2 * N_THREADS * N_TIMES // 10]
    assert not control.any()


def test_bits_are_those_of_the_number(rng: np.random.Generator) -> None:
    values = np.append(rng.normal(size=50) * 10.0 ** rng.integers(-30, 30, 50), [0.0, -0.0, np.inf]).astype(np.float32)
    bits, back = np.zeros(len(values), np.int32), np.zeros(len(values), np.float32)
    bits_there_and_back(values, bits, back)
    np.testing.assert_array_equal(bits, values.view(np.int32))
    np.testing.assert_array_equal(back, values)
    assert [float_bits(value) for value in values] == bits.tolist()
    assert [bits_float(value) for value in bits] == values.tolist()


@njit(nogil=True)  # type: ignore[misc]
def prefetch_all(matrix: Any) -> None:
    for row in range(matrix.shape[0]):
        prefetch(matrix, row, matrix.shape[1] - 1)
        prefetch_at(matrix[row], matrix.shape[1] - 1)


def test_prefetch_changes_nothing() -> None:
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    prefetch_all(matrix)
    prefetch(matrix, 2, 3)
    assert np.array_equal(matrix.ravel(), np.arange(12))
