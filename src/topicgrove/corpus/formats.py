"""Which format a path is in, told by its name and, failing that, by its beginning."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

from topicgrove.corpus.textfiles import FilePath, check_readable, open_lines

MANIFEST = "manifest.json"
COUNT_FORMATS = ("uci", "ldac", "matrix-market", "store")

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".mtx": "matrix-market",
    ".mm": "matrix-market",
    ".ldac": "ldac",
    ".lda-c": "ldac",
}
_LOOKED_AT = 8
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LDAC_LINE = re.compile(rb"[0-9]+( [0-9]+:[0-9]+)*")


def detect_format(path: FilePath) -> str:
    """The format of a file or folder.

    Parameters
    ----------
    path : str or path-like
        What to look at.

    Returns
    -------
    str
        "jsonl", "json" (an array), "csv", "tsv", "parquet", "folder" or "text", which hold texts; "uci", "ldac",
        "matrix-market" or "store", which hold counts.

    Raises
    ------
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
    if os.path.isdir(path):
        return "store" if os.path.exists(os.path.join(path, MANIFEST)) else "folder"
    name = Path(path).name.lower()
    name = name.removesuffix(".gz").removesuffix(".zst")
    if name.startswith("docword.") and name.endswith(".txt"):
        return "uci"
    suffix = Path(name).suffix
    if suffix == ".json":
        return "json" if _beginning(path).startswith(b"[") else "jsonl"
    return _SUFFIXES.get(suffix) or _told_by_content(path)


def _beginning(path: FilePath) -> bytes:
    """Some of the first bytes of a text file, from the first that is not blank on."""
    with open_lines(path, 2**62) as lines:
        for piece in islice(lines.pieces(), _LOOKED_AT):
            if start := piece.removeprefix(_BYTE_ORDER_MARK).lstrip():
                return start
    return b""


def _told_by_content(path: FilePath) -> str:
    check_readable(path)
    with open(path, "rb") as file:
        if file.read(4) == b"PAR1":
            return "parquet"
    # Beyond any beginning that counts: the real limit is that of the reader.
    with open_lines(path, 2**62) as lines:
        first = [lines.read_line() for _ in range(3)]
    start = first[0].removeprefix(_BYTE_ORDER_MARK).lstrip()
    if start.startswith(b"{"):
        return "jsonl"
    # Text in brackets is no array; an array of objects is one, even if each bracket has a line of its own.
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
