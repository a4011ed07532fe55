"""Counted blocks on disk, between the two passes over a source: each process has a file of its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from topicgrove.corpus.counting import Counted
from topicgrove.corpus.documents import Documents


def spill(blocks: Iterable[Counted], path: Path) -> NDArray[np.int64]:
    """Write blocks to a new file; a row (dictionary, words, documents, bytes of columns) for each."""
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
    """The next block of such a file."""
    dictionary, n_words, n_docs, n_bytes = row.tolist()
    words = np.frombuffer(file.read(4 * n_words), np.int32)
    lengths = np.frombuffer(file.read(8 * n_docs), np.int64)
    ids, titles, classes = orjson.loads(file.read(n_bytes))
    return Counted(dictionary, words, lengths, Documents(ids=ids, titles=titles, classes=classes))
