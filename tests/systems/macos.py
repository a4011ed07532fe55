"""Remove from this process what macOS lacks; use it before importing TopicGrove."""

import errno
import io
import os
import pathlib
import sys
from typing import Any

FUNCTIONS = ("memfd_create", "posix_fadvise", "sched_getaffinity", "sched_setaffinity")


def become() -> None:
    """Make this process behave like one on macOS, as far as TopicGrove can tell."""
    sys.platform = "darwin"
    for name in FUNCTIONS:
        delattr(os, name)
    real = io.open

    def opened(file: Any, *more: Any, **options: Any) -> Any:
        if isinstance(file, str | os.PathLike) and os.fspath(file).startswith(("/proc/", "/sys/")):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
        return real(file, *more, **options)

    io.open = opened  # type: ignore[assignment]
    pathlib.io.open = opened  # type: ignore[attr-defined]
