"""Read members of zip files in place: nothing is ever unpacked to disk."""

from __future__ import annotations

import errno
import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from topicgrove.corpus.textfiles import FilePath, TextStream, check_readable

WORKBOOK = "xl/workbook.xml"
"""The member that identifies an Excel workbook."""

DAMAGE = (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError, LookupError,
          struct.error, zlib.error)  # fmt: skip
"""Exceptions that zipfile raises for damaged files."""

_JUNK = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_ENCRYPTED = 0x1
_DRIVE_LENGTH = 2


class Archive:
    """An open zip file."""

    def __init__(self, name: str, file: BinaryIO, members: zipfile.ZipFile) -> None:
        self.name = name
        self._file = file
        self._zip = members

    @property
    def share(self) -> float:
        """Return about what share of it has been read, in bytes on disk."""
        return min(1.0, self._file.tell() / max(os.fstat(self._file.fileno()).st_size, 1))

    def members(self) -> list[zipfile.ZipInfo]:
        """Return its files, without those that operating systems add."""
        return [
            member
            for member in self._zip.infolist()
            if not member.is_dir() and not member.filename.startswith(_JUNK[0]) and _base(member) not in _JUNK
        ]

    def check(self, members: list[zipfile.ZipInfo]) -> None:
        """Refuse members that are not plain files with a unique name inside the archive."""
        times = Counter(member.filename for member in members)
        for member in members:
            reason = _fault(member)
            if reason is None and times[member.filename] > 1:
                reason = "the archive has several files of this name"
            if reason is not None:
                raise ValueError(f"{self.place(member)}: {reason}")

    def place(self, member: zipfile.ZipInfo) -> str:
        """Return the name of a member in messages."""
        return f"{self.name}:{member.filename}"

    def open(self, member: zipfile.ZipInfo) -> BinaryIO:
        """Open the bytes of a member, never more than its header says."""
        with _noticing_damage(self.name):
            return cast(BinaryIO, self._zip.open(member))

    def stream(self, member: zipfile.ZipInfo) -> TextStream:
        """Open the text of a member."""
        try:
            return TextStream(self.open(member), self.place(member), self._file, "zip")
        except (zipfile.BadZipFile, EOFError, zlib.error) as error:
            raise self.damaged(error) from error

    def find(self, name: str) -> zipfile.ZipInfo | None:
        """Return the member of that name, checked."""
        found = [member for member in self._zip.infolist() if member.filename == name]
        self.check(found)
        return found[0] if found else None

    def damaged(self, error: Exception) -> ValueError:
        """Return the error to raise for content that cannot be read."""
        return _damaged(self.name, error)


@contextmanager
def open_zip(path: FilePath) -> Iterator[Archive]:
    """Open a zip file; raise ValueError with its name if it is damaged or no zip file."""
    check_readable(path)
    name = os.fspath(path)
    with open(path, "rb") as file:
        with _noticing_damage(name):
            members = zipfile.ZipFile(file)
        with members:
            yield Archive(name, file, members)


@contextmanager
def _noticing_damage(name: str) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        raise _damaged(name, error) from error
    except OSError as error:
        # EINVAL means a seek to before the beginning of the file.
        if error.errno != errno.EINVAL:
            raise
        raise _damaged(name, error) from error


def _damaged(name: str, error: Exception) -> ValueError:
    return ValueError(f"{name}: truncated or damaged zip file, or none at all: {error}")


def is_workbook(path: FilePath) -> bool:
    """Return whether a zip file is an Excel workbook."""
    try:
        with open_zip(path) as archive:
            return archive.find(WORKBOOK) is not None
    except ValueError:
        return False  # The reader will say why.


def _base(member: zipfile.ZipInfo) -> str:
    return member.filename.rpartition("/")[2]


def _fault(member: zipfile.ZipInfo) -> str | None:
    """Return why a member is refused; None if it is accepted."""
    parts = member.filename.replace("\\", "/").split("/")
    if ".." in parts or parts[0] == "" or (len(parts[0]) == _DRIVE_LENGTH and parts[0][1] == ":"):
        return "the name leads out of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "a link; archives must hold the files themselves"
    if member.flag_bits & _ENCRYPTED:
        return "encrypted; unpack the archive with its password"
    # zipfile decompresses other methods without bounds.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"compressed by method {member.compress_type}; only stored and deflated files can be read"
    return None
