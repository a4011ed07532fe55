"""The cache of compiled kernels: where it is, and how damaged or unsafe files are dealt with.

Numba's cache looks only at the file that defines a function, so a helper edited in another file would leave stale
machine code behind. The cache directory is therefore named by a hash over all kernel sources.

Numba unpickles its files, which can run any code, so a directory that others can write to is not used.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba

from topicgrove.kernels.numba_private import CompileResultCacheImpl, FunctionCache, NullCache, config, dumps

OTHERS_CAN_WRITE = 0o022


def sources_hash() -> str:
    """Return a hash of all kernel sources. Results of experiments are keyed by it, too."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """Return TOPICGROVE_CACHE_DIR, or else the user's cache folder."""
    given = os.environ.get("TOPICGROVE_CACHE_DIR")
    if given:
        return Path(given).absolute()
    usual = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else os.environ.get("XDG_CACHE_HOME")
    return Path(usual or Path.home() / ".cache") / "topicgrove"


def _others_can_write(status: os.stat_result) -> bool:
    """Return whether a folder belongs to another user or its mode lets others write to it.

    The mode is meaningless on Windows, where a user's folders belong to that user.
    """
    if sys.platform == "win32":
        return False
    return status.st_uid != os.geteuid() or bool(status.st_mode & OTHERS_CAN_WRITE)


def _directory_of_sources() -> Path:
    """Return where the cache of these sources belongs, whether it is there or not."""
    return _cache_root() / f"kernels-{sources_hash()}-{numba.__version__}"


def usable_directory() -> Path | None:
    """Make the cache directory for these sources; return None if that fails, and each process compiles for itself."""
    try:
        directory = _directory_of_sources()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            status = directory.stat()
    except (OSError, RuntimeError):
        # On some clusters home folders are not writable. RuntimeError means that there is no home folder.
        return None
    if _others_can_write(status):
        warnings.warn(
            f"{directory}: not used as a cache of compiled kernels, because others can write to it: remove it, or set "
            "TOPICGROVE_CACHE_DIR to a folder of your own",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return directory


@functools.cache
def directory() -> Path | None:
    """Return the cache directory of this process, which is made when the first kernel is compiled or loaded."""
    return usable_directory()


class _Sealed(CompileResultCacheImpl):
    """Compiled functions with a checksum: LLVM may crash on machine code with a wrong byte."""

    def reduce(self, compiled: Any) -> tuple[bytes, bytes]:
        data = dumps(super().reduce(compiled))
        return hashlib.sha256(data).digest(), data

    def rebuild(self, target_context: Any, payload: tuple[bytes, bytes]) -> Any:
        digest, data = payload
        if hashlib.sha256(data).digest() != digest:
            raise ValueError("the checksum does not match")
        return super().rebuild(target_context, pickle.loads(data))


class _Cache(FunctionCache):
    """Numba's cache of a function, which replaces unusable files."""

    _impl_class = _Sealed

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
            # Two processes that compile a function for different types at once may use the same file name.
            if found is None or tuple(found.signature.args) == tuple(sig):
                return found
        except Exception:
            # A damaged pickle can raise anything.
            pass
        self._start_again()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        # The cache is optional.
        with suppress(OSError):
            super().save_overload(sig, data)

    def _start_again(self) -> None:
        _warn_of_damage(self.cache_path)
        try:
            self.flush()
        except OSError:
            self.disable()


@functools.cache
def _warn_of_damage(path: str) -> None:
    """Warn once: Numba makes Python forget which warnings it has shown."""
    message = f"{path}: compiled kernels there are damaged, and are compiled again (seconds)"
    warnings.warn(message, RuntimeWarning, stacklevel=2)


class _CacheOnFirstUse:
    """The cache of a function, opened when the function is first called: importing kernels makes no directory.

    Numba calls it under its compiler lock.
    """

    def __init__(self, function: Any) -> None:
        self._function = function

    @functools.cached_property
    def _opened(self) -> Any:
        path = directory()
        if path is None:
            return NullCache()
        before = config.CACHE_DIR
        config.CACHE_DIR = str(path)
        try:
            return _Cache(self._function)
        finally:
            config.CACHE_DIR = before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened, name)


def cached(function: Any) -> Any:
    """Make Numba cache a compiled function on disk, if there is a cache directory."""
    if hasattr(function, "enable_caching"):  # not where NUMBA_DISABLE_JIT=1 is set
        function._cache = _CacheOnFirstUse(function.py_func)
    return function


def is_warm() -> bool:
    """Return whether these sources have been compiled and cached."""
    try:
        is_there = _directory_of_sources().exists()
    except (OSError, RuntimeError):
        return False
    path = directory() if is_there else None
    return path is not None and any(path.rglob("documents.sweep*.nbi"))
