"""Count pairs of adjacent words, first in a sieve and then exactly, and join some of them into phrases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import inlined, kernel

_MIX = np.int64(-7046029254386353131)
_FOLD = 29
_SIEVE_FULL = 65535

KEY, N_TOKENS, N_DOCS, LAST_DOC, N_COLUMNS = 0, 1, 2, 3, 4
"""Columns of a pair: its two words, its counts, and the last document that had it."""


class PairTable(NamedTuple):
    """Pairs of words in an open-addressing hash table."""

    rows: NDArray[np.int64]  # [a power of two, N_COLUMNS]; KEY is -1 where free
    size: NDArray[np.int64]  # [1] number of pairs


@inlined
def slot_of(key: int, mask: int) -> int:
    """Return the slot where the search for a pair begins."""
    code = key * _MIX
    return (code ^ (code >> _FOLD)) & mask


@kernel
def sieve_pairs(
    words: NDArray[np.int32], lengths: NDArray[np.int64], parts: NDArray[np.int32], sieve: NDArray[np.uint16]
) -> None:
    """Count adjacent words in ``sieve[hash(a, b)]``: an upper bound of a pair's count, unless it has reached 65,535.

    ``parts`` maps words to their numbers, -1 for those that no phrase contains.
    """
    mask = len(sieve) - 1
    token = 0
    for document in range(len(lengths)):
        before = np.int64(-1)
        for _ in range(lengths[document]):
            word = np.int64(parts[words[token]])
            token += 1
            if before >= 0 and word >= 0:
                slot = slot_of(before << 32 | word, mask)
                if sieve[slot] < _SIEVE_FULL:
                    sieve[slot] += 1
            before = word


@kernel
def count_pairs(
    words: NDArray[np.int32],
    lengths: NDArray[np.int64],
    parts: NDArray[np.int32],
    sieve: NDArray[np.uint16],
    least: int,
    first_doc: int,
    cursor: NDArray[np.int64],
    table: PairTable,
) -> bool:
    """Count the pairs whose cell of the sieve is at least ``least``; return False where the table must grow first.

    ``cursor`` holds the document and the token to continue with.
    """
    mask = len(table.rows) - 1
    for document in range(cursor[0], len(lengths)):
        if 2 * (table.size[0] + lengths[document]) > len(table.rows):
            return False
        token = cursor[1]
        before = np.int64(-1)
        for _ in range(lengths[document]):
            word = np.int64(parts[words[token]])
            token += 1
            key = before << 32 | word
            if before >= 0 and word >= 0 and sieve[slot_of(key, len(sieve) - 1)] >= least:
                slot = slot_of(key, mask)
                while table.rows[slot, KEY] >= 0 and table.rows[slot, KEY] != key:
                    slot = (slot + 1) & mask
                if table.rows[slot, KEY] < 0:
                    table.rows[slot, KEY] = key
                    table.rows[slot, LAST_DOC] = -1
                    table.size[0] += 1
                table.rows[slot, N_TOKENS] += 1
                if table.rows[slot, LAST_DOC] != first_doc + document:
                    table.rows[slot, LAST_DOC] = first_doc + document
                    table.rows[slot, N_DOCS] += 1
            before = word
        cursor[0] = document + 1
        cursor[1] = token
    return True


@kernel
def move_pairs(old: PairTable, new: PairTable) -> None:
    """Put every pair into its slot of a larger table."""
    mask = len(new.rows) - 1
    for i in range(len(old.rows)):
        key = old.rows[i, KEY]
        if key >= 0:
            slot = slot_of(key, mask)
            while new.rows[slot, KEY] >= 0:
                slot = (slot + 1) & mask
            for column in range(N_COLUMNS):
                new.rows[slot, column] = old.rows[i, column]
            new.size[0] += 1


@kernel
def place_phrases(
    keys: NDArray[np.int64], phrases: NDArray[np.int32], slot_keys: NDArray[np.int64], slot_phrases: NDArray[np.int32]
) -> None:
    """Put pairs and the numbers of their phrases into a hash table, which is free where ``slot_keys`` is -1."""
    mask = len(slot_keys) - 1
    for i in range(len(keys)):
        slot = slot_of(keys[i], mask)
        while slot_keys[slot] >= 0:
            slot = (slot + 1) & mask
        slot_keys[slot] = keys[i]
        slot_phrases[slot] = phrases[i]


@kernel
def join_phrases(
    words: NDArray[np.int32],
    lengths: NDArray[np.int64],
    numbers: NDArray[np.int32],
    starts: NDArray[np.bool_],
    slot_keys: NDArray[np.int64],
    slot_phrases: NDArray[np.int32],
    joined: NDArray[np.int32],
    new_lengths: NDArray[np.int64],
) -> int:
    """Join pairs that are phrases, from left to right; return the number of words left and count them by document.

    ``starts`` says which words begin a phrase.
    """
    mask = len(slot_keys) - 1
    token = 0
    n_joined = 0
    for document in range(len(lengths)):
        end = token + lengths[document]
        first = n_joined
        while token < end:
            word = numbers[words[token]]
            token += 1
            if starts[word] and token < end:
                key = np.int64(word) << 32 | np.int64(numbers[words[token]])
                slot = slot_of(key, mask)
                while slot_keys[slot] >= 0 and slot_keys[slot] != key:
                    slot = (slot + 1) & mask
                if slot_keys[slot] == key:
                    word = slot_phrases[slot]
                    token += 1
            joined[n_joined] = word
            n_joined += 1
        new_lengths[document] = n_joined - first
    return n_joined


@kernel
def recount(
    words: NDArray[np.int32],
    lengths: NDArray[np.int64],
    first_doc: int,
    n_tokens: NDArray[np.int64],
    n_docs: NDArray[np.int64],
    last_doc: NDArray[np.int64],
) -> None:
    """Add the tokens and documents of words to their counts."""
    token = 0
    for document in range(len(lengths)):
        for _ in range(lengths[document]):
            word = words[token]
            token += 1
            n_tokens[word] += 1
            if last_doc[word] != first_doc + document:
                last_doc[word] = first_doc + document
                n_docs[word] += 1
