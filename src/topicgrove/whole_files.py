"""Files that appear whole under their name, or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FilePath = str | os.PathLike[str]


@contextmanager
def whole_file(path: FilePath) -> Iterator[Path]:
    """A path beside ``path`` to write to; on leaving, that file is on disk and has taken the name.

    An error leaves what was there before, and nothing else. Processes that write the same name don't disturb each
    other: the last one to finish wins.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/note.txt") as unfinished:
    ...         _ = unfinished.write_text("done")
    ...     Path(f"{folder}/note.txt").read_text(), os.listdir(folder)
    ('done', ['note.txt'])
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target}: is a directory; a file is to be written there")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    except FileNotFoundError:
        raise FileNotFoundError(f"{target.parent}: no such directory") from None
    unfinished = Path(name)
    try:
        os.close(handle)
        yield unfinished
        os.chmod(unfinished, usual_mode(0o666))
        sync(unfinished)
        unfinished.replace(target)
        sync(target.parent)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(target)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: FilePath, content: str | bytes) -> None:
    """Write a file whole; text in UTF-8."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def sync(path: Path) -> None:
    """Bring a file or the entries of a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def usual_mode(most: int) -> int:
    """The permissions that a new file or folder gets of ``most``."""
    # There is no way to ask for the mask but to set it.
    mask = os.umask(0)
    os.umask(mask)
    return most & ~mask
