"""Atomic adds, a spin lock, prefetching and bit casts, which Numba lacks.

Each is an ordinary Python function, for when compilation is switched off, with a compiled twin of one or a few LLVM
instructions. Atomic adds are relaxed (``monotonic``): they must not be lost, but need no order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from topicgrove.kernels.numba_private import cgutils, impl_ret_untracked, ir

Array = NDArray[Any]


def fetch_add(array: Array, index: int, amount: int) -> int:
    """Do ``array[index] += amount`` atomically; return the value from before."""
    before = int(array[index])
    array[index] += amount
    return before


def prefetch(matrix: Array, row: int, column: int) -> None:
    """Prefetch the cache line of ``matrix[row, column]``."""


def prefetch_at(array: Array, index: int) -> None:
    """Prefetch the cache line of ``array[index]``, of one dimension."""


def lock(array: Array, index: int) -> None:
    """Spin until ``array[index]`` is 0, and set it to 1."""
    array[index] = 1


def unlock(array: Array, index: int) -> None:
    """Set ``array[index]`` to 0, after all writes made under the lock."""
    array[index] = 0


def float_bits(value: np.float32) -> np.int32:
    """Return the 32 bits of a float32 as an integer."""
    return np.float32(value).view(np.int32)


def bits_float(bits: np.int32) -> np.float32:
    """Return the float32 that has these 32 bits."""
    return np.int32(bits).view(np.float32)


def _element(context: Any, builder: Any, kind: Any, array: Any, indices: list[Any]) -> Any:
    structure = context.make_array(kind)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, kind, structure, indices, wraparound=False)


@intrinsic
def _fetch_add(typing_context: Any, array: Any, index: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], arguments[0], [arguments[1]])
        return builder.atomic_rmw("add", pointer, arguments[2], "monotonic")

    return array.dtype(array, types.intp, array.dtype), generate


def _fetch_line(context: Any, builder: Any, pointer: Any) -> Any:
    integer = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, integer, integer, integer])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    # Arguments: a read (0), into all caches but the first (2), data (1). The first cache gained little.
    builder.call(function, [builder.bitcast(pointer, cgutils.voidptr_t), integer(0), integer(2), integer(1)])
    return context.get_dummy_value()


@intrinsic
def _prefetch(typing_context: Any, matrix: Any, row: Any, column: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], arguments[0], [arguments[1], arguments[2]])
        return _fetch_line(context, builder, pointer)

    return types.void(matrix, types.intp, types.intp), generate


@intrinsic
def _prefetch_at(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _fetch_line(
            context, builder, _element(context, builder, signature.args[0], arguments[0], [arguments[1]])
        )

    return types.void(array, types.intp), generate


@intrinsic
def _swap(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Exchange a value and return the old one; later reads and writes stay later (acquire)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], arguments[0], [arguments[1]])
        return builder.atomic_rmw("xchg", pointer, arguments[2], "acquire")

    return array.dtype(array, types.intp, array.dtype), generate


@intrinsic
def _release(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Store a value after all earlier writes (release)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], arguments[0], [arguments[1]])
        builder.store_atomic(arguments[2], pointer, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), generate


def _bit_cast(result: Any, argument: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = builder.bitcast(arguments[0], context.get_value_type(result))
        return impl_ret_untracked(context, builder, signature.return_type, value)

    return result(argument), generate


@intrinsic
def _float_bits(typing_context: Any, value: Any) -> Any:
    return _bit_cast(types.int32, types.float32)


@intrinsic
def _bits_float(typing_context: Any, bits: Any) -> Any:
    return _bit_cast(types.float32, types.int32)


@overload(fetch_add, inline="always")
def _compiled_fetch_add(array: Any, index: Any, amount: Any) -> Any:
    def add(array: Any, index: Any, amount: Any) -> Any:
        return _fetch_add(array, index, amount)

    return add


@overload(prefetch, inline="always")
def _compiled_prefetch(matrix: Any, row: Any, column: Any) -> Any:
    def fetch(matrix: Any, row: Any, column: Any) -> Any:
        _prefetch(matrix, row, column)

    return fetch


@overload(prefetch_at, inline="always")
def _compiled_prefetch_at(array: Any, index: Any) -> Any:
    def fetch(array: Any, index: Any) -> Any:
        _prefetch_at(array, index)

    return fetch


@overload(lock)
def _compiled_lock(array: Any, index: Any) -> Any:
    def spin(array: Any, index: Any) -> Any:
        while _swap(array, index, 1) != 0:
            # Only read until it looks free: repeated exchanges would keep taking the cache line from the holder.
            while _fetch_add(array, index, 0) != 0:
                pass

    return spin


@overload(unlock)
def _compiled_unlock(array: Any, index: Any) -> Any:
    def release(array: Any, index: Any) -> Any:
        _release(array, index, 0)

    return release


@overload(float_bits, inline="always")
def _compiled_float_bits(value: Any) -> Any:
    def cast(value: Any) -> Any:
        return _float_bits(value)

    return cast


@overload(bits_float, inline="always")
def _compiled_bits_float(bits: Any) -> Any:
    def cast(bits: Any) -> Any:
        return _bits_float(bits)

    return cast
