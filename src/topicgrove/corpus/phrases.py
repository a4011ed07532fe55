"""Find collocations, pairs of words that become one word of the vocabulary, and join them in texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.dictionary import Dictionary
from topicgrove.kernels.phrases import (
    KEY,
    N_COLUMNS,
    N_DOCS,
    N_TOKENS,
    PairTable,
    count_pairs,
    join_phrases,
    move_pairs,
    place_phrases,
    recount,
    sieve_pairs,
)

THRESHOLD = 0.5
"""The least NPMI of a phrase."""

_LEAST_COUNT = 5
_TOKENS_PER_COUNT = 500_000
_SMALLEST_SIEVE, _LARGEST_SIEVE = 2**10, 2**24
_FIRST_PAIRS = 2**12

Words = NDArray[np.int32]
Lengths = NDArray[np.int64]


class Block(NamedTuple):
    """Documents: their words as numbers of one of the dictionaries, and the number of words of each."""

    dictionary: int
    words: Words
    lengths: Lengths


Blocks = Callable[[], Iterable[Block]]
"""Gives all documents, every time it is called."""


def least_count(n_tokens: int) -> int:
    """Return the least count of a phrase: it grows with large corpora, so that the number of pairs is bounded.

    >>> least_count(1000), least_count(20_000_000)
    (5, 40)
    """
    return max(_LEAST_COUNT, n_tokens // _TOKENS_PER_COUNT)


def npmi(n_both: NDArray[np.int64], n_a: NDArray[np.int64], n_b: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return ``ln(p_ab / (p_a p_b)) / -ln p_ab``, the score of gensim's npmi_scorer.

    >>> npmi(np.array([5]), np.array([5]), np.array([5]), 100)
    array([1.])
    """
    p_a, p_b, p_both = n_a / n, n_b / n, n_both / n
    with np.errstate(divide="ignore", invalid="ignore"):
        score: NDArray[np.float64] = np.log(p_both / (p_a * p_b)) / -np.log(p_both)
    return score


class Joiner:
    """A joiner of phrases in blocks of documents, greedily from left to right.

    ``keys`` holds the numbers of two words each, ``phrases`` the number of their phrase. ``numbers`` has the words of
    every dictionary, as numbers of the first.
    """

    def __init__(self, keys: NDArray[np.int64], phrases: Words, numbers: Sequence[Words], n_words: int) -> None:
        self._keys, self._phrases, self._numbers = keys, phrases, numbers
        self._starts = np.zeros(n_words, np.bool_)
        self._starts[keys >> 32] = True
        size = _power_of_two(2 * len(keys) + 2)
        self._slot_keys = np.full(size, -1, np.int64)
        self._slot_phrases = np.zeros(size, np.int32)
        with np.errstate(over="ignore"):
            place_phrases(keys, phrases, self._slot_keys, self._slot_phrases)

    def join(self, block: Block) -> tuple[Words, Lengths]:
        """Return words and phrases as numbers of the first dictionary, and how many each document has."""
        joined = np.empty(len(block.words), np.int32)
        lengths = np.empty(len(block.lengths), np.int64)
        numbers = self._numbers[block.dictionary]
        with np.errstate(over="ignore"):
            n = join_phrases(
                block.words, block.lengths, numbers, self._starts, self._slot_keys, self._slot_phrases, joined, lengths
            )
        return joined[:n], lengths

    def only(self, is_kept: NDArray[np.bool_]) -> Joiner:
        """Return a joiner of the phrases that are kept; others stay two words."""
        chosen = is_kept[self._phrases]
        return Joiner(self._keys[chosen], self._phrases[chosen], self._numbers, len(self._starts))

    def recount(self, seen: Dictionary, blocks: Blocks) -> None:
        """Count words and phrases in joined text, in place of the counts of all words."""
        n_tokens, n_docs = np.zeros((2, len(seen)), np.int64)
        last_doc = np.full(len(seen), -1, np.int64)
        first = 0
        for block in blocks():
            recount(*self.join(block), first, n_tokens, n_docs, last_doc)
            first += len(block.lengths)
        seen.n_tokens[:] = n_tokens
        seen.n_docs[:] = n_docs


def find_phrases(
    seen: Dictionary, takes_part: NDArray[np.bool_], least_docs: float, numbers: Sequence[Words], blocks: Blocks
) -> Joiner:
    """Find collocations among the words that take part, and add them to the dictionary.

    A phrase is a pair of adjacent words that occurs `least_count` times and in ``least_docs`` documents, and has an
    NPMI above `THRESHOLD`. It takes two scans: a sieve of fixed size tells which pairs may be frequent, and these are
    counted exactly.
    """
    n_tokens = int(seen.n_tokens.sum())
    least = least_count(n_tokens)
    parts = [np.where(takes_part[number], number, np.int32(-1)) for number in numbers]
    pairs = _frequent_pairs(parts, least, n_tokens, blocks)
    pairs = pairs[(pairs[:, N_TOKENS] >= least) & (pairs[:, N_DOCS] >= least_docs)]
    keys = pairs[:, KEY]
    a, b = seen.n_tokens[keys >> 32], seen.n_tokens[keys & 0xFFFFFFFF]
    keys = keys[npmi(pairs[:, N_TOKENS], a, b, n_tokens) > THRESHOLD]
    spelled = zip(seen.spelled(keys >> 32), seen.spelled(keys & 0xFFFFFFFF), strict=True)
    return _joiner(seen, keys, [f"{one} {other}" for one, other in spelled], numbers)


def given_phrases(seen: Dictionary, vocabulary: Iterable[str], numbers: Sequence[Words]) -> Joiner:
    """Return a joiner of a vocabulary's phrases, its words with one space, and add them to the dictionary."""
    pairs = [(word, word.split(" ")) for word in vocabulary if word.count(" ") == 1]
    wanted = {part for _, parts in pairs for part in parts}
    number_of = {word: i for i, word in enumerate(seen.spelled(np.arange(len(seen)))) if word in wanted}
    found = [(word, number_of[a] << 32 | number_of[b]) for word, (a, b) in pairs if a in number_of and b in number_of]
    keys = np.array([key for _, key in found], np.int64)
    return _joiner(seen, keys, [word for word, _ in found], numbers)


def _joiner(seen: Dictionary, keys: NDArray[np.int64], spelled: list[str], numbers: Sequence[Words]) -> Joiner:
    letters = ("\0".join(spelled) + "\0").encode()
    phrases, _ = seen.number(letters, np.array([len(letters)]), np.arange(256) > 0, 1)
    return Joiner(keys, phrases, numbers, len(seen))


def _frequent_pairs(parts: Sequence[Words], least: int, n_tokens: int, blocks: Blocks) -> NDArray[np.int64]:
    size = min(max(_power_of_two(n_tokens), _SMALLEST_SIEVE), _LARGEST_SIEVE)
    sieve = np.zeros(size, np.uint16)
    table = _empty_table(_FIRST_PAIRS)
    with np.errstate(over="ignore"):
        for block in blocks():
            sieve_pairs(block.words, block.lengths, parts[block.dictionary], sieve)
        first = 0
        least_in_sieve = min(least, np.iinfo(np.uint16).max)
        for block in blocks():
            cursor = np.zeros(2, np.int64)
            while not count_pairs(
                block.words, block.lengths, parts[block.dictionary], sieve, least_in_sieve, first, cursor, table
            ):
                longest = int(block.lengths[cursor[0]])
                larger = _empty_table(_power_of_two(4 * (int(table.size[0]) + longest)))
                move_pairs(table, larger)
                table = larger
            first += len(block.lengths)
    return table.rows[table.rows[:, KEY] >= 0]


def _empty_table(size: int) -> PairTable:
    rows = np.zeros((size, N_COLUMNS), np.int64)
    rows[:, KEY] = -1
    return PairTable(rows, np.zeros(1, np.int64))


def _power_of_two(least: int) -> int:
    return 1 << max(least - 1, 1).bit_length()
