"""Lock a folder for one process, until it ends in any way."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def lock(path: Path) -> int:
    """Lock a file, creating it if needed; the lock lasts until the returned descriptor is closed."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise BlockingIOError(error.errno, "another run writes its checkpoints there", str(path.parent)) from None
    return handle
