"""The UCI bag-of-words format: three header lines D, W, NNZ, then `document word count`, from 1."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.count_matrix import DOCUMENT_BYTES, MAX_LENGTH, MAX_SIZE, rows_of_triples, spell_out
from topicgrove.corpus.textfiles import (
    DEFAULT_MAX_BYTES,
    Chunk,
    FilePath,
    LineReader,
    find_numbers,
    open_lines,
    parse_number,
    quoted,
    read_vocabulary,
)
from topicgrove.corpus.tokens import Corpus
from topicgrove.free_memory import check_fits

_RECORD_BYTES = 32


class Header(NamedTuple):
    """The sizes a file announces."""

    n_docs: int
    n_words: int
    n_records: int


def read_uci(path: FilePath, vocabulary: FilePath | None = None, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Corpus:
    r"""Read a corpus in the UCI bag-of-words format, `docword.<name>.txt` or `docword.<name>.txt.gz`.

    Records may come in any order; counts of the same document and word are summed. Documents without
    a record are kept as empty ones, but the last document must have one: otherwise the file cannot be
    told from one that lost its end.

    Parameters
    ----------
    path : str or path-like
        The file of counts, plain, gzip or zstd.
    vocabulary : str or path-like, default=None
        A file with one word per line, in UTF-8. By default `vocab.<name>.txt` next to a file called
        `docword.<name>.txt` or `docword.<name>.txt.gz` is read if it exists.
    max_bytes : int, default=16 GiB
        Refuse a file with more bytes of text, counted while it is decompressed. The memory held
        while reading is a small multiple of the text read so far.

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
    ...     path = Path(folder) / "docword.tiny.txt"
    ...     _ = path.write_text("2\n3\n3\n1 1 2\n1 3 1\n2 2 1\n")
    ...     _ = path.with_name("vocab.tiny.txt").write_text("tree\nleaf\nroot\n")
    ...     corpus = read_uci(path)
    >>> corpus
    Corpus(n_docs=2, n_tokens=4, n_words=3)
    >>> corpus.vocabulary
    ('tree', 'leaf', 'root')
    """
    with open_lines(path, max_bytes) as lines:
        header = _read_header(lines)
        documents, columns, counts = _read_records(lines, header)
    rows = rows_of_triples(documents, columns, counts, header.n_docs, header.n_words)
    words, offsets = spell_out(rows, lambda document: f"{path}: document {document + 1}", str(path))
    return Corpus(words, offsets, header.n_words, _read_words(path, vocabulary, header))


def _read_header(lines: LineReader) -> Header:
    sizes = []
    for name, maximum in (("documents D", MAX_SIZE), ("words W", MAX_SIZE), ("records NNZ", 10**18)):
        number = lines.next_line
        line = lines.read_line()
        size = parse_number(line.strip())
        if size is None or not 0 <= size <= maximum:
            raise lines.fault(number, f"expected the number of {name} alone, found {quoted(line)}")
        if size == 0:
            raise lines.fault(number, f"no {name.split()[0]}: the number of {name} is 0")
        sizes.append(size)
    header = Header(*sizes)
    check_header(header, lines, 1, 3)
    return header


def check_header(header: Header, lines: LineReader, docs_line: int, records_line: int) -> None:
    """Refuse a header that claims more than fits into memory."""
    check_fits(f"{lines.path}:{docs_line}: the header says {header.n_docs:,} documents", DOCUMENT_BYTES * header.n_docs)
    check_fits(
        f"{lines.path}:{records_line}: the header says {header.n_records:,} records", _RECORD_BYTES * header.n_records
    )


def _read_records(lines: LineReader, header: Header) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Read all records: documents and words, from 0, and counts."""
    parts: list[NDArray[np.int32]] = []
    n_records = 0
    for chunk in lines.chunks():
        records = records_at_once(chunk.data)
        if records is None:
            records = _records_one_by_one(chunk, lines)
        n_spare = header.n_records - n_records
        if len(records) > n_spare:
            raise lines.fault(
                chunk.first_line + n_spare, f"more records than the {header.n_records} of the header (line 3)"
            )
        check_ranges(records, header, chunk.first_line, lines)
        n_records += len(records)
        parts.append(records.T.astype(np.int32, order="C"))
    last_line = lines.next_line - 1
    if n_records < header.n_records:
        raise lines.fault(
            last_line, f"the file ends after {n_records} records; its header (line 3) says {header.n_records}"
        )
    last_document = max(int(part[0].max()) for part in parts)
    if last_document < header.n_docs:
        raise lines.fault(
            last_line,
            f"the last document with words is {last_document}; the header (line 1) says {header.n_docs}",
        )
    documents, columns, counts = (np.concatenate([part[field] for part in parts]) for field in range(3))
    documents -= 1
    columns -= 1
    return documents, columns, counts


def records_at_once(data: bytes) -> NDArray[np.int64] | None:
    """Return the records, shape (n, 3), if all lines are three plain numbers; None if they need a closer look."""
    numbers = find_numbers(data, separators=b" \t\r\n")
    if numbers is None:
        return None
    newlines = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
    begins = numbers.begins
    if len(begins) != 3 * len(newlines):
        return None
    if np.any(newlines < begins[2::3]) or np.any(newlines[:-1] > begins[3::3]):
        return None
    return numbers.values.reshape(-1, 3)


def _records_one_by_one(chunk: Chunk, lines: LineReader) -> NDArray[np.int64]:
    records = []
    for number, line in enumerate(chunk.data.removesuffix(b"\n").split(b"\n"), start=chunk.first_line):
        record = [parse_number(field) for field in line.split()]
        if len(record) != 3 or None in record:
            raise lines.fault(number, f"expected three whole numbers 'document word count', found {quoted(line)}")
        records.append(record)
    return np.array(records, dtype=np.int64)


def check_ranges(records: NDArray[np.int64], header: Header, first_line: int, lines: LineReader) -> None:
    """Refuse documents and words beyond the sizes, and invalid counts, naming the line."""
    maxima = np.array([header.n_docs, header.n_words, MAX_LENGTH])
    if records.min() >= 1 and np.all(records.max(axis=0) <= maxima):
        return
    wrong = (records < 1) | (records > maxima)
    record, field = np.unravel_index(np.argmax(wrong), wrong.shape)
    raise lines.fault(
        first_line + int(record),
        f"{('document', 'word', 'count')[field]} {records[record, field]} is not from 1 to {maxima[field]}",
    )


def _read_words(path: FilePath, vocabulary: FilePath | None, header: Header) -> tuple[str, ...] | None:
    if vocabulary is None:
        vocabulary = _vocabulary_beside(Path(path))
        if vocabulary is None:
            return None
    words = read_vocabulary(vocabulary)
    if len(words) != header.n_words:
        raise ValueError(f"{vocabulary}: {len(words)} words; {path}:2 says {header.n_words}")
    return words


def _vocabulary_beside(path: Path) -> Path | None:
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    if not (name.startswith("docword.") and name.endswith(".txt")):
        return None
    candidate = path.with_name("vocab." + name.removeprefix("docword."))
    return candidate if candidate.exists() else None
