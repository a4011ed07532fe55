"""The decorators of kernels and their parts, and where their machine code is cached.

Numba's cache looks only at the file that defines a function, so a helper edited in another file would leave stale
machine code behind. The cache directory is therefore named by a hash over all kernel sources.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit

from topicgrove.kernels.numba_private import WITHOUT_REFERENCE_COUNTS, config

Function = TypeVar("Function", bound=Callable[..., Any])

# Everything of fast math but the promise that there are no infinities: dead topics score -inf.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz", "nnan"}


def _sources_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """TOPICGROVE_CACHE_DIR, else the user's cache folder."""
    given = os.environ.get("TOPICGROVE_CACHE_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "topicgrove"


def _usable_cache_directory() -> str:
    directory = _cache_root() / f"kernels-{_sources_hash()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError:
        # Nobody's home is writable on some clusters: compile afresh in a folder of this process.
        return tempfile.mkdtemp(prefix="topicgrove-kernels-")
    return str(directory)


CACHE_DIRECTORY = _usable_cache_directory()


PARTS_CALLABLE = os.environ.get("TOPICGROVE_CALL_PARTS") == "1"
"""Whether parts of kernels can be called from Python, too: a wrapper for each would take a seventh of compiling all."""


def _compile(function: Function, *, is_part: bool, fastmath: set[str] | bool = FAST_MATH, **options: Any) -> Function:
    before = config.CACHE_DIR
    config.CACHE_DIR = CACHE_DIRECTORY
    callable_from_python = PARTS_CALLABLE or not is_part
    try:
        # Kernels allocate nothing, so they need no reference counts: those cost four times the work itself.
        compiled = njit(
            nogil=True,
            cache=callable_from_python,
            error_model="numpy",
            fastmath=fastmath,
            no_cpython_wrapper=not callable_from_python,
            no_cfunc_wrapper=True,
            **WITHOUT_REFERENCE_COUNTS,
            **options,
        )(function)
    finally:
        config.CACHE_DIR = before
    return cast(Function, compiled)


def kernel(function: Function) -> Function:
    """Compile a function of arrays without the GIL, cached on disk, to be called from Python.

    Plain Python runs instead where ``NUMBA_DISABLE_JIT=1`` is set.
    """
    return _compile(function, is_part=False)


def part(function: Function) -> Function:
    """Compile a function that kernels call, and only they."""
    return _compile(function, is_part=True)


def exact_part(function: Function) -> Function:
    """A part whose arithmetic is that of the source to the last bit: nothing fused, reordered or estimated."""
    return _compile(function, is_part=True, fastmath=False)


def inlined(function: Function) -> Function:
    """A part of a kernel, copied into its caller: tuples of arrays then cost nothing, and it is optimised once."""
    return _compile(function, is_part=True, inline="always")


def is_warm() -> bool:
    """Whether machine code of these very sources is on disk already."""
    return any(Path(CACHE_DIRECTORY).rglob("documents.sweep*.nbi"))
