"""Read documents, objects or strings, one by one from a JSON array of any size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import orjson

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.textfiles import DOCUMENT_MAX_BYTES, LineReader, Source, name_of, open_lines, quoted

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLOCK_BYTES = 2**20
_BLOCK_ELEMENTS = 2**16
# A whole string, a bracket or a comma; a lone quotation mark begins an incomplete string.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)


def json_array(source: Source, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a JSON array, one per element: an object, or a string that is the text."""
    name = name_of(source)
    block: list[bytes] = []
    first = n_bytes = 0
    with open_lines(source, max_bytes) as lines:
        for element in _Elements(lines, name):
            block.append(element)
            n_bytes += len(element)
            if n_bytes >= _BLOCK_BYTES or len(block) == _BLOCK_ELEMENTS:
                yield partial(_parse, name, first, block, lines.share, fields)
                first, block, n_bytes = first + len(block), [], 0
        if block:
            yield partial(_parse, name, first, block, lines.share, fields)


class _Elements:
    """The elements of an array as unparsed bytes; anything but an array is refused."""

    def __init__(self, lines: LineReader, name: str) -> None:
        self._lines = lines
        self._name = name
        self._n = 0
        self._data = b""
        self._at = 0
        """Brackets have been counted up to here."""
        self._depth = 0
        self._is_over = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces():
            self._data += piece
            yield from self._scan()
            self._check_length(len(self._data))
        if not self._is_over:
            raise self._fault("is not complete: the file ends before the array does")
        if self._data.strip():
            raise ValueError(f"{self._name}: the array is followed by {quoted(self._data.strip())}")

    def _pieces(self) -> Iterator[bytes]:
        """Give pieces that grow with what is pending, so that each byte is scanned only a few times."""
        waiting: list[bytes] = []
        n_bytes = 0
        is_first = True
        for piece in self._lines.pieces():
            waiting.append(piece.removeprefix(_BYTE_ORDER_MARK) if is_first else piece)
            is_first = False
            n_bytes += len(piece)
            if n_bytes >= len(self._data):
                yield b"".join(waiting)
                waiting, n_bytes = [], 0
        if waiting:
            yield b"".join(waiting)

    def _scan(self) -> Iterator[bytes]:
        """Give the complete elements; the rest stays pending."""
        begin = 0
        data = self._data
        while not self._is_over:
            match = _TOKEN.search(data, self._at)
            if match is None:
                self._at = len(data)
                break
            token = data[match.start()]
            if token == 0x22 and match.end() == match.start() + 1:
                self._at = match.start()
                break
            self._at = match.end()
            if self._depth == 0:
                if data[: self._at].strip() != b"[":
                    raise ValueError(f"{self._name}: expected a JSON array, found {quoted(data.strip())}")
                self._depth, begin = 1, self._at
            elif token in b"[{":
                self._depth += 1
            elif token in b"]}":
                self._depth -= 1
                self._is_over = self._depth == 0
            if self._is_over or (self._depth == 1 and token == 0x2C):
                element = data[begin : match.start()]
                self._check_length(len(element))
                if self._is_over and token != 0x5D:
                    raise self._fault("is followed by } where ] or a comma belongs")
                begin = self._at
                if not (self._is_over and self._n == 0 and not element.strip()):
                    yield element
                    self._n += 1
        self._data = data[begin:]
        self._at -= begin

    def _check_length(self, n_bytes: int) -> None:
        if n_bytes > DOCUMENT_MAX_BYTES:
            raise self._fault(f"has more than {DOCUMENT_MAX_BYTES} bytes, the most that a document may have")

    def _fault(self, message: str) -> ValueError:
        return ValueError(f"{self._name}: element {self._n} {message}")


def _parse(name: str, first: int, elements: list[bytes], share: float | None, fields: Fields) -> Documents:
    documents = Documents(n_bytes=sum(map(len, elements)), share=share)
    for i, element in enumerate(elements, start=first):
        place = partial("{}: element {}".format, name, i)
        value = _value(element, place(), fields)
        if isinstance(value, str):
            documents.add_text(value, fields, place)
        elif isinstance(value, dict):
            documents.add(value, fields, place)
        else:
            raise ValueError(f"{place()}: expected a JSON object or a string, found {quoted(element.strip())}")
    return documents


def _value(element: bytes, place: str, fields: Fields) -> object:
    try:
        return orjson.loads(element)
    except orjson.JSONDecodeError as error:
        try:
            return orjson.loads(element.decode("utf-8", fields.encoding_errors))
        except UnicodeDecodeError as wrong:
            raise ValueError(
                f"{place}: invalid UTF-8 at byte {wrong.start} of the element: {wrong.reason}; "
                "encoding_errors='replace' or 'ignore' would read on"
            ) from wrong
        except orjson.JSONDecodeError:
            raise ValueError(f"{place}: not JSON: {error.msg} at character {error.pos}") from error
