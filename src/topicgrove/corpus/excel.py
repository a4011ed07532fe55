"""Read documents from Excel workbooks (.xlsx): the rows of the first sheet, whose first row names the columns."""

from __future__ import annotations

from functools import partial

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.names import columns_of
from topicgrove.corpus.tables import positions
from topicgrove.corpus.textfiles import FilePath
from topicgrove.corpus.workbooks import TEXT, Cell, Workbook
from topicgrove.corpus.zips import open_zip

_BLOCK_CHARACTERS = 2**20
_BLOCK_ROWS = 2**16


def workbook(path: FilePath, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a workbook's first sheet; rows without any cell are skipped."""
    with open_zip(path) as archive:
        book = Workbook(archive, max_bytes)
        rows = book.rows()
        number, header = next(rows, (1, {}))
        columns = _columns(header, f"{book.name}:{number}", fields)
        block: list[tuple[int, dict[str, Cell]]] = []
        n_characters = n_all = 0
        for number, row in rows:
            cells = {name: row[column] for name, column in columns.items() if column in row}
            block.append((number, cells))
            length = sum(len(cell.text) for cell in cells.values())
            n_characters += length
            # Texts that cells share count each time, as they are parsed each time.
            n_all += length
            if n_all > max_bytes:
                raise ValueError(f"{archive.name}: more than max_bytes={max_bytes} bytes of text")
            if n_characters >= _BLOCK_CHARACTERS or len(block) == _BLOCK_ROWS:
                yield partial(_parse, book.name, block, list(columns), n_characters, archive.share, fields)
                block, n_characters = [], 0
        if block:
            yield partial(_parse, book.name, block, list(columns), n_characters, archive.share, fields)


def _columns(header: dict[int, Cell], place: str, fields: Fields) -> dict[str, int]:
    """Return the columns to read, and their positions in a row."""
    numbers = sorted(header)
    found = positions([header[number].text.strip() for number in numbers], place, fields)
    return {name: numbers[i] for name, i in found.items()}


def _parse(
    name: str,
    rows: list[tuple[int, dict[str, Cell]]],
    columns: list[str],
    n_bytes: int,
    share: float,
    fields: Fields,
) -> Documents:
    documents = Documents(n_bytes=n_bytes, share=share)
    texts = columns_of(columns, fields.text_field, ())
    # An empty cell means an empty text, as in a CSV file, but no name, title or class.
    empty = {column: "" if column in texts else None for column in columns}
    for number, cells in rows:
        for column in texts:
            if column in cells and cells[column].kind != TEXT:
                raise ValueError(
                    f"{name}:{number}: {column} is {cells[column].text:.40}, {cells[column].kind}; it must be text"
                )
        record = empty | {column: cell.text for column, cell in cells.items()}
        documents.add(record, fields, partial("{}:{}".format, name, number))
    return documents
