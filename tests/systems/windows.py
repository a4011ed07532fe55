"""Imitate in this process what Windows lacks or does differently; use it before importing TopicGrove."""

import ctypes
import errno
import fcntl
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

MODULES = ("fcntl", "grp", "posix_ipc", "pwd", "resource", "syslog", "termios", "tty")
FUNCTIONS = (
    *("chown", "fchmod", "fchown", "fork", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getuid", "killpg"),
    *("mkfifo", "posix_fadvise", "pread", "pwrite", "sched_getaffinity", "sched_setaffinity", "setsid", "statvfs"),
    *("sysconf", "uname"),
)
SIGNALS = ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2")
AVAILABLE = 8 * 2**30


def become() -> None:
    """Make this process behave like one on Windows, as far as TopicGrove can tell."""
    sys.platform = "win32"
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    sys.modules["msvcrt"] = _msvcrt()
    for name in FUNCTIONS:
        delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)
    signal.SIGBREAK = signal.Signals(21)  # type: ignore[attr-defined]
    ctypes.windll = SimpleNamespace(kernel32=SimpleNamespace(GlobalMemoryStatusEx=_memory_status))  # type: ignore[attr-defined]
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    _change(os, "open", _open)
    _change(os, "fsync", _fsync)
    for name in ("remove", "unlink", "rmdir", "rename", "replace"):
        _change(os, name, _moves(name))


def _change(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    setattr(owner, name, make(getattr(owner, name)))


def _msvcrt() -> ModuleType:
    module: Any = ModuleType("msvcrt")
    module.LK_NBLCK = 2

    def locking(handle: int, mode: int, n_bytes: int) -> None:
        assert (mode, n_bytes) == (module.LK_NBLCK, 1)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None

    module.locking = locking
    return module


def _memory_status(reference: Any) -> int:
    status = reference._obj
    assert status.length == ctypes.sizeof(status) == 64
    status.available_physical, status.available_page_file = AVAILABLE, 2 * AVAILABLE
    return 1


def _open(real: Any) -> Any:
    def opened(path: Any, flags: int, *more: Any, **options: Any) -> int:
        # Temporary files without a name are opened by their folder's, which is another thing.
        if os.path.isdir(path) and flags & os.O_TMPFILE != os.O_TMPFILE:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        handle: int = real(path, flags, *more, **options)
        return handle

    return opened


def _fsync(real: Any) -> Any:
    def synced(handle: int) -> None:
        if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        real(handle)

    return synced


def _moves(name: str) -> Callable[[Any], Any]:
    """Files that are open or mapped, and folders that hold one, are neither removed nor moved nor replaced."""

    def make(real: Any) -> Any:
        def moved(*paths: Any, **options: Any) -> None:
            source, target = paths[0], paths[-1]
            if name == "rename" and os.path.lexists(target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
            is_kept = name == "replace" and os.path.isdir(target)
            if is_kept or not set(_files(source, target)).isdisjoint(_in_use()):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), source)
            real(*paths, **options)

        return moved

    return make


def _files(*paths: Any) -> Iterator[tuple[int, int]]:
    for path in paths:
        inside = Path(path).rglob("*") if os.path.isdir(path) else ()
        for file in (Path(path), *inside):
            if file.is_file() and not file.is_symlink():
                yield _identity(file.stat())


def _in_use() -> Iterator[tuple[int, int]]:
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            status = os.fstat(int(descriptor))
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            yield _identity(status)
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = line.split(maxsplit=5)[5:]
        if path and path[0].startswith("/") and os.path.isfile(path[0]):
            yield _identity(os.stat(path[0]))


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
