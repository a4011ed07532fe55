"""Memory that is used again."""

import numpy as np

from topicgrove.memory import LINE_BYTES, Reserve


def address(array: np.ndarray) -> int:
    return int(array.ctypes.data)


def test_a_smaller_or_slightly_larger_array_is_in_the_same_memory() -> None:
    reserve = Reserve()
    first = reserve.array((100, 16), np.float32)
    assert address(first) % LINE_BYTES == 0
    for shape, dtype in [((100, 8), np.float32), ((100, 48), np.uint16), ((100, 20), np.int32)]:
        again = reserve.array(shape, dtype)
        assert address(again) == address(first)
        assert again.shape == shape
        assert again.dtype == dtype
        assert again.flags.c_contiguous


def test_a_much_larger_one_fits_and_a_much_smaller_one_gives_memory_back() -> None:
    reserve = Reserve()
    reserve.array((100, 16), np.float32)
    large = reserve.array((100, 1600), np.float32)
    large[:] = 1.0
    assert large.sum() == 160_000
    reserve.array((100, 16), np.float32)
    assert reserve.n_bytes == 100 * 16 * 4
    reserve.array((100, 8), np.float32)
    assert reserve.n_bytes == 100 * 16 * 4


def test_nothing_at_all_is_an_array_too() -> None:
    assert Reserve().array((5, 0), np.int32).shape == (5, 0)
