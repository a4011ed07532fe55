"""Read the cells of Excel workbooks (.xlsx) from their XML one by one.

A formula has its value as saved in the file. Only the texts that cells share are held in memory.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias
from xml.parsers import expat
from zipfile import BadZipFile

from topicgrove.corpus.textfiles import DOCUMENT_MAX_BYTES, check_memory_left
from topicgrove.corpus.zips import WORKBOOK, Archive

TEXT = "text"
"""The kind of cells that hold text."""

_START, _DATA, _END = 0, 1, 2
_MAX_COLUMNS = 2**14
_MAX_ROWS = 2**20
_CHUNK_BYTES = 2**16
_BYTES_BETWEEN_LOOKS = 2**22
_RELATIONS = "xl/_rels/workbook.xml.rels"
_HIDDEN = ("hidden", "veryHidden")
_COLUMN = re.compile("([A-Z]{1,3})[0-9]*")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_KINDS = {"s": TEXT, "str": TEXT, "inlineStr": TEXT, "n": "a number", "b": "a truth value", "e": "an error"}

Event: TypeAlias = tuple[int, str, dict[str, str]]


class Cell(NamedTuple):
    """The content of a cell as text, and its kind of value, such as "a number"."""

    text: str
    kind: str


class Workbook:
    """The first sheet of a workbook, with a limit on the bytes that are decompressed."""

    def __init__(self, archive: Archive, max_bytes: int) -> None:
        self._archive = archive
        self._max_bytes = max_bytes
        self._n_bytes = 0
        self._next_look = _BYTES_BETWEEN_LOOKS
        relations = self._attributes(_RELATIONS, "Relationship")
        sheets = {row.get("Id"): row.get("Target", "") for row in relations if _is(row, "worksheet")}
        found = [row for row in self._attributes(WORKBOOK, "sheet") if row.get("id") in sheets]
        if not found:
            raise ValueError(f"{archive.name}: the workbook has no sheet with cells")
        sheet = next((row for row in found if row.get("state") not in _HIDDEN), found[0])
        self.name = f"{archive.name}:{sheet.get('name', 'sheet'):.60}"
        self._member = _path(sheets[sheet.get("id")])
        self._texts = [row.get("Target", "") for row in relations if _is(row, "sharedStrings")]

    def rows(self) -> Iterator[tuple[int, dict[int, Cell]]]:
        """Give the rows that are not empty: their numbers from 1, and their cells by column from 0."""
        try:
            strings = [text for target in self._texts for text in _shared_strings(self._events(_path(target)))]
            yield from _rows(self._events(self._member), strings)
        except _CellError as error:
            raise ValueError(f"{self.name}:{error}") from error

    def _attributes(self, member: str, element: str) -> list[dict[str, str]]:
        return [
            {_local(name): value for name, value in given.items()}
            for kind, found, given in self._events(member)
            if kind == _START and found == element
        ]

    def _events(self, name: str) -> Iterator[Event]:
        """Give the content of a member as events: elements that begin, text, elements that end."""
        member = self._archive.find(name)
        if member is None:
            raise ValueError(f"{self._archive.name}: not an Excel workbook: there is no {name!r:.80} in it")
        events: list[Event] = []
        parser = _parser(events)
        place = self._archive.place(member)
        with self._archive.open(member) as file:
            data = b" "
            while data:
                try:
                    data = file.read(_CHUNK_BYTES)
                    parser.Parse(data, not data)
                except (BadZipFile, EOFError, zlib.error) as error:
                    raise self._archive.damaged(error) from error
                except (expat.ExpatError, ValueError, LookupError) as error:
                    raise ValueError(f"{place}: damaged XML: {error}") from error
                self._count(len(data))
                yield from events
                events.clear()

    def _count(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        if self._n_bytes > self._max_bytes:
            raise ValueError(f"{self._archive.name}: more than max_bytes={self._max_bytes} bytes of text")
        if self._n_bytes > self._next_look:
            self._next_look = self._n_bytes + _BYTES_BETWEEN_LOOKS
            check_memory_left(self._archive.name, f"after {self._n_bytes} bytes")


class _CellError(ValueError):
    """Raised for an impossible cell; the message begins with the row."""


def _parser(events: list[Event]) -> expat.XMLParserType:
    """Make a parser that appends events to a list."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, given: events.append((_START, _local(name), given))
    parser.CharacterDataHandler = lambda data: events.append((_DATA, data, {}))
    parser.EndElementHandler = lambda name: events.append((_END, _local(name), {}))
    parser.StartDoctypeDeclHandler = _refuse_document_type
    return parser


def _refuse_document_type(*_: Any) -> None:
    # It would declare entities, which no workbook needs and XML bombs use.
    raise ValueError("it declares a document type, which no workbook does")


def _local(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def _is(relation: dict[str, str], kind: str) -> bool:
    return relation.get("Type", "").endswith(f"/{kind}")


def _path(target: str) -> str:
    """Return the member that a relation leads to."""
    return target[1:] if target.startswith("/") else f"xl/{target}"


class _Heard:
    """The text of elements that hold any, without the readings above some East Asian words."""

    def __init__(self, wanted: tuple[str, ...]) -> None:
        self._wanted = wanted
        self._parts: list[str] = []
        self._n_characters = 0
        self._is_on = self._is_reading = False

    def hear(self, kind: int, value: str) -> None:
        """Handle an event."""
        if kind == _DATA:
            if self._is_on:
                self._n_characters += len(value)
                if self._n_characters > DOCUMENT_MAX_BYTES:
                    raise _CellError(f"a text has more than {DOCUMENT_MAX_BYTES} characters")
                self._parts.append(value)
        elif value == "rPh":
            self._is_reading = kind == _START
        elif value in self._wanted:
            self._is_on = kind == _START and not self._is_reading

    def take(self) -> str:
        """Return the text since the last call."""
        text = "".join(self._parts)
        self._parts, self._n_characters = [], 0
        return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _shared_strings(events: Iterator[Event]) -> Iterator[str]:
    """Give the texts that cells refer to by number."""
    heard = _Heard(("t",))
    for kind, value, _ in events:
        heard.hear(kind, value)
        if kind == _END and value == "si":
            yield heard.take()


def _rows(events: Iterator[Event], strings: list[str]) -> Iterator[tuple[int, dict[int, Cell]]]:
    heard = _Heard(("t", "v"))
    number, column, type_ = 0, -1, "n"
    cells: dict[int, Cell] = {}
    for kind, value, given in events:
        heard.hear(kind, value)
        if kind == _START and value == "row":
            number, column, cells = _row_number(given.get("r"), number), -1, {}
        elif kind == _START and value == "c":
            column, type_ = _column_number(given.get("r"), column, number), given.get("t", "n")
        elif kind == _END and value == "c":
            if text := heard.take():
                cell = _cell(text, type_, strings, number)
                if cell.text:
                    cells[column] = cell
        elif kind == _END and value == "row" and cells:
            yield number, cells


def _row_number(given: str | None, last: int) -> int:
    number = last + 1 if given is None else int(given) if given.isdecimal() and len(given) < 8 else 0
    if not last < number <= _MAX_ROWS:
        raise _CellError(f"{last + 1}: there is no row {given!r:.40} after row {last}")
    return number


def _column_number(given: str | None, last: int, row: int) -> int:
    column = last + 1
    if given is not None:
        match = _COLUMN.fullmatch(given)
        column = -1
        for letter in match[1] if match else "":
            column = 26 * (column + 1) + ord(letter) - ord("A")
    if not 0 <= column < _MAX_COLUMNS:
        raise _CellError(f"{row}: there is no cell {given!r:.40}")
    return column


def _cell(text: str, type_: str, strings: list[str], row: int) -> Cell:
    kind = _KINDS.get(type_, "a date")
    if type_ == "s":
        if not text.isdecimal() or len(text) > 9 or int(text) >= len(strings):
            raise _CellError(f"{row}: there is no shared text {text!r:.40}")
        text = strings[int(text)]
    elif type_ == "n":
        text = _number(text, row)
    elif type_ == "b":
        text = "FALSE" if text == "0" else "TRUE"
    return Cell(text, kind)


def _number(text: str, row: int) -> str:
    """Return a number as a person would write it.

    >>> _number("1984", 1), _number("3.0E2", 1), _number("0.10000000000000001", 1)
    ('1984', '300', '0.1')
    """
    try:
        value = float(text)
    except ValueError:
        raise _CellError(f"{row}: {text!r:.40} is not a number") from None
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
