"""The LDA-C format: one document per line, `M id:count id:count ...` with M pairs, ids from 0."""

from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.count_matrix import MAX_LENGTH, MAX_SIZE, CountRows, sorted_rows, spell_out
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


class Lines(NamedTuple):
    """Documents read from some lines: how many pairs each has, and the pairs, shape (n, 2)."""

    n_pairs: NDArray[np.int64]
    pairs: NDArray[np.int64]


def read_ldac(
    path: FilePath,
    vocabulary: FilePath | None = None,
    n_words: int | None = None,
    *,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Corpus:
    r"""Read a corpus in Blei's LDA-C format, plain, gzip or zstd.

    Every line is a document: the number of its pairs, then pairs `word:count`, with words counted from
    0. Counts of the same word in a line are summed. The line `0` is an empty document.

    Parameters
    ----------
    path : str or path-like
        The file of counts.
    vocabulary : str or path-like, default=None
        A file with one word per line, in UTF-8.
    n_words : int, default=None
        Size of the vocabulary; by default the length of `vocabulary`, or else the largest id plus one.
    max_bytes : int, default=16 GiB
        Refuse a file with more bytes of text, counted while it is decompressed. The memory held
        while reading is a small multiple of the text read so far.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If the file is not in the format, has no documents, is cut short or too large, if a word id does
        not fit, or if the tokens do not fit into memory; the message starts with `file:line` where there is one.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.ldac"
    ...     _ = path.write_text("2 0:2 2:1\n1 1:1\n")
    ...     corpus = read_ldac(path)
    >>> corpus
    Corpus(n_docs=2, n_tokens=4, n_words=3)
    """
    words_of = None if vocabulary is None else read_vocabulary(vocabulary)
    n_words = _agreed_n_words(n_words, words_of, vocabulary)
    with open_lines(path, max_bytes) as lines:
        count_rows = _read_documents(lines, n_words)
    if n_words is None:
        n_words = int(count_rows.columns.max(initial=-1)) + 1
        if n_words == 0:
            raise ValueError(f"{path}: all documents are empty; n_words or vocabulary must be given")
    words, offsets = spell_out(
        sorted_rows(count_rows, n_words), lambda document: f"{path}:{document + 1}: the document", str(path)
    )
    return Corpus(words, offsets, n_words, words_of)


def _agreed_n_words(n_words: int | None, words_of: tuple[str, ...] | None, vocabulary: FilePath | None) -> int | None:
    if n_words is None:
        return None if words_of is None else len(words_of)
    if index(n_words) < 1:
        raise ValueError(f"n_words is {n_words}; it must be at least 1")
    if words_of is not None and n_words != len(words_of):
        raise ValueError(f"n_words is {n_words}, but {vocabulary} has {len(words_of)} words")
    return index(n_words)


def _read_documents(lines: LineReader, n_words: int | None) -> CountRows:
    n_pairs: list[NDArray[np.int64]] = []
    pairs: list[NDArray[np.int32]] = []
    for chunk in lines.chunks():
        read = _documents_at_once(chunk.data) or _documents_one_by_one(chunk, lines)
        _check_ranges(read, n_words, chunk.first_line, lines)
        n_pairs.append(read.n_pairs)
        pairs.append(read.pairs.T.astype(np.int32, order="C"))
    if not n_pairs:
        raise ValueError(f"{lines.path}: no documents")
    row_starts = np.concatenate([[0], *n_pairs]).cumsum(dtype=np.int64)
    return CountRows(row_starts, *(np.concatenate([part[field] for part in pairs]) for field in range(2)))


def _documents_at_once(data: bytes) -> Lines | None:
    """Return the documents if all lines are in plain format; None if they have to be parsed one by one."""
    numbers = find_numbers(data, separators=b": \t\r\n")
    if numbers is None:
        return None
    values, begins, ends = numbers
    text = np.frombuffer(data, dtype=np.uint8)
    line_ends = np.searchsorted(begins, np.flatnonzero(text == ord("\n")))
    line_begins = np.concatenate([[0], line_ends[:-1]])
    if np.any(line_ends == line_begins):
        return None
    n_pairs = values[line_begins]
    if np.any(line_ends - line_begins != 2 * n_pairs + 1):
        return None
    in_pairs = np.ones(len(values), dtype=np.bool_)
    in_pairs[line_begins] = False
    id_ends = ends[in_pairs][0::2]
    count_begins = begins[in_pairs][1::2]
    # One colon per pair, and one between each id and its count, leave none elsewhere.
    if data.count(b":") != len(id_ends) or np.any(text[id_ends] != ord(":")):
        return None
    if np.any(count_begins != id_ends + 1):
        return None
    return Lines(n_pairs, values[in_pairs].reshape(-1, 2))


def _documents_one_by_one(chunk: Chunk, lines: LineReader) -> Lines:
    n_pairs = []
    pairs = []
    for number, line in enumerate(chunk.data.removesuffix(b"\n").split(b"\n"), start=chunk.first_line):
        size, *fields = line.split() or [b""]
        if parse_number(size) is None:
            raise lines.fault(number, f"expected 'M id:count id:count ...', found {quoted(line)}")
        if parse_number(size) != len(fields):
            raise lines.fault(number, f"the line says {int(size)} pairs, but has {len(fields)}")
        n_pairs.append(len(fields))
        for field in fields:
            pair = [parse_number(part) for part in field.split(b":")]
            if len(pair) != 2 or None in pair:
                raise lines.fault(number, f"expected whole numbers 'id:count', found {quoted(field)}")
            pairs.append(pair)
    return Lines(np.array(n_pairs, dtype=np.int64), np.array(pairs, dtype=np.int64).reshape(-1, 2))


def _check_ranges(read: Lines, n_words: int | None, first_line: int, lines: LineReader) -> None:
    minima = np.array([0, 1])
    maxima = np.array([(MAX_SIZE if n_words is None else n_words) - 1, MAX_LENGTH])
    wrong = (read.pairs < minima) | (read.pairs > maxima)
    if not wrong.any():
        return
    pair, field = np.unravel_index(np.argmax(wrong), wrong.shape)
    document = int(np.searchsorted(np.cumsum(read.n_pairs), pair, side="right"))
    name = ("word", "count")[field]
    raise lines.fault(
        first_line + document,
        f"{name} {read.pairs[pair, field]} is not from {minima[field]} to {maxima[field]}",
    )
