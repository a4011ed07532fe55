"""The formats of files and folders. The command line shows their names, so nothing heavy is imported here."""

from __future__ import annotations

from typing import Literal, NamedTuple


class FileFormat(NamedTuple):
    """A format: its content, its sources, what identifies it, and the place of its reader.

    Readers of texts take source, fields and a limit on bytes, and return blocks (`documents.py`). Readers of counts
    take path and a limit on bytes, ``max_bytes``, and return a `Corpus`.
    """

    reader: str
    holds: Literal["texts", "counts"]
    source: Literal["stream", "file", "folder"]
    suffixes: tuple[str, ...] = ()
    signature: bytes = b""


FORMATS = {
    "jsonl": FileFormat("topicgrove.corpus.textlines:json_lines", "texts", "stream", (".jsonl", ".ndjson")),
    "json": FileFormat("topicgrove.corpus.json_arrays:json_array", "texts", "stream"),
    "csv": FileFormat("topicgrove.corpus.tables:comma_separated", "texts", "stream", (".csv",)),
    "tsv": FileFormat("topicgrove.corpus.tables:tab_separated", "texts", "stream", (".tsv",)),
    "text": FileFormat("topicgrove.corpus.textlines:plain_lines", "texts", "stream"),
    "parquet": FileFormat("topicgrove.corpus.parquet_files:parquet", "texts", "file", (".parquet",), b"PAR1"),
    "xlsx": FileFormat("topicgrove.corpus.excel:workbook", "texts", "file", (".xlsx", ".xlsm")),
    "zip": FileFormat("topicgrove.corpus.sources:zip_file", "texts", "file", (".zip",), b"PK\x03\x04"),
    "uci": FileFormat("topicgrove.corpus.uci:read_uci", "counts", "file"),
    "ldac": FileFormat("topicgrove.corpus.ldac:read_ldac", "counts", "file", (".ldac", ".lda-c")),
    "matrix-market": FileFormat(
        "topicgrove.corpus.matrix_market:read_matrix_market", "counts", "file", (".mtx", ".mm")
    ),
    "folder": FileFormat("topicgrove.corpus.folders:text_folder", "texts", "folder"),
    "store": FileFormat("topicgrove.corpus.store:read_store", "counts", "folder"),
}
"""Every format by its name for ``format``; folders are recognised without one."""


def holds_counts(kind: str) -> bool:
    """Return whether a format holds counts, to which text rules do not apply.

    >>> holds_counts("csv"), holds_counts("uci")
    (False, True)
    """
    return FORMATS[kind].holds == "counts"


def is_stream(kind: str) -> bool:
    """Return whether a format can be read from a stream, such as standard input."""
    return FORMATS[kind].source == "stream"


def names_of_formats(*sources: str) -> tuple[str, ...]:
    """Return the names of formats that can be read from these sources.

    >>> names_of_formats("stream")
    ('jsonl', 'json', 'csv', 'tsv', 'text')
    """
    return tuple(name for name, entry in FORMATS.items() if entry.source in sources)


def format_of_suffix(suffix: str) -> str | None:
    """Return the format of files with a suffix; None if the suffix identifies none."""
    return next((name for name, entry in FORMATS.items() if suffix in entry.suffixes), None)


def format_of_signature(beginning: bytes) -> str | None:
    """Return the format of a file by its first four bytes; None if they identify none."""
    return next((name for name, entry in FORMATS.items() if entry.signature and entry.signature == beginning), None)
