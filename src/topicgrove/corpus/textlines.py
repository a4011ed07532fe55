"""Read documents from files of lines: JSON Lines, and plain text with one document per line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import orjson

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.textfiles import Chunk, LineReader, Source, open_lines, quoted

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_lines(source: Source, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a JSON Lines file, one object per line; blank lines are skipped."""
    with open_lines(source, max_bytes) as lines:
        for chunk in lines.chunks():
            yield partial(_parse_json, lines.path, _without_mark(chunk), fields)


def plain_lines(source: Source, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a text file, one per line; blank lines are empty documents, except at the end."""
    with open_lines(source, max_bytes) as lines:
        for chunk in lines.chunks():
            yield partial(_parse_plain, lines.path, _without_mark(chunk), fields)


def text_lines(lines: LineReader, fields: Fields) -> Iterator[str]:
    """Give the lines of a text file as text, each with its newline."""
    for chunk in lines.chunks():
        for number, line in _numbered(_without_mark(chunk)):
            yield decoded(line, lines.path, number, fields) + "\n"


def decoded(line: bytes, path: str, number: int, fields: Fields) -> str:
    """Return the text of a line; ValueError names the first byte that is not UTF-8."""
    try:
        return line.decode("utf-8", fields.encoding_errors)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}:{number}: invalid UTF-8 at byte {error.start} of the line: {error.reason}; "
            "encoding_errors='replace' or 'ignore' would read on"
        ) from error


def _without_mark(chunk: Chunk) -> Chunk:
    if chunk.first_line == 1:
        return chunk._replace(data=chunk.data.removeprefix(_BYTE_ORDER_MARK))
    return chunk


def _numbered(chunk: Chunk) -> Iterator[tuple[int, bytes]]:
    lines = chunk.data.removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, start=chunk.first_line):
        yield number, line.removesuffix(b"\r")


def _parse_json(path: str, chunk: Chunk, fields: Fields) -> Documents:
    documents = Documents(n_bytes=len(chunk.data), share=chunk.share)
    for number, line in _numbered(chunk):
        if line and not line.isspace():
            record = _json_object(path, number, line, fields)
            documents.add(record, fields, partial("{}:{}".format, path, number))
    return documents


def _json_object(path: str, number: int, line: bytes, fields: Fields) -> dict[str, Any]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        text = decoded(line, path, number, fields)
        try:
            record = orjson.loads(text)
        except orjson.JSONDecodeError:
            raise ValueError(f"{path}:{number}: not a JSON object: {error.msg} at character {error.pos}") from error
    if not isinstance(record, dict):
        raise ValueError(f"{path}:{number}: expected a JSON object a line, found {quoted(line)}")
    return record


def _parse_plain(path: str, chunk: Chunk, fields: Fields) -> Documents:
    documents = Documents(n_bytes=len(chunk.data), share=chunk.share)
    for number, line in _numbered(chunk):
        text = decoded(line, path, number, fields)
        documents.add_text(text, fields, partial("{}:{}".format, path, number))
    return documents
