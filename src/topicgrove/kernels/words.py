"""Split documents into runs of word bytes, and number the words in the order of their first occurrence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import inlined, kernel

_FNV_OFFSET = np.int64(-3750763034362895579)
_FNV_PRIME = np.int64(0x100000001B3)
_FOLD = 32

DOCUMENT, BYTE, TOKEN, N_CURSOR = 0, 1, 2, 3
"""State of a scan: its document, the next byte, the number of tokens found."""

HASH, BEGIN, LENGTH, N_TOKENS, N_DOCS, LAST_DOC, N_COLUMNS = 0, 1, 2, 3, 4, 5, 8
"""Columns of a word, in one cache line: its hash, letters, counts, and the last document that had it."""


class WordTable(NamedTuple):
    """Numbered words in an open-addressing hash table."""

    slots: NDArray[np.int32]  # [a power of two] number of a word, -1 where free
    words: NDArray[np.int64]  # [capacity, N_COLUMNS]
    letters: NDArray[np.uint8]  # of all words, concatenated
    size: NDArray[np.int64]  # [2] number of words and of letters


@inlined
def number_of(table: WordTable, data: NDArray[np.uint8], begin: int, end: int, code: int) -> int:
    """Return the number of the word ``data[begin:end]`` with hash ``code``, adding it if new; -1 if it has no room."""
    mask = len(table.slots) - 1
    slot = (code ^ (code >> _FOLD)) & mask
    while table.slots[slot] >= 0:
        word = table.slots[slot]
        if table.words[word, HASH] == code and table.words[word, LENGTH] == end - begin:
            first = table.words[word, BEGIN]
            i = 0
            while i < end - begin and table.letters[first + i] == data[begin + i]:
                i += 1
            if i == end - begin:
                return word
        slot = (slot + 1) & mask
    new = table.size[0]
    first = table.size[1]
    if new == len(table.words) or first + end - begin > len(table.letters):
        return -1
    for i in range(end - begin):
        table.letters[first + i] = data[begin + i]
    table.words[new, HASH] = code
    table.words[new, BEGIN] = first
    table.words[new, LENGTH] = end - begin
    table.words[new, N_TOKENS] = 0
    table.words[new, N_DOCS] = 0
    table.words[new, LAST_DOC] = -1
    table.size[0] = new + 1
    table.size[1] = first + end - begin
    table.slots[slot] = new
    return new


@kernel
def scan_documents(
    data: NDArray[np.uint8],
    doc_ends: NDArray[np.int64],
    is_word: NDArray[np.bool_],
    min_length: int,
    first_doc: int,
    table: WordTable,
    cursor: NDArray[np.int64],
    tokens: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> bool:
    """Number the words of documents, the longest runs of word bytes; return False where the table must grow first.

    ``first_doc`` continues the numbers of earlier calls, so that a word's documents can be counted.
    """
    n_tokens = cursor[TOKEN]
    position = cursor[BYTE]
    for document in range(cursor[DOCUMENT], len(doc_ends)):
        end = doc_ends[document]
        while position < end:
            if not is_word[data[position]]:
                position += 1
                continue
            begin = position
            code = _FNV_OFFSET
            while position < end and is_word[data[position]]:
                code = (code ^ np.int64(data[position])) * _FNV_PRIME
                position += 1
            if position - begin < min_length:
                continue
            word = number_of(table, data, begin, position, code)
            if word < 0:
                cursor[DOCUMENT], cursor[BYTE], cursor[TOKEN] = document, begin, n_tokens
                return False
            tokens[n_tokens] = word
            n_tokens += 1
            lengths[document] += 1
            table.words[word, N_TOKENS] += 1
            if table.words[word, LAST_DOC] != first_doc + document:
                table.words[word, LAST_DOC] = first_doc + document
                table.words[word, N_DOCS] += 1
    cursor[DOCUMENT], cursor[BYTE], cursor[TOKEN] = len(doc_ends), position, n_tokens
    return True


@kernel
def absorb_words(other: WordTable, table: WordTable, first: int, numbers: NDArray[np.int32]) -> int:
    """Add the words of ``other`` from ``first`` on to ``table``, with their counts; return the first not done."""
    for i in range(first, other.size[0]):
        begin = other.words[i, BEGIN]
        word = number_of(table, other.letters, begin, begin + other.words[i, LENGTH], other.words[i, HASH])
        if word < 0:
            return i
        numbers[i] = word
        table.words[word, N_TOKENS] += other.words[i, N_TOKENS]
        table.words[word, N_DOCS] += other.words[i, N_DOCS]
    return other.size[0]


@kernel
def rehash(table: WordTable) -> None:
    """Put every word into its slot again, after the slots have grown."""
    mask = len(table.slots) - 1
    for slot in range(len(table.slots)):
        table.slots[slot] = -1
    for word in range(table.size[0]):
        code = table.words[word, HASH]
        place = (code ^ (code >> _FOLD)) & mask
        while table.slots[place] >= 0:
            place = (place + 1) & mask
        table.slots[place] = word


@kernel
def map_words(
    words: NDArray[np.int32],
    lengths: NDArray[np.int64],
    ids: NDArray[np.int32],
    keys: NDArray[np.int64],
    kept: NDArray[np.int64],
) -> int:
    """Write ``document << 32 | ids[word]`` for words with an id into ``keys``; return and count (``kept``) how many."""
    token = 0
    n_kept = 0
    for document in range(len(lengths)):
        before = n_kept
        for _ in range(lengths[document]):
            word = ids[words[token]]
            token += 1
            if word >= 0:
                keys[n_kept] = np.int64(document) << 32 | np.int64(word)
                n_kept += 1
        kept[document] = n_kept - before
    return n_kept
