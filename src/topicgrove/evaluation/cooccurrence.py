"""Co-occurrence of words in windows, which are documents or runs of consecutive tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus

TOPICS_AT_ONCE = 16
"""Topics whose windows are expanded together, which bounds the memory."""


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The windows that contain each of some words, as ranges of window numbers.

    Parameters
    ----------
    words : array of shape (n,)
        The words looked for, ascending.
    n_windows : int
        All windows, including those without any of the words.
    starts, lengths : arrays of shape (n_ranges,)
        Ranges of windows that contain a word; the ranges of one word are disjoint.
    offsets : array of shape (n + 1,)
        Ranges `offsets[i]` to `offsets[i + 1] - 1` are those of word `words[i]`.
    """

    words: NDArray[np.int64]
    n_windows: int
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def together(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the (n, n) windows that contain both of two words; on the diagonal, those that contain the word."""
        rows = np.searchsorted(self.words, words)
        n_ranges = self.offsets[rows + 1] - self.offsets[rows]
        ranges = concatenated_ranges(self.offsets[rows], n_ranges)
        lengths = self.lengths[ranges]
        windows = concatenated_ranges(self.starts[ranges], lengths)
        columns = np.append(0, np.cumsum(lengths))[np.append(0, np.cumsum(n_ranges))]
        ones = np.ones(len(windows), np.int32)
        holds = sparse.csc_array((ones, windows, columns), shape=(self.n_windows, len(words)))
        return np.asarray((holds.T @ holds).toarray(), np.int64)


def count_together(topics: Sequence[NDArray[np.int64]], occurrences: Occurrences) -> Iterator[NDArray[np.int64]]:
    """Give, for every topic, the (n, n) numbers of windows that contain two of its n words."""
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        block = topics[first : first + TOPICS_AT_ONCE]
        words = np.unique(np.concatenate(block))
        together = occurrences.together(words)
        for topic in block:
            rows = np.searchsorted(words, topic)
            yield together[np.ix_(rows, rows)]


def in_documents(words: NDArray[np.int64], corpus: Corpus) -> Occurrences:
    """Find words in documents, each of which is one window."""
    row_of = np.full(corpus.n_words, -1, np.int64)
    row_of[words] = np.arange(len(words))
    # Tokens are sorted inside a document, so a word's repeats follow its first token there.
    first = np.ones(corpus.n_tokens, np.bool_)
    first[1:] = corpus.words[1:] != corpus.words[:-1]
    # An empty document has no first token; its offset may be the number of tokens.
    first[corpus.offsets[:-1][np.diff(corpus.offsets) > 0]] = True
    tokens = np.flatnonzero(first & (row_of >= 0)[corpus.words])
    document = np.searchsorted(corpus.offsets, tokens, side="right") - 1
    return _by_word(words, corpus.n_docs, row_of[corpus.words[tokens]], document, document + 1)


def in_sliding_windows(words: NDArray[np.int64], texts: Iterable[Iterable[int]], window: int | None) -> Occurrences:
    """Find words in sliding windows: n - window + 1 in a text of n tokens, one in a shorter text."""
    tokens = [_word_ids(text, t) for t, text in enumerate(texts)]
    if not tokens:
        raise ValueError("texts has no texts; at least one is needed")
    lengths = np.array([len(text) for text in tokens])
    if window is None:
        window = max(int(lengths.max()), 1)
    n_windows = np.maximum(lengths - window + 1, 1)
    base = np.cumsum(n_windows) - n_windows
    flat = np.concatenate(tokens)
    text = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(len(flat)) - np.repeat(np.cumsum(lengths) - lengths, lengths)

    row = np.searchsorted(words, flat)
    wanted = (row < len(words)) & (np.append(words, -1)[row] == flat)
    text, position = text[wanted], position[wanted]
    start = base[text] + np.maximum(position - window + 1, 0)
    end = base[text] + np.minimum(position, n_windows[text] - 1) + 1
    return _by_word(words, int(n_windows.sum()), row[wanted], start, end)


def _by_word(
    words: NDArray[np.int64],
    n_windows: int,
    row: NDArray[np.int64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> Occurrences:
    """Sort tokens' ranges by word; where ranges of a word overlap, start the later one where the former ends."""
    order = np.argsort(row, kind="stable")
    row, start, end = row[order], start[order], end[order]
    overlaps = np.flatnonzero((row[1:] == row[:-1]) & (start[1:] < end[:-1])) + 1
    start[overlaps] = end[overlaps - 1]
    offsets = np.searchsorted(row, np.arange(len(words) + 1))
    return Occurrences(words, n_windows, start, end - start, offsets)


def concatenated_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return lengths[0] numbers starts[0], starts[0] + 1, ..., then those of starts[1], and so on.

    >>> concatenated_ranges(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def _word_ids(text: Iterable[int], t: int) -> NDArray[np.int64]:
    accepted = "a text is a sequence of word ids in order"
    if isinstance(text, str):
        raise TypeError(f"texts[{t}] is a string; {accepted}")
    try:
        ids = np.asarray(text if isinstance(text, np.ndarray) else list(text))
    except (TypeError, ValueError) as error:
        raise TypeError(f"texts[{t}] is {text!r:.60}; {accepted}") from error
    if ids.size == 0:
        return np.zeros(0, np.int64)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise TypeError(f"texts[{t}] has dtype {ids.dtype} and {ids.ndim} dimension(s); {accepted}")
    return ids.astype(np.int64)
