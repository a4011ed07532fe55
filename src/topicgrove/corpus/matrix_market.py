"""The MatrixMarket coordinate format: rows are documents, columns are words."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.count_matrix import MAX_SIZE, rows_of_triples, spell_out
from topicgrove.corpus.textfiles import (
    DEFAULT_MAX_BYTES,
    Chunk,
    FilePath,
    LineReader,
    open_lines,
    parse_number,
    quoted,
    read_vocabulary,
)
from topicgrove.corpus.tokens import Corpus
from topicgrove.corpus.uci import Header, check_header, check_ranges, records_at_once

_BANNER = re.compile(rb"%%matrixmarket\s+matrix\s+(\w+)\s+(\w+)\s+(\S+)\s*", re.IGNORECASE)
_REAL = re.compile(rb"[0-9]{1,20}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?")


def read_matrix_market(
    path: FilePath, vocabulary: FilePath | None = None, *, max_bytes: int = DEFAULT_MAX_BYTES
) -> Corpus:
    r"""Read a corpus from a MatrixMarket file, `.mtx` or `.mtx.gz`, whose rows are documents and columns words.

    The format is "coordinate", "general", with integer values, or real ones that are whole; values of the same
    document and word are summed.

    Parameters
    ----------
    path : str or path-like
        The matrix, plain, gzip or zstd.
    vocabulary : str or path-like, default=None
        A file with one word per line, in UTF-8.
    max_bytes : int, default=16 GiB
        Refuse a file with more bytes of text, counted while it is decompressed.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If the file is not in the format, contradicts its header, is cut short or too large, or claims more
        than fits into memory; the message starts with `file:line`.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "counts.mtx"
    ...     _ = path.write_text("%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 2\n2 3 1\n")
    ...     read_matrix_market(path)
    Corpus(n_docs=2, n_tokens=3, n_words=3)
    """
    with open_lines(path, max_bytes) as lines:
        header = _read_header(lines)
        records = _read_records(lines, header)
    documents, columns, counts = records
    rows = rows_of_triples(documents - 1, columns - 1, counts, header.n_docs, header.n_words)
    words, offsets = spell_out(rows, lambda document: f"{path}: document {document + 1}", str(path))
    words_of = None if vocabulary is None else read_vocabulary(vocabulary)
    return Corpus(words, offsets, header.n_words, words_of)


def _read_header(lines: LineReader) -> Header:
    banner = lines.read_line()
    match = _BANNER.fullmatch(banner)
    if match is None:
        raise lines.fault(1, f"expected '%%MatrixMarket matrix coordinate integer general', found {quoted(banner)}")
    layout, field, symmetry = (part.lower() for part in match.groups())
    if layout != b"coordinate" or field not in (b"integer", b"real") or symmetry != b"general":
        raise lines.fault(1, f"only 'coordinate', 'integer' or 'real', and 'general' are read, found {quoted(banner)}")
    line = b"%"
    while line.startswith(b"%"):
        number = lines.next_line
        line = lines.read_line()
    sizes = [parse_number(part) for part in line.split()]
    if len(sizes) != 3 or None in sizes:
        raise lines.fault(number, f"expected the numbers of rows, columns and entries, found {quoted(line)}")
    n_docs, n_words, n_records = (size or 0 for size in sizes)
    if not 1 <= n_docs <= MAX_SIZE:
        raise lines.fault(number, f"no documents or too many: the number of rows is {n_docs}")
    if not 1 <= n_words <= MAX_SIZE:
        raise lines.fault(number, f"no words or too many: the number of columns is {n_words}")
    header = Header(n_docs, n_words, n_records)
    check_header(header, lines, number, number)
    return header


def _read_records(lines: LineReader, header: Header) -> tuple[NDArray[np.int32], ...]:
    parts: list[NDArray[np.int32]] = [np.zeros((3, 0), np.int32)]
    n_records = 0
    for chunk in lines.chunks():
        records = records_at_once(chunk.data)
        if records is None:
            records = _records_one_by_one(chunk, lines)
        n_spare = header.n_records - n_records
        if len(records) > n_spare:
            raise lines.fault(chunk.first_line + n_spare, f"more entries than the {header.n_records} of the header")
        check_ranges(records, header, chunk.first_line, lines)
        n_records += len(records)
        parts.append(records.T.astype(np.int32, order="C"))
    if n_records < header.n_records:
        raise lines.fault(
            lines.next_line - 1, f"the file ends after {n_records} entries; its header says {header.n_records}"
        )
    return tuple(np.concatenate([part[field] for part in parts]) for field in range(3))


def _records_one_by_one(chunk: Chunk, lines: LineReader) -> NDArray[np.int64]:
    records = []
    for number, line in enumerate(chunk.data.removesuffix(b"\n").split(b"\n"), start=chunk.first_line):
        fields = line.split()
        record = [parse_number(field) for field in fields[:2]] + [_whole(field) for field in fields[2:]]
        if len(record) != 3 or None in record:
            raise lines.fault(number, f"expected 'row column count' with a whole count, found {quoted(line)}")
        records.append(record)
    return np.array(records, dtype=np.int64)


def _whole(field: bytes) -> int | None:
    """Return a whole number, even if written as a real one; None for others."""
    number = parse_number(field)
    if number is None and _REAL.fullmatch(field):
        value = float(field)
        return int(value) if value.is_integer() and value < 2**53 else None
    return number
