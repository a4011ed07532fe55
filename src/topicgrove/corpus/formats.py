"""Detect the format of a file, folder or stream by its name or, failing that, by its beginning."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

from topicgrove.corpus.format_table import format_of_signature, format_of_suffix, is_stream, names_of_formats
from topicgrove.corpus.textfiles import NO_LIMIT, Source, TextStream, check_readable, open_lines
from topicgrove.corpus.zips import is_workbook

MANIFEST = "manifest.json"
_SPREADSHEET = "a spreadsheet that cannot be read; save it as .xlsx or .csv"
_ARCHIVE = "an archive that cannot be read; unpack it, or make a .zip of it"
_PAGES = "formatted text that cannot be read; save it as .txt"
_UNREADABLE = (
    dict.fromkeys((".xls", ".xlsb", ".ods"), _SPREADSHEET)
    | dict.fromkeys((".tar", ".tgz", ".7z", ".rar"), _ARCHIVE)
    | dict.fromkeys((".pdf", ".doc", ".docx", ".odt", ".rtf"), _PAGES)
)
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_LOOKED_AT = 8
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LDAC_LINE = re.compile(rb"[0-9]+( [0-9]+:[0-9]+)*")


def detect_format(path: Source) -> str:
    """Return the format of a file or folder.

    Parameters
    ----------
    path : str or path-like
        What to look at.

    Returns
    -------
    str
        "jsonl", "json" (an array), "csv", "tsv", "parquet", "xlsx", "zip", "folder" or "text", which hold texts;
        "uci", "ldac", "matrix-market" or "store", which hold counts.

    Raises
    ------
    ValueError
        If it is in a format that is known but cannot be read, such as that of old Excel files.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "notes"
    ...     _ = path.write_text('{"text": "a tree"}')
    ...     detect_format(path), detect_format(folder)
    ('jsonl', 'folder')
    """
    if isinstance(path, TextStream):
        return _format_of_stream(path)
    if os.path.isdir(path):
        return "store" if os.path.exists(os.path.join(path, MANIFEST)) else "folder"
    name = Path(path).name.lower()
    name = name.removesuffix(".gz").removesuffix(".zst")
    if name.startswith("docword.") and name.endswith(".txt"):
        return "uci"
    suffix = Path(name).suffix
    if suffix == ".json":
        return "json" if _beginning(path).startswith(b"[") else "jsonl"
    if suffix in _UNREADABLE:
        check_readable(path)
        raise ValueError(f"{os.fspath(path)}: {_UNREADABLE[suffix]}")
    return format_of_suffix(suffix) or _told_by_content(os.fspath(path))


def format_of_name(name: str) -> str | None:
    """Return the format of text that can be read as a stream, by its name; None if the name does not tell.

    >>> format_of_name("data/Reviews.CSV.gz"), format_of_name("readme.txt")
    ('csv', None)
    """
    suffix = Path(name.lower().removesuffix(".gz").removesuffix(".zst")).suffix
    kind = "jsonl" if suffix == ".json" else format_of_suffix(suffix)
    return kind if kind is not None and is_stream(kind) else None


def format_of(source: Source, given: str | None) -> str:
    """Return the format that the user gave, or else the detected one.

    >>> format_of("notes.dat", "csv")
    'csv'
    """
    if given is None:
        return detect_format(source)
    known = names_of_formats("stream", "file")
    if given not in known:
        raise ValueError(f"format must be one of {', '.join(known)}; got {given!r:.60}")
    if isinstance(source, TextStream):
        _check_stream(given, source)
    return given


def format_of_member(stream: TextStream, name: str) -> str:
    """Return the format of a stream that has the name of a file."""
    if name.lower().endswith(".json"):
        start = b"".join(stream.lines.peek_lines(3)).removeprefix(_BYTE_ORDER_MARK).lstrip()
        return "json" if start.startswith(b"[") else "jsonl"
    return format_of_name(name) or detect_format(stream)


def _format_of_stream(stream: TextStream) -> str:
    kind = _told_by_signature(stream.beginning, str(stream)) or _format_of_lines(stream.lines.peek_lines(3))
    _check_stream(kind, stream)
    return kind


def _check_stream(kind: str, stream: TextStream) -> None:
    if not is_stream(kind):
        readable = ", ".join(names_of_formats("stream"))
        raise ValueError(f"{stream}: {kind} can only be read from a file; of a stream, {readable} can be read")


def _beginning(path: Source) -> bytes:
    """Return the first bytes of a text file, from the first non-blank one on."""
    with open_lines(path, NO_LIMIT) as lines:
        for piece in islice(lines.pieces(), _LOOKED_AT):
            if start := piece.removeprefix(_BYTE_ORDER_MARK).lstrip():
                return start
    return b""


def _told_by_signature(beginning: bytes, name: str) -> str | None:
    if beginning == _OLD_EXCEL:
        raise ValueError(f"{name}: {_SPREADSHEET}")
    return format_of_signature(beginning)


def _told_by_content(path: str) -> str:
    check_readable(path)
    with open(path, "rb") as file:
        kind = _told_by_signature(file.read(4), path)
    if kind is not None:
        return "xlsx" if kind == "zip" and is_workbook(path) else kind
    # Only the beginning is read; the reader applies the real limit.
    with open_lines(path, NO_LIMIT) as lines:
        return _format_of_lines(lines.peek_lines(3))


def _format_of_lines(first: list[bytes]) -> str:
    """Return the format of a text by its first three lines."""
    start = first[0].removeprefix(_BYTE_ORDER_MARK).lstrip()
    if start.startswith(b"{"):
        return "jsonl"
    # Only an array of objects counts, even if each bracket has its own line: text may begin with a bracket.
    if start.startswith(b"[") and b"".join([start, *first[1:]])[1:].lstrip().startswith(b"{"):
        return "json"
    if start.startswith(b"%%MatrixMarket"):
        return "matrix-market"
    if all(line.strip().isdigit() for line in first):
        return "uci"
    used = [line for line in first if line]
    if b":" in first[0] and all(_LDAC_LINE.fullmatch(line.rstrip()) for line in used):
        return "ldac"
    return "text"
