"""The decorators of kernels and their parts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from topicgrove.kernels.cache import cached
from topicgrove.kernels.numba_private import WITHOUT_REFERENCE_COUNTS

Function = TypeVar("Function", bound=Callable[..., Any])

# All of fast math except the promise that there are no infinities: dead topics score -inf.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz", "nnan"}


PARTS_CALLABLE = os.environ.get("TOPICGROVE_CALL_PARTS") == "1"
"""Whether Python can call parts of kernels, too. Their wrappers would take a seventh of the compile time."""


def _compile(function: Function, *, is_part: bool, fastmath: set[str] | bool = FAST_MATH, **options: Any) -> Function:
    callable_from_python = PARTS_CALLABLE or not is_part
    # Kernels allocate nothing, so they need no reference counts: those would cost four times the work itself.
    compiled = njit(
        nogil=True,
        error_model="numpy",
        fastmath=fastmath,
        no_cpython_wrapper=not callable_from_python,
        no_cfunc_wrapper=True,
        **WITHOUT_REFERENCE_COUNTS,
        **options,
    )(function)
    return cast(Function, cached(compiled) if callable_from_python else compiled)


def kernel(function: Function) -> Function:
    """Compile a function of arrays without the GIL, cached on disk, to be called from Python.

    Plain Python runs instead where ``NUMBA_DISABLE_JIT=1`` is set.
    """
    return _compile(function, is_part=False)


def part(function: Function) -> Function:
    """Compile a function that only kernels call."""
    return _compile(function, is_part=True)


def fused(function: Function) -> Function:
    """A part that is always compiled into its callers, so that handing it tuples of arrays costs nothing."""
    return _compile(function, is_part=True, forceinline=True)


def exact_part(function: Function) -> Function:
    """Compile a part with exact arithmetic, as in the source: nothing is fused, reordered or approximated."""
    return _compile(function, is_part=True, fastmath=False)


def inlined(function: Function) -> Function:
    """Compile a part that is inlined into its caller: tuples of arrays then cost nothing, and it is optimised once."""
    return _compile(function, is_part=True, inline="always")
