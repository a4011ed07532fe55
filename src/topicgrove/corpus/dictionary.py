"""A growing dictionary: words in the order of their first occurrence, with their counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.words import (
    BEGIN,
    HASH,
    LENGTH,
    N_COLUMNS,
    N_CURSOR,
    N_DOCS,
    N_TOKENS,
    TOKEN,
    WordTable,
    absorb_words,
    rehash,
    scan_documents,
)

_FIRST_CAPACITY = 2**14
_SLOTS_PER_WORD = 2
_LETTERS_PER_WORD = 8


class Dictionary:
    """Numbers of words, in the order of their first occurrence; for one thread at a time.

    >>> words = Dictionary()
    >>> is_word = np.arange(256) >= ord("a")
    >>> tokens, lengths = words.number(b"tree leaf tree", np.array([14]), is_word, 1)
    >>> tokens, lengths, words.spelled([1])
    (array([0, 1, 0], dtype=int32), array([3]), ['leaf'])
    """

    def __init__(self) -> None:
        self._n_docs_seen = 0
        self._table = WordTable(
            slots=np.full(_SLOTS_PER_WORD * _FIRST_CAPACITY, -1, np.int32),
            words=np.zeros((_FIRST_CAPACITY, N_COLUMNS), np.int64),
            letters=np.zeros(_LETTERS_PER_WORD * _FIRST_CAPACITY, np.uint8),
            size=np.zeros(2, np.int64),
        )

    def __len__(self) -> int:
        return int(self._table.size[0])

    @property
    def n_docs(self) -> NDArray[np.int64]:
        """Number of documents with each word."""
        return self._table.words[: len(self), N_DOCS]

    @property
    def n_tokens(self) -> NDArray[np.int64]:
        """Number of tokens of each word."""
        return self._table.words[: len(self), N_TOKENS]

    @property
    def hashes(self) -> NDArray[np.int64]:
        """The hash of each word."""
        return self._table.words[: len(self), HASH]

    def number(
        self, data: bytes, doc_ends: NDArray[np.int64], is_word: NDArray[np.bool_], min_length: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the numbers of all words of some documents, and how many words each document has."""
        letters = np.frombuffer(data, np.uint8)
        # Words and the bytes between them alternate.
        tokens = np.empty(len(letters) // (min_length + 1) + len(doc_ends), np.int32)
        lengths = np.zeros(len(doc_ends), np.int64)
        cursor = np.zeros(N_CURSOR, np.int64)
        with np.errstate(over="ignore"):
            while not scan_documents(
                letters, doc_ends, is_word, min_length, self._n_docs_seen, self._table, cursor, tokens, lengths
            ):
                self._grow(len(letters))
        self._n_docs_seen += len(doc_ends)
        return tokens[: cursor[TOKEN]].copy(), lengths

    def absorb(self, other: Dictionary) -> NDArray[np.int32]:
        """Add the words of another dictionary and their counts; return their numbers here."""
        numbers = np.empty(len(other), np.int32)
        done = 0
        while (done := absorb_words(other._table, self._table, done, numbers)) < len(other):
            self._grow(int(other._table.size[1]))
        return numbers

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the words with their counts, and their letters, for another process to absorb."""
        return self._table.words[: len(self)], self._table.letters[: self._table.size[1]]

    @classmethod
    def of_arrays(cls, words: NDArray[np.int64], letters: NDArray[np.uint8]) -> Dictionary:
        """Make a dictionary of such arrays. It can only be absorbed, as it finds no words itself."""
        dictionary = cls()
        size = np.array([len(words), len(letters)], np.int64)
        dictionary._table = dictionary._table._replace(words=words, letters=letters, size=size)
        return dictionary

    def spelled(self, numbers: NDArray[np.integer[Any]] | list[int]) -> list[str]:
        """Return the words with some numbers."""
        text = self._table.letters[: self._table.size[1]].tobytes()
        begins = self._table.words[numbers, BEGIN]
        ends = begins + self._table.words[numbers, LENGTH]
        return [text[begin:end].decode() for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]

    def _grow(self, longest_word: int) -> None:
        table = self._table
        if len(self) == len(table.words):
            words = np.empty((2 * len(table.words), N_COLUMNS), np.int64)
            words[: len(table.words)] = table.words
            self._table = table._replace(words=words, slots=np.empty(_SLOTS_PER_WORD * len(words), np.int32))
            rehash(self._table)
        else:
            letters = np.empty(2 * len(table.letters) + longest_word, np.uint8)
            letters[: len(table.letters)] = table.letters
            self._table = table._replace(letters=letters)
