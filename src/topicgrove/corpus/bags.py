"""Read bag-of-words corpora of gensim: documents of pairs (word id, count)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.count_matrix import MAX_LENGTH, MAX_SIZE, CountRows, sorted_rows, spell_out


def tokens_of_gensim(
    documents: Iterable[Iterable[tuple[int, float]]], id2word: Any
) -> tuple[NDArray[np.int32], NDArray[np.int64], int, tuple[str, ...] | None]:
    """Return words, offsets, vocabulary size and vocabulary."""
    vocabulary = None if id2word is None else _words_by_id(id2word)
    largest = (MAX_SIZE if vocabulary is None else len(vocabulary)) - 1
    parts = [_checked_pairs(document, d, largest) for d, document in enumerate(documents)]
    if not parts:
        raise ValueError("no documents: the gensim corpus is empty")
    pairs = np.concatenate(parts)
    row_starts = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=row_starts[1:])
    n_words = int(pairs[:, 0].max(initial=-1)) + 1 if vocabulary is None else len(vocabulary)
    if n_words == 0:
        raise ValueError("no words: all documents of the gensim corpus are empty, and id2word is not given")
    rows = CountRows(row_starts, pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int64))
    return *spell_out(sorted_rows(rows, n_words), "document {}".format, "the gensim corpus"), n_words, vocabulary


def _words_by_id(id2word: Any) -> tuple[str, ...]:
    if not isinstance(id2word, Mapping) and not hasattr(id2word, "keys"):
        raise TypeError(f"id2word must map ids to words, as gensim's Dictionary does; got {type(id2word).__name__}")
    ids = sorted(id2word.keys())
    if ids != list(range(len(ids))):
        raise ValueError(f"id2word must have the ids from 0 to {len(ids) - 1}, none left out; call compactify() first")
    return tuple(id2word[i] for i in ids)


def _checked_pairs(document: Iterable[tuple[int, float]], d: int, largest: int) -> NDArray[Any]:
    try:
        pairs = np.array(list(document) or np.zeros((0, 2)))
    except (TypeError, ValueError):
        pairs = np.array(None)
    if pairs.shape[1:] != (2,) or pairs.dtype.kind not in "biuf":
        raise TypeError(f"document {d} is {document!r:.60}; it must be pairs (word id, count)")
    ids, counts = pairs.T
    if not np.all((ids >= 0) & (ids <= largest) & (ids == np.floor(ids))):
        raise ValueError(f"document {d} has a word id that is not from 0 to {largest}")
    if not np.all((counts >= 0) & (counts <= MAX_LENGTH) & (counts == np.floor(counts))):
        raise ValueError(f"document {d} has a count that is no whole number from 0 to {MAX_LENGTH}, such as a weight")
    return pairs
