"""Kernels need no special processor: LLVM compiles them for those of other systems as well."""

import re
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest

from topicgrove.kernels.hardware import bits_float, fetch_add, float_bits, lock, prefetch, unlock
from topicgrove.kernels.numba_private import WITHOUT_REFERENCE_COUNTS
from topicgrove.kernels.vectors import lanes_for, load_lanes, store_lanes

TARGETS = {"macos": "arm64-apple-macosx11.0.0", "windows": "x86_64-pc-windows-msvc", "linux": "aarch64-linux-gnu"}
LANES = lanes_for(4)

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def hold(control: Any, counts: Any) -> None:
    lock(control, 0)
    counts[0] += 1
    unlock(control, 0)


def add(control: Any, counts: Any) -> None:
    counts[1] = fetch_add(control, 0, 3)


def fetch(matrix: Any, floats: Any) -> None:
    prefetch(matrix, 2, 1)
    floats[0] = bits_float(float_bits(floats[1]) + 1)


def vectors(matrix: Any, floats: Any) -> None:
    row = load_lanes(matrix, 0, LANES)
    store_lanes(matrix, 1, row * row + row)


def assembly(function: Any, target: str, *arguments: Any) -> str:
    """Compile a kernel by LLVM for another processor and system."""
    compiled = numba.njit(nogil=True, error_model="numpy", **WITHOUT_REFERENCE_COUNTS)(function)
    compiled(*arguments)
    (text,) = compiled.inspect_llvm().values()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(target).create_target_machine(opt=2)
    text = re.sub("target triple = .*", f'target triple = "{target}"', text)
    text = re.sub("target datalayout = .*", f'target datalayout = "{machine.target_data}"', text)
    module = llvm.parse_assembly(text)
    module.verify()
    return str(machine.emit_assembly(module))


CASES = {
    "hold": (hold, np.zeros(1, np.int64), np.zeros(2, np.int64)),
    "add": (add, np.zeros(1, np.int64), np.zeros(2, np.int64)),
    "fetch": (fetch, np.zeros((3, 4), np.float32), np.zeros(4, np.float32)),
    "vectors": (vectors, np.zeros((3, 4), np.float32), np.zeros(4, np.float32)),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_every_primitive_compiles_for_it(case: str, target: str) -> None:
    function, *arguments = CASES[case]
    assert function.__name__ in assembly(function, TARGETS[target], *arguments)


@pytest.mark.parametrize("target", ["macos", "linux"])
def test_a_lock_orders_memory_where_processors_reorder_it(target: str) -> None:
    """Arm's loads and stores pass each other, but for those that acquire and release."""
    code = assembly(CASES["hold"][0], TARGETS[target], *CASES["hold"][1:])
    assert re.search(r"\b(ldaxr|swpa|casa|__aarch64_swp\d_acq)\b", code)
    assert re.search(r"\bstlr\b", code)
