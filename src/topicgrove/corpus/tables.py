"""Documents out of tables: CSV and TSV files, Parquet files, and data frames in memory."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import narwhals as nw

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.textfiles import FilePath, check_readable
from topicgrove.corpus.textlines import text_lines
from topicgrove.extras import needed

_BLOCK_CHARACTERS = 2**20
_BLOCK_ROWS = 2**16
_CELL_MAX_CHARACTERS = 64 * 2**20


def delimited(path: FilePath, fields: Fields, max_bytes: int, delimiter: str) -> Blocks:
    """The documents of a CSV or TSV file, whose first row names the columns."""
    # The default of 128 KiB is for the whole process, and less than a long document.
    csv.field_size_limit(max(csv.field_size_limit(), _CELL_MAX_CHARACTERS))
    name = os.fspath(path)
    rows = csv.reader(text_lines(path, fields, max_bytes), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    block: list[tuple[int, dict[str, Any]]] = []
    n_characters = 0
    for line, row in _numbered_rows(rows, name):
        if header is None:
            header = _checked_header(row, name, fields)
        elif row:
            if len(row) != len(header):
                raise ValueError(f"{name}:{line}: the row has {len(row)} cells; the header has {len(header)}")
            block.append((line, dict(zip(header, row, strict=True))))
            n_characters += sum(map(len, row))
            if n_characters >= _BLOCK_CHARACTERS:
                yield partial(_parse_rows, name, block, n_characters, fields)
                block, n_characters = [], 0
    if block:
        yield partial(_parse_rows, name, block, n_characters, fields)


def parquet(path: FilePath, fields: Fields, max_bytes: int) -> Blocks:
    """The documents of a Parquet file, a row each."""
    with needed("pyarrow", f"reading {path}"):
        import pyarrow
        from pyarrow import parquet as files
    check_readable(path)
    name = os.fspath(path)
    n_rows = n_bytes = 0
    try:
        # Not by its name: pyarrow reads a folder as a dataset.
        with open(path, "rb") as opened, files.ParquetFile(opened) as file:
            wanted = _wanted_columns(file.schema_arrow.names, fields, name)
            for batch in file.iter_batches(batch_size=1024, columns=wanted):
                n_bytes += batch.nbytes
                if n_bytes > max_bytes:
                    raise ValueError(f"{name}: more than max_bytes={max_bytes} bytes of text")
                yield partial(_parse_columns, name, n_rows, batch.to_pydict(), batch.nbytes, fields)
                n_rows += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        # Damage is an OSError to pyarrow, too, but has no number; those of the disk have one.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{name}: truncated or damaged Parquet file: {error}") from error


def data_frame(frame: Any, fields: Fields) -> Blocks:
    """The documents of a pandas, polars or Arrow table, a row each."""
    table = nw.from_native(frame, eager_only=True)
    wanted = _wanted_columns(table.columns, fields, "the data frame")
    for first in range(0, len(table), _BLOCK_ROWS):
        part = table[first : first + _BLOCK_ROWS].select(wanted)
        columns = {name: part[name].to_list() for name in wanted}
        yield partial(_parse_columns, "the data frame", first, columns, 0, fields)


def is_data_frame(value: Any) -> bool:
    """Whether a value is a table in memory that `data_frame` reads."""
    return isinstance(nw.from_native(value, eager_only=True, pass_through=True), nw.DataFrame)


def has_column(frame: Any, name: str) -> bool:
    """Whether a data frame has a column of that name."""
    return name in nw.from_native(frame, eager_only=True).columns


def as_list(values: Any) -> Any:
    """A column of a data frame as a list; any other iterable as it is."""
    column = nw.from_native(values, series_only=True, pass_through=True)
    return column.to_list() if isinstance(column, nw.Series) else values


def _numbered_rows(rows: Any, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line that each begins in."""
    line = 1
    try:
        for row in rows:
            yield line, row
            line = rows.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{name}:{line}: {error}") from error


def _checked_header(header: list[str], name: str, fields: Fields) -> list[str]:
    repeated = [column for column in header if header.count(column) > 1]
    if repeated:
        raise ValueError(f"{name}:1: the header has {repeated[0]!r} more than once")
    _wanted_columns(header, fields, f"{name}:1")
    return header


def _wanted_columns(columns: list[str], fields: Fields, place: str) -> list[str]:
    asked = [fields.text_field, fields.id_field, fields.title_field, fields.label_field]
    for column in asked:
        if column is not None and column not in columns:
            there = ", ".join(repr(name) for name in columns) or "none"
            raise ValueError(f"{place}: no field {column!r}; the fields are {there}")
    return [column for column in columns if column in (*asked, "id", "title")]


def _parse_rows(name: str, rows: list[tuple[int, dict[str, Any]]], n_bytes: int, fields: Fields) -> Documents:
    documents = Documents(n_bytes=n_bytes)
    for line, record in rows:
        documents.add(record, fields, partial("{}:{}".format, name, line))
    return documents


def _parse_columns(name: str, first: int, columns: dict[str, list[Any]], n_bytes: int, fields: Fields) -> Documents:
    documents = Documents(n_bytes=n_bytes)
    for row, values in enumerate(zip(*columns.values(), strict=True), start=first):
        documents.add(dict(zip(columns, values, strict=True)), fields, partial("{}: row {}".format, name, row))
    return documents
