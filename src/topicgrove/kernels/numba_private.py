"""All internals of Numba, and of llvmlite, that kernels use.

These names are not a stable interface, so pyproject.toml bounds Numba from above. Raise the bound when
``tests/kernels`` passes with a later version.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core import config as _config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.event import Listener, install_listener
from numba.core.imputils import impl_ret_untracked
from numba.core.serialize import dumps
from numba.core.typing.templates import AbstractTemplate, ConcreteTemplate, infer_global, signature

__all__ = [
    "WITHOUT_REFERENCE_COUNTS",
    "AbstractTemplate",
    "CompileResultCacheImpl",
    "ConcreteTemplate",
    "FunctionCache",
    "Listener",
    "NullCache",
    "cgutils",
    "config",
    "dumps",
    "impl_ret_untracked",
    "infer_global",
    "install_listener",
    "ir",
    "signature",
]

config: Any = _config
"""Numba's settings. ``CACHE_DIR`` is read when caching is enabled for a function."""

WITHOUT_REFERENCE_COUNTS = {"_nrt": False}
"""The option of ``njit`` for functions that allocate nothing."""
