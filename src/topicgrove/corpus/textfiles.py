"""Read text files and streams, plain, gzip or zstd, by whole lines; numbers in them; vocabulary files."""

import errno
import gzip
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import BinaryIO, NamedTuple, TypeAlias, cast

import numpy as np
import zstandard
from numpy.typing import NDArray

from topicgrove.free_memory import free_memory

FilePath: TypeAlias = str | PathLike[str]

DEFAULT_MAX_BYTES = 16 * 2**30
"""Most bytes of a file once decompressed, by default: enough for PubMed, the largest UCI corpus."""

DOCUMENT_MAX_BYTES = 64 * 2**20
"""Most bytes of a document (a line, a record or a file): split into words, it takes many times its size."""

NO_LIMIT = 2**62
"""No limit, where a later step applies one."""

_MAGIC_BYTES = 4
_VOCABULARY_MAX_BYTES = 2**28
_LEAST_FREE = 2**28
_BYTES_BETWEEN_LOOKS = 2**22
_CHUNK_BYTES = 2**20
_MAX_DIGITS = 18
_WHOLE_NUMBER = re.compile(rb"-?[0-9]{1,%d}" % _MAX_DIGITS)


class Chunk(NamedTuple):
    """Whole lines of a file, each with its newline, of which the first is number `first_line`.

    `share` is the share of the file read by then, in bytes on disk; None if it is not on disk.
    """

    first_line: int
    data: bytes
    share: float | None


class Numbers(NamedTuple):
    """Numbers found in bytes: number i is `values[i]`, spelled from byte `begins[i]` to before `ends[i]`."""

    values: NDArray[np.int64]
    begins: NDArray[np.intp]
    ends: NDArray[np.intp]


class LineReader:
    """A text file read once, front to back, that counts its lines and its bytes.

    Damaged compression, too many bytes and endless lines raise ValueError naming the file, and are
    noticed after a bounded number of bytes.
    """

    def __init__(
        self, file: BinaryIO, path: str, max_bytes: int, on_disk: BinaryIO | None = None, packing: str = "gzip"
    ) -> None:
        self.path = path
        self.next_line = 1
        self._file = file
        self._packing = packing
        self._on_disk = on_disk
        self._size = 0 if on_disk is None else os.fstat(on_disk.fileno()).st_size
        self._max_bytes = max_bytes
        self._n_bytes = 0
        self._next_look = _BYTES_BETWEEN_LOOKS
        self._pending = b""
        self._begin = 0
        self._is_over = False

    def limit(self, max_bytes: int) -> None:
        """Limit the bytes of text, including those already read."""
        self._max_bytes = max_bytes
        self._check_bytes()

    def peek_lines(self, n_lines: int) -> list[bytes]:
        """Return the next lines without newlines, empty beyond the end, without consuming them."""
        while self._pending.count(b"\n", self._begin) < n_lines and self._read_more():
            pass
        lines = self._pending[self._begin :].split(b"\n", n_lines)[:n_lines]
        return [line.rstrip(b"\r") for line in lines] + [b""] * (n_lines - len(lines))

    def read_line(self) -> bytes:
        """Read the next line, without its newline."""
        while (end := self._pending.find(b"\n", self._begin)) < 0:
            self._drop_read_lines()
            if not self._read_more():
                end = len(self._pending)
                break
        line = self._pending[self._begin : end]
        self._begin = end + 1
        self.next_line += 1
        return line.rstrip(b"\r")

    def chunks(self) -> Iterator[Chunk]:
        """Give the remaining lines in order, except blank lines at the end of the file."""
        self._drop_read_lines()
        while self._read_more():
            last_newline = self._pending.rfind(b"\n")
            # Blank lines stay pending until it is known whether anything follows them.
            last_text = len(self._pending[: last_newline + 1].rstrip())
            if last_text:
                yield self._take(self._pending.index(b"\n", last_text) + 1)
        # The last line may have no newline; white space at its end belongs to it, such as the tab before an empty cell.
        if last_text := len(self._pending.rstrip()):
            self._pending += b"\n"
            yield self._take(self._pending.index(b"\n", last_text) + 1)
        self._pending = b""

    def pieces(self) -> Iterator[bytes]:
        """Give the remaining bytes in pieces, regardless of lines."""
        self._drop_read_lines()
        while self._pending or self._read_more():
            piece, self._pending = self._pending, b""
            self.next_line += piece.count(b"\n")
            yield piece

    def rest(self, most: int) -> bytes:
        """Return the remaining bytes, at most ``most``."""
        self._drop_read_lines()
        pieces = [self._pending]
        self._pending = b""
        while self._read_more():
            if self._n_bytes > most:
                raise ValueError(f"{self.path}: more than {most} bytes of text, the most that such a file may have")
            pieces.append(self._pending)
            self._pending = b""
        return b"".join(pieces)

    @property
    def share(self) -> float | None:
        """Return the share of the file that has been read, in bytes on disk; None if it is not on disk."""
        return None if self._on_disk is None else min(1.0, self._on_disk.tell() / max(self._size, 1))

    def fault(self, line: int, message: str) -> ValueError:
        """Return the error to raise for a line."""
        return ValueError(f"{self.path}:{line}: {message}")

    def _take(self, n_bytes: int) -> Chunk:
        chunk = Chunk(self.next_line, self._pending[:n_bytes], self.share)
        self._pending = self._pending[n_bytes:]
        self.next_line += chunk.data.count(b"\n")
        return chunk

    def _drop_read_lines(self) -> None:
        self._pending = self._pending[self._begin :]
        self._begin = 0

    def _last_line(self) -> int:
        return self.next_line - 1 + self._pending.count(b"\n")

    def _check_bytes(self) -> None:
        if self._n_bytes > self._max_bytes:
            raise ValueError(f"{self.path}: more than max_bytes={self._max_bytes} bytes of text")

    def _read_more(self) -> bool:
        if self._is_over:
            return False  # Reading again, a terminal would wait for more input.
        try:
            data = self._file.read(_CHUNK_BYTES)
        except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"{self.path}: truncated or damaged {self._packing} file after line {self._last_line()}: {error}"
            ) from error
        self._is_over = not data
        self._n_bytes += len(data)
        self._check_bytes()
        if len(self._pending) > DOCUMENT_MAX_BYTES:
            raise self.fault(
                self.next_line, f"the line, or run of blank lines, is longer than {DOCUMENT_MAX_BYTES} bytes"
            )
        if self._n_bytes > self._next_look:
            self._next_look = self._n_bytes + _BYTES_BETWEEN_LOOKS
            check_memory_left(self.path, f"after line {self._last_line()}")
        self._pending += data
        return bool(data)


def check_memory_left(path: FilePath, place: str) -> None:
    """Raise OSError if memory is used up."""
    if free_memory() < _LEAST_FREE:
        raise OSError(errno.ENOMEM, f"too large for the memory that is free, {place}", os.fspath(path))


class ZstdReader:
    """The text of a zstd file, which may have many frames.

    zstandard's own reader takes the end of a truncated file for the end of the text.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._left = b""

    def read(self, n_bytes: int) -> bytes:
        """Read about ``n_bytes`` bytes and at least one; none at the end."""
        pieces = []
        n_read = 0
        while n_read < n_bytes:
            # A kilobyte unpacks to 32 megabytes at most.
            data = self._left or self._file.read(1024)
            self._left = b""
            if not data:
                if self._frame is not None:
                    raise EOFError("the file ended in the middle of a frame")
                break
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            pieces.append(self._frame.decompress(data))
            n_read += len(pieces[-1])
            if self._frame.eof:
                self._left = self._frame.unused_data
                self._frame = None
        return b"".join(pieces)


def check_readable(path: FilePath) -> None:
    """Raise OSError if a file is missing or is a pipe, where open() might wait forever for a writer."""
    if stat.S_ISFIFO(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "a pipe cannot be read as a corpus file", os.fspath(path))


class TextStream:
    """Text that is read once, sequentially: standard input, an open file, or a member of an archive.

    Gzip and zstd are recognised by their first bytes. ``on_disk`` tells the progress of reading; ``packing`` is the
    compression of the stream itself.

    >>> stream = TextStream(io.BytesIO(gzip.compress(b"an old tree")), "standard input")
    >>> stream.lines.peek_lines(1), str(stream)
    ([b'an old tree'], 'standard input')
    """

    def __init__(self, file: BinaryIO, name: str, on_disk: BinaryIO | None = None, packing: str = "gzip") -> None:
        beginning = b""
        while len(beginning) < _MAGIC_BYTES and (more := file.read(_MAGIC_BYTES - len(beginning))):
            if not isinstance(more, bytes):
                raise TypeError(f"{name}: a file of text; open it in binary mode, or give its buffer")
            beginning += more
        self.beginning = beginning
        self.lines = _line_reader(cast(BinaryIO, _Rewound(beginning, file)), beginning, name, on_disk, packing)

    def __str__(self) -> str:
        return self.lines.path


class _Rewound:
    """A stream with the bytes already read put back in front."""

    def __init__(self, beginning: bytes, file: BinaryIO) -> None:
        self._beginning = beginning
        self._file = file

    def read(self, n_bytes: int) -> bytes:
        if not self._beginning:
            return self._file.read(n_bytes)
        piece, self._beginning = self._beginning[:n_bytes], self._beginning[n_bytes:]
        return piece


Source: TypeAlias = FilePath | TextStream
"""What a reader of text reads."""


def as_source(given: FilePath | BinaryIO | TextStream) -> Source:
    """Return what a user gives to read, checked: a path or an open file."""
    if isinstance(given, str | PathLike | TextStream):
        return given
    if not hasattr(given, "read"):
        raise TypeError(f"path must be a path or an open binary file; got {given!r:.60}")
    name = getattr(given, "name", None)
    return TextStream(given, name if isinstance(name, str) else "the file")


def name_of(source: Source) -> str:
    """Return the name of a file or stream in messages."""
    return str(source) if isinstance(source, TextStream) else os.fspath(source)


@contextmanager
def open_lines(source: Source, max_bytes: int) -> Iterator[LineReader]:
    """Open a text file; gzip and zstd are recognised by their first bytes, not by name."""
    if isinstance(source, TextStream):
        source.lines.limit(max_bytes)
        yield source.lines
        return
    check_readable(source)
    with open(source, "rb") as file:
        lines = _line_reader(file, file.peek(_MAGIC_BYTES), os.fspath(source), file)
        lines.limit(max_bytes)
        yield lines


def _line_reader(
    file: BinaryIO, beginning: bytes, name: str, on_disk: BinaryIO | None, packing: str = "gzip"
) -> LineReader:
    """Return a reader of the decompressed lines of a file with these first bytes."""
    if beginning[:2] == b"\x1f\x8b":
        file, packing = cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb")), "gzip"
    elif beginning[:_MAGIC_BYTES] == zstandard.FRAME_HEADER:
        file, packing = cast(BinaryIO, ZstdReader(file)), "zstd"
    return LineReader(file, name, NO_LIMIT, on_disk, packing)


def find_numbers(data: bytes, separators: bytes) -> Numbers | None:
    """Find all numbers of a text at once; None if it holds anything but short numbers and separators."""
    if data.translate(None, delete=b"0123456789" + separators):
        return None
    text = np.frombuffer(data, dtype=np.uint8)
    digits = text - np.uint8(ord("0"))
    is_digit = np.zeros(len(text) + 2, dtype=np.bool_)
    np.less(digits, 10, out=is_digit[1:-1])
    begins, ends = np.flatnonzero(is_digit[1:] != is_digit[:-1]).reshape(-1, 2).T
    lengths = ends - begins
    longest = int(lengths.max(initial=0))
    if longest > _MAX_DIGITS:
        return None
    values = digits[ends - 1].astype(np.int64)
    for place in range(1, longest):
        long = np.flatnonzero(lengths > place)
        values[long] += 10**place * digits[ends[long] - 1 - place].astype(np.int64)
    return Numbers(values, begins, ends)


def parse_number(field: bytes) -> int | None:
    """Return the value of a whole number; None if the field is none or has more than 18 digits."""
    return int(field) if _WHOLE_NUMBER.fullmatch(field) else None


def quoted(line: bytes) -> str:
    """Return a line as shown in an error message."""
    return repr(line[:60])[1:] + ("..." if len(line) > 60 else "")


def read_vocabulary(path: FilePath) -> tuple[str, ...]:
    """Read a vocabulary, one word per line, in UTF-8 with or without a byte-order mark.

    Raises
    ------
    ValueError
        If the file is not UTF-8, or holds a NUL byte, an empty line or a word twice.
    """
    with open_lines(path, DEFAULT_MAX_BYTES) as lines:
        data = lines.rest(_VOCABULARY_MAX_BYTES)
    line_of: dict[str, int] = {}
    n_bytes = 0
    # Not splitlines(), which would also split at U+2028 and form feeds inside a word, and make all words at once.
    for number, line in enumerate(io.BytesIO(data or b"\n"), start=1):
        try:
            word = line.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            place = n_bytes + error.start
            raise ValueError(f"{os.fspath(path)}: invalid UTF-8 at byte {place}: {error.reason}") from error
        n_bytes += len(line)
        if number == 1:
            word = word.removeprefix("\ufeff")
        if not word.strip():
            raise lines.fault(number, "empty line; a vocabulary has one word in each")
        if "\0" in word:
            raise lines.fault(number, "NUL byte in a word")
        if word in line_of:
            raise lines.fault(number, f"the word {word!r:.60} was on line {line_of[word]} already")
        line_of[word] = number
    return tuple(line_of)
