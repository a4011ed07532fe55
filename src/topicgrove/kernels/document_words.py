"""The words of one document: its distinct words, their counts on each level, and lists by level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import part

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@part
def list_distinct(words: NDArray[np.int32], row_word: NDArray[np.int32], row_of: NDArray[np.int32]) -> int:
    """Number the distinct words: fill in each row's word and each token's row; return the number of rows."""
    n_rows = 0
    before = np.int32(-1)
    for n in range(len(words)):
        n_rows += 1 if words[n] != before else 0
        before = words[n]
        row_word[n_rows - 1] = before
        row_of[n] = n_rows - 1
    return n_rows


@part
def clear_counts(n_rows: int, counts: NDArray[np.float32]) -> None:
    """Set ``counts[:n_rows]`` to 0."""
    for row in range(n_rows):
        for level in range(counts.shape[1]):
            counts[row, level] = _ZERO


@part
def count_by_level(
    levels: NDArray[np.uint8], row_of: NDArray[np.int32], n_rows: int, counts: NDArray[np.float32]
) -> None:
    """Count each distinct word on each level into ``counts[row, level]``."""
    clear_counts(n_rows, counts)
    for n in range(len(levels)):
        counts[row_of[n], levels[n]] += _ONE


@part
def list_by_level(
    row_word: NDArray[np.int32],
    n_rows: int,
    counts: NDArray[np.float32],
    first_level: int,
    start: NDArray[np.int64],
    words: NDArray[np.int32],
    times: NDArray[np.float32],
    tokens: NDArray[np.int32],
    repeat: NDArray[np.float32],
) -> None:
    """List the words of each level l from ``first_level`` on, in two ways.

    ``words[start[2l]:...]`` has every word once, and ``times`` how often it is there. ``tokens[start[2l + 1]:...]`` has
    every token, equal ones together, and ``repeat`` how many equal ones come before. Both end where those of the next
    level begin.
    """
    n_distinct, n_tokens = np.int64(0), np.int64(0)
    for level in range(counts.shape[1]):
        start[2 * level], start[2 * level + 1] = n_distinct, n_tokens
        if level < first_level:
            continue
        for row in range(n_rows):
            # Written always, kept only if the word is there: a branch would be mispredicted.
            words[n_distinct] = row_word[row]
            times[n_distinct] = counts[row, level]
            n_distinct += 1 if counts[row, level] > _ZERO else 0
        for n in range(start[2 * level], n_distinct):
            tokens[n_tokens] = words[n]
            repeat[n_tokens] = _ZERO
            n_tokens += 1
            for k in range(1, np.int64(times[n])):
                tokens[n_tokens] = words[n]
                repeat[n_tokens] = np.float32(k)
                n_tokens += 1
    start[2 * counts.shape[1]], start[2 * counts.shape[1] + 1] = n_distinct, n_tokens


@part
def list_uncounted_repeats(
    n_rows: int, drawn: NDArray[np.float32], counted: NDArray[np.float32], level: int, left: NDArray[np.float32]
) -> int:
    """List, for each token of a level, how many equal ones come before, less the topic's count of the document's.

    Returns how many tokens of the document the topic has counted.
    """
    n, n_counted = np.int64(0), np.int64(0)
    for row in range(n_rows):
        left[n] = -counted[row, level]
        n_counted += np.int64(counted[row, level])
        n += 1 if drawn[row, level] > _ZERO else 0
        for _ in range(1, np.int64(drawn[row, level])):
            left[n] = left[n - 1] + _ONE
            n += 1
    return n_counted
