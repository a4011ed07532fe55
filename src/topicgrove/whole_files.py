"""Atomic writes: files appear whole under their name, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FilePath = str | os.PathLike[str]

_PAUSES = (0.01, 0.1, 0.4, 1.0)
"""Seconds between attempts to replace a file on Windows, which fails while anything reads it, such as a scanner."""

_NO_SYNC = (errno.EINVAL, errno.ENOTSUP)
"""Errors of file systems, mostly of the network, that cannot sync a folder."""


@contextmanager
def whole_file(path: FilePath) -> Iterator[Path]:
    """Give a temporary file to write to, which takes the name ``path`` on leaving, synced to disk.

    After an error, only what was there before is left. Processes that write the same name don't disturb each
    other: the last one to finish wins. A symbolic link stays, and the file that it leads to is replaced, or made; a
    replaced file keeps its mode and, where possible, its owner. A pipe or character device is written to in place.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/note.txt") as unfinished:
    ...         _ = unfinished.write_text("done")
    ...     Path(f"{folder}/note.txt").read_text(), os.listdir(folder)
    ('done', ['note.txt'])
    """
    target = _file_behind(path)
    # Content for a pipe or device is first written to the system's temporary folder.
    handle, unfinished = _temporary_file(path, Path(tempfile.gettempdir()) if target is None else target.parent)
    try:
        os.close(handle)
        yield unfinished
        if target is None:
            with open(unfinished, "rb") as source, open(path, "wb") as sink:
                shutil.copyfileobj(source, sink)
        else:
            give_mode_and_owner(unfinished, target, usual_mode(0o666))
            sync(unfinished)
            take_name(unfinished, target)
            sync(target.parent)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: FilePath, content: str | bytes) -> None:
    """Write a file atomically; text in UTF-8."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def check_can_write(path: FilePath) -> None:
    """Raise OSError if `whole_file` cannot write there."""
    target = _file_behind(path)
    if target is not None:
        handle, probe = _temporary_file(path, target.parent)
        # Windows cannot remove open files.
        os.close(handle)
        probe.unlink()
    elif not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))


def temporary_prefix(path: FilePath) -> str:
    """The beginning of the name of a temporary file or folder that becomes ``path``; short even if that is long.

    >>> temporary_prefix("folder/" + "n" * 255)
    '.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.'
    """
    # A character has at most 4 bytes, a name 255.
    return f".{os.path.basename(path)[:50]}."


def sync(path: Path) -> None:
    """Sync a file, or the entries of a folder, to disk.

    Windows cannot sync a folder, and syncs files only through a writable handle.
    """
    is_folder = path.is_dir()
    if sys.platform == "win32":
        if is_folder:
            return
        handle = os.open(path, os.O_RDWR)
    else:
        handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if not is_folder or error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(handle)


def take_name(unfinished: Path, target: Path) -> None:
    """Rename a file or folder to its final name, replacing a file or an empty folder."""
    if sys.platform == "win32":
        if target.is_dir():
            target.rmdir()
        for pause in _PAUSES:
            with suppress(PermissionError):
                os.replace(unfinished, target)
                return
            time.sleep(pause)
    os.replace(unfinished, target)


def usual_mode(most: int) -> int:
    """Return the permissions that a new file or folder gets out of ``most``."""
    # The mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return most & ~mask


def give_mode_and_owner(unfinished: Path, target: Path, new_mode: int) -> None:
    """Give a file or folder the mode and owner of the one that it replaces; ``new_mode`` if there is none."""
    try:
        old = target.stat()
    except FileNotFoundError:
        os.chmod(unfinished, new_mode)
        return
    new = unfinished.stat()
    if sys.platform != "win32" and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        # Only root may change the owner, but users may choose among their groups.
        for uid, gid in ((-1, old.st_gid), (old.st_uid, -1)):
            with suppress(OSError):
                os.chown(unfinished, uid, gid)
    os.chmod(unfinished, old.st_mode & 0o777)


def _file_behind(path: FilePath) -> Path | None:
    """Return the file to make or replace, following links; None for a pipe or device, written to in place."""
    target = Path(os.path.realpath(path))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return target
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path}: is a directory; a file is to be written there")
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode):
        raise OSError(f"{path}: is a disk or socket; only files, pipes and character devices are written to")
    # A name in /dev/fd may belong to a deleted file.
    return target if stat.S_ISREG(mode) and target.exists() else None


def _temporary_file(path: FilePath, folder: Path) -> tuple[int, Path]:
    """Create a temporary file for ``path``; return its descriptor and name. Errors name ``path``."""
    try:
        handle, name = tempfile.mkstemp(".tmp", temporary_prefix(path), folder)
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, f"no such directory: {folder}", os.fspath(path)) from None
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    return handle, Path(name)
