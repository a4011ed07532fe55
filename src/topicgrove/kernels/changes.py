"""List what a sweep changed in the tree and in the counts of rapid topics, for other processes, and apply such lists.

Topics are known by their ids here, since slots differ between processes. A slow topic is noted in a path as 2 id + 1,
a rapid one as 2 id. A change of a token is 2 (id V + word), plus 1 if the token left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel, part
from topicgrove.kernels.hardware import fetch_add
from topicgrove.kernels.structures import Documents, Tree

NOT_IN = -1
"""Stands for a topic where the document is not in the tree yet."""


class Noted(NamedTuple):
    """How documents were before they were drawn, in the order in which they are drawn."""

    order: NDArray[np.int64]  # [n] the documents
    start: NDArray[np.int64]  # [n + 1] where their tokens begin in ``levels``
    paths: NDArray[np.int64]  # [n, L] topics by id
    levels: NDArray[np.uint8]  # of tokens, only where a topic of the path is rapid


@part
def note_path(
    leaf: int, parent: NDArray[np.int32], ids: NDArray[np.int32], n_slow: int, path: NDArray[np.int64]
) -> None:
    """Write the topics from the root to a leaf into ``path``."""
    slot = np.int64(leaf)
    for level in range(len(path) - 1, -1, -1):
        path[level] = NOT_IN
        if leaf >= 0:
            path[level] = 2 * np.int64(ids[slot]) + (1 if slot < n_slow else 0)
            slot = np.int64(parent[slot])


@part
def any_rapid(path: NDArray[np.int64]) -> bool:
    """Return whether a noted path has a rapid topic."""
    found = False
    for level in range(len(path)):
        found |= path[level] >= 0 and path[level] & 1 == 0
    return found


@kernel
def note_documents(first: int, last: int, docs: Documents, tree: Tree, n_slow: int, noted: Noted) -> None:
    """Note the paths of ``order[first:last]``, and their levels if a topic of the path is rapid."""
    order, start, paths, levels = noted
    for i in range(first, last):
        d = order[i]
        note_path(docs.leaf[d], tree.parent, tree.id, n_slow, paths[i])
        if not any_rapid(paths[i]):
            continue
        there = levels[start[i] : start[i + 1]]
        here = docs.levels[docs.offsets[d] : docs.offsets[d + 1]]
        for n in range(len(here)):
            there[n] = here[n]


@kernel
def list_changes(
    first: int,
    last: int,
    docs: Documents,
    tree: Tree,
    n_slow: int,
    n_words: int,
    noted: Noted,
    new_path: NDArray[np.int64],
    n_docs: NDArray[np.int64],
    changes: NDArray[np.int64],
) -> int:
    """List what changed since `note_documents`: changes of ``n_docs`` by id, and of tokens.

    Returns the number of changes of tokens. ``changes`` holds up to two per token, plus one.
    """
    order, start, paths, levels = noted
    n = 0
    for i in range(first, last):
        d = order[i]
        old_path = paths[i]
        note_path(docs.leaf[d], tree.parent, tree.id, n_slow, new_path)
        for level in range(len(new_path)):
            if old_path[level] != new_path[level]:
                if old_path[level] >= 0:
                    fetch_add(n_docs, old_path[level] // 2, -1)
                fetch_add(n_docs, new_path[level] // 2, 1)
        was_rapid = any_rapid(old_path)
        if not was_rapid and not any_rapid(new_path):
            continue
        words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
        now = docs.levels[docs.offsets[d] : docs.offsets[d + 1]]
        before = levels[start[i] : start[i + 1]]
        for t in range(len(words)):
            old, new = old_path[before[t]] if was_rapid else np.int64(NOT_IN), new_path[now[t]]
            # Written always, kept only if it is a change: a branch would be mispredicted.
            changes[n] = 2 * ((old >> 1) * n_words + words[t]) + 1
            n += 1 if old != new and old >= 0 and old & 1 == 0 else 0
            changes[n] = 2 * ((new >> 1) * n_words + words[t])
            n += 1 if old != new and new & 1 == 0 else 0
    return n


@kernel
def aggregate(changes: NDArray[np.int64], keys: NDArray[np.int64], sums: NDArray[np.int32]) -> int:
    """Sum equal changes in a hash table (size a power of two, keys -1 at first); return how many sums are not zero."""
    mask = np.uint64(len(keys) - 1)
    for i in range(len(changes)):
        key = changes[i] >> 1
        at = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask
        while keys[at] != -1 and keys[at] != key:
            at = (at + np.uint64(1)) & mask
        keys[at] = key
        sums[at] += 1 - 2 * (changes[i] & 1)
    n = 0
    for i in range(len(keys)):
        if keys[i] != -1 and sums[i] != 0:
            keys[n] = keys[i]
            sums[n] = sums[i]
            n += 1
    return n


@kernel
def add_changes(
    columns: NDArray[np.int64],
    position: NDArray[np.int32],
    words: NDArray[np.int32],
    change: NDArray[np.int32],
    counts: NDArray[Any],
    totals: NDArray[np.int32],
) -> None:
    """Apply changes of word counts to the columns of their topics."""
    for i in range(len(words)):
        column = columns[position[i]]
        counts[words[i], column] += change[i]
        totals[column] += change[i]


@kernel
def hash_rows(first: int, last: int, matrix: NDArray[Any], sums: NDArray[np.uint64]) -> None:
    """Add a hash of these rows to ``sums[0]``: numbers weighted by column, mixed, and weighted by row."""
    total = np.uint64(0)
    for v in range(first, last):
        row = np.uint64(0)
        for j in range(matrix.shape[1]):
            weight = np.uint64(j + 1) * np.uint64(0x9E3779B97F4A7C15)
            row += np.uint64(matrix[v, j]) * (weight ^ (weight >> np.uint64(29)))
        row = (row ^ (row >> np.uint64(32))) * (np.uint64(2 * v + 1) * np.uint64(0xD1B54A32D192ED03))
        total += row ^ (row >> np.uint64(29))
    fetch_add(sums, 0, total)
