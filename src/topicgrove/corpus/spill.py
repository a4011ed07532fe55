"""Temporary files of counted blocks between the two passes over a source, one per process."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from topicgrove.corpus.counting import Counted
from topicgrove.corpus.documents import Documents
from topicgrove.corpus.phrases import Block


def spill(blocks: Iterable[Counted], path: Path) -> NDArray[np.int64]:
    """Write blocks to a new file; return a row (dictionary, words, documents, bytes of columns) for each."""
    rows = []
    with open(path, "xb") as file:
        for dictionary, words, lengths, documents in blocks:
            columns = orjson.dumps([documents.ids, documents.titles, documents.classes])
            file.write(words.data)
            file.write(lengths.data)
            file.write(columns)
            rows.append((dictionary, len(words), len(lengths), len(columns)))
    return np.array(rows, np.int64).reshape(-1, 4)


def read_spilled(file: BinaryIO, row: NDArray[np.int64]) -> Counted:
    """Read the next block of such a file."""
    dictionary, words, lengths = _arrays(file, row)
    ids, titles, classes = orjson.loads(file.read(int(row[3])))
    return Counted(dictionary, words, lengths, Documents(ids=ids, titles=titles, classes=classes))


def read_words(file: BinaryIO, row: NDArray[np.int64]) -> Block:
    """Read only the words of the next block."""
    block = _arrays(file, row)
    file.seek(int(row[3]), os.SEEK_CUR)
    return block


def _arrays(file: BinaryIO, row: NDArray[np.int64]) -> Block:
    dictionary, n_words, n_docs, _ = row.tolist()
    words = np.frombuffer(file.read(4 * n_words), np.int32)
    return Block(dictionary, words, np.frombuffer(file.read(8 * n_docs), np.int64))
