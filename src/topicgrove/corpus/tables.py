"""Read documents from tables: CSV and TSV files, and data frames in memory."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import narwhals as nw

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.names import columns_of, listed
from topicgrove.corpus.textfiles import DOCUMENT_MAX_BYTES, Source, open_lines
from topicgrove.corpus.textlines import text_lines

SEPARATORS = ",;\t|"
"""Possible separators of a CSV file's cells."""

_BLOCK_CHARACTERS = 2**20
_BLOCK_ROWS = 2**16
_ROW_MAX_CHARACTERS = 2 * DOCUMENT_MAX_BYTES


def comma_separated(source: Source, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a CSV file, whichever of the usual separators it has."""
    return delimited(source, fields, max_bytes, SEPARATORS)


def tab_separated(source: Source, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a TSV file."""
    return delimited(source, fields, max_bytes, "\t")


def delimited(source: Source, fields: Fields, max_bytes: int, separators: str) -> Blocks:
    """Read the documents of a CSV or TSV file, whose first row names the columns.

    The separator is the first one that gives the first line the columns of the text.
    """
    # The limit holds for the whole process; its default of 128 KiB is too small for long documents.
    csv.field_size_limit(max(csv.field_size_limit(), DOCUMENT_MAX_BYTES))
    n_columns: int | None = None
    wanted: dict[str, int] = {}
    block: list[tuple[int, dict[str, Any]]] = []
    n_characters = 0
    with open_lines(source, max_bytes) as lines:
        texts = text_lines(lines, fields)
        header = next(texts, "")
        rows = _RowLines(chain([header] if header else [], texts), lines.path)
        for line, row in rows.rows(separator(header, separators, fields)):
            if n_columns is None:
                n_columns, wanted = len(row), positions(row, f"{lines.path}:1", fields)
            elif row:
                if len(row) != n_columns:
                    raise lines.fault(line, f"the row has {len(row)} cells; the header has {n_columns}")
                block.append((line, {column: row[i] for column, i in wanted.items()}))
                n_characters += len(row) + sum(map(len, row))
                if n_characters >= _BLOCK_CHARACTERS:
                    yield partial(_parse_rows, lines.path, block, n_characters, lines.share, fields)
                    block, n_characters = [], 0
        if block:
            yield partial(_parse_rows, lines.path, block, n_characters, lines.share, fields)


def separator(header: str, separators: str, fields: Fields) -> str:
    r"""Choose the first separator that gives a line the columns of the text, or else the most columns.

    >>> separator("id;text\n", SEPARATORS, Fields()), separator("text\n", SEPARATORS, Fields())
    (';', ',')
    """
    n_columns = dict.fromkeys(separators, 0)
    for one in separators if len(separators) > 1 else "":
        try:
            columns = next(csv.reader([header], delimiter=one, strict=True))
            n_columns[one] = len(columns)
            columns_of(set(columns), fields.text_field, ())
        except (csv.Error, KeyError):
            continue
        return one
    return max(separators, key=n_columns.__getitem__)


def data_frame(frame: Any, fields: Fields) -> Blocks:
    """Read the documents of a pandas, polars or Arrow table, one per row."""
    table = nw.from_native(frame, eager_only=True)
    wanted = wanted_columns(table.columns, fields, "the data frame")
    for first in range(0, len(table), _BLOCK_ROWS):
        part = table[first : first + _BLOCK_ROWS].select(wanted)
        columns = {name: part[name].to_list() for name in wanted}
        yield partial(parse_columns, "the data frame", first, columns, Documents(), fields)


def is_data_frame(value: Any) -> bool:
    """Return whether a value is a table in memory that `data_frame` reads."""
    return isinstance(nw.from_native(value, eager_only=True, pass_through=True), nw.DataFrame)


def check_not_lazy(value: Any, name: str) -> None:
    """Refuse a lazy data frame."""
    if isinstance(nw.from_native(value, pass_through=True), nw.LazyFrame):
        raise TypeError(f"{name} is a {type(value).__name__}; compute it first, {name}.collect()")


def has_column(frame: Any, name: str) -> bool:
    """Return whether a data frame has a column of that name."""
    return name in nw.from_native(frame, eager_only=True).columns


def as_list(values: Any) -> Any:
    """Return a data frame's column or an Arrow array as a list, any other iterable as it is."""
    column = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(column, nw.Series):
        return column.to_list()
    return values.to_pylist() if hasattr(values, "to_pylist") and hasattr(values, "null_count") else values


class _RowLines:
    """The lines of a table for csv.reader, with a limit on the length of each row."""

    def __init__(self, lines: Iterator[str], name: str) -> None:
        self._lines = lines
        self._name = name
        self._first_line = 1
        self._n_characters = 0

    def rows(self, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """Give rows with the line in which each begins."""
        rows = csv.reader(self, delimiter=delimiter, strict=True)
        try:
            for row in rows:
                yield self._first_line, row
                self._first_line = rows.line_num + 1
                self._n_characters = 0
        except csv.Error as error:
            raise ValueError(f"{self._name}:{self._first_line}: {error}") from error

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._n_characters += len(line)
            if self._n_characters > _ROW_MAX_CHARACTERS:
                raise ValueError(
                    f"{self._name}:{self._first_line}: the row has more than {_ROW_MAX_CHARACTERS} characters; "
                    "is a quotation mark missing?"
                )
            yield line


def positions(header: list[str], place: str, fields: Fields) -> dict[str, int]:
    """Return the columns to read, and their positions in a row."""
    repeated = next((column for column, times in Counter(header).items() if times > 1), None)
    if repeated is not None:
        raise ValueError(f"{place}: the header has {repeated!r:.60} more than once")
    return {column: header.index(column) for column in wanted_columns(header, fields, place)}


def wanted_columns(columns: list[str], fields: Fields, place: str) -> list[str]:
    """Return the columns to read."""
    others = [name for name in (fields.id_field, fields.title_field, fields.class_field) if name is not None]
    try:
        asked = columns_of(set(columns), fields.text_field, others)
    except KeyError as error:
        raise ValueError(f"{place}: no field {error.args[0]!r}; the fields are {listed(columns)}") from None
    return [column for column in columns if column in (*asked, "id", "title")]


def _parse_rows(
    name: str, rows: list[tuple[int, dict[str, Any]]], n_bytes: int, share: float | None, fields: Fields
) -> Documents:
    documents = Documents(n_bytes=n_bytes, share=share)
    for line, record in rows:
        documents.add(record, fields, partial("{}:{}".format, name, line))
    return documents


def parse_columns(
    name: str, first: int, columns: dict[str, list[Any]], documents: Documents, fields: Fields
) -> Documents:
    """Add the documents of some columns, from row ``first`` on."""
    for row, values in enumerate(zip(*columns.values(), strict=True), start=first):
        documents.add(dict(zip(columns, values, strict=True)), fields, partial("{}: row {}".format, name, row))
    return documents
