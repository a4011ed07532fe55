"""Changes that a rank's documents make to the tree and to rapid topics: noted, listed, and packed for sending.

A packed batch has three parts: the numbers of topics and of entries; a row (name, parent's name, level, change of
documents) for every topic in it, parents first; and a pair (word, 256 topic + change + 128) for every changed count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.distributed.ids import Ids
from topicgrove.kernels.changes import Noted, aggregate, list_changes, note_documents
from topicgrove.state import State
from topicgrove.workers import DOCUMENTS

_LARGEST = 127
"""The largest change that an entry holds; a larger one takes several entries."""

_BYTE = 256


class Changes(NamedTuple):
    """The changes that some documents made."""

    n_documents: int
    n_docs: NDArray[np.int64]  # by id
    tokens: list[NDArray[np.int64]]  # see kernels.changes

    @property
    def is_empty(self) -> bool:
        """Whether other ranks have nothing to learn from the changes."""
        return not self.tokens and not self.n_docs.any()


class Packing(NamedTuple):
    """The codec of these changes."""

    ids: Ids
    n_words: int

    def pack(self, parts: list[Changes]) -> NDArray[np.uint8]:
        """Join the parts and pack them."""
        return pack(join(parts), self.ids, self.n_words)

    def unpack(self, payload: NDArray[np.uint8]) -> Batch:
        """Unpack what a rank packed."""
        return unpack(payload)


class Batch(NamedTuple):
    """An unpacked batch."""

    name: NDArray[np.int64]
    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    n_docs: NDArray[np.int64]
    position: NDArray[np.int32]  # of an entry's topic in the arrays above
    word: NDArray[np.int32]
    change: NDArray[np.int32]


class Recorder:
    """A recorder that notes documents before they are drawn, and lists what changed afterwards."""

    def __init__(self, state: State, ids: Ids) -> None:
        self.state = state
        self.ids = ids

    def note(self, order: NDArray[np.int64]) -> None:
        """Note the paths and levels of these documents."""
        state = self.state
        docs, tree, n_slow = state.docs, state.topics.tree, state.topics.n_slow
        start = np.append(0, np.cumsum(docs.offsets[order + 1] - docs.offsets[order]))
        paths = np.empty((len(order), state.n_levels), np.int64)
        self._noted = noted = Noted(order, start, paths, np.empty(int(start[-1]), np.uint8))
        state.workers.ranges(
            len(order), lambda first, last: note_documents(first, last, docs, tree, n_slow, noted), self._block
        )

    @property
    def _block(self) -> int:
        """Documents per thread: calling a kernel takes longer than noting some hundreds."""
        return max(DOCUMENTS, -(-len(self._noted.order) // self.state.workers.n_threads))

    def list(self) -> Changes:
        """List what changed since `note`, and register the topics born in between."""
        self.ids.register_births()
        state, noted = self.state, self._noted
        docs, tree, n_slow, n_words = state.docs, state.topics.tree, state.topics.n_slow, state.n_words
        n_docs = np.zeros(len(self.ids), np.int64)
        lists: list[NDArray[np.int64]] = []

        def list_range(first: int, last: int) -> None:
            changes = np.empty(2 * int(noted.start[last] - noted.start[first]) + 1, np.int64)
            path = np.zeros(state.n_levels, np.int64)
            n = list_changes(first, last, docs, tree, n_slow, n_words, noted, path, n_docs, changes)
            if n:
                lists.append(changes[:n].copy())

        state.workers.ranges(len(noted.order), list_range, self._block)
        return Changes(len(noted.order), n_docs, lists)


def join(parts: list[Changes]) -> Changes:
    """Join several changes into one."""
    n_docs = np.zeros(max((len(part.n_docs) for part in parts), default=0), np.int64)
    for part in parts:
        n_docs[: len(part.n_docs)] += part.n_docs
    tokens = [tokens for part in parts for tokens in part.tokens]
    return Changes(sum(part.n_documents for part in parts), n_docs, tokens)


def pack(changes: Changes, ids: Ids, n_words: int) -> NDArray[np.uint8]:
    """Pack changes into bytes."""
    if changes.is_empty:
        return np.zeros(0, np.uint8)
    keys, sums = sums_of(changes.tokens)
    topic, word = np.divmod(keys, n_words)
    spoken_of = changes.n_docs != 0
    spoken_of[topic] = True
    rows = np.flatnonzero(spoken_of)
    rows = rows[np.argsort(ids.level[rows], kind="stable")]
    position = np.zeros(len(spoken_of), np.int64)
    position[rows] = np.arange(len(rows))
    nodes = np.stack([ids.name[rows], ids.name[ids.parent[rows]], ids.level[rows], changes.n_docs[rows]], axis=1)
    entries = entries_of(position[topic], word, sums)
    head = np.array([len(nodes), len(entries)], np.int64)
    return np.concatenate([head.view(np.uint8), nodes.ravel().view(np.uint8), entries.ravel().view(np.uint8)])


def unpack(payload: NDArray[np.uint8]) -> Batch:
    """Unpack what ``pack`` returned."""
    n_nodes, n_entries = (int(n) for n in payload[:16].view(np.int64))
    middle = 16 + 32 * n_nodes
    nodes = payload[16:middle].view(np.int64).reshape(n_nodes, 4)
    entries = payload[middle:].view(np.int32).reshape(n_entries, 2)
    name, parent, level, n_docs = nodes.T.copy()
    return Batch(name, parent, level, n_docs, *columns_of(entries))


def columns_of(entries: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return positions, words and changes of what `entries_of` returned."""
    position, change = np.divmod(entries[:, 1], _BYTE)
    return position, entries[:, 0].copy(), change - np.int32(_LARGEST + 1)


def sums_of(tokens: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sum the changes of counts by id V + word; sums of zero are left out."""
    size = 1 << int(2 * sum(map(len, tokens)) + 1).bit_length()
    keys, sums = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    # One table for all lists: what one adds, another may take away.
    changes: NDArray[Any] = np.concatenate([np.zeros(0, np.int64), *tokens])
    n = aggregate(changes, keys, sums)
    return keys[:n], sums[:n]


def entries_of(position: NDArray[np.int64], word: NDArray[np.int64], sums: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a row (word, 256 position + change + 128) for each change, and more for changes beyond 127."""
    parts = []
    while len(sums):
        change = np.clip(sums, -_LARGEST, _LARGEST)
        parts.append(np.stack([word, position * _BYTE + change + _LARGEST + 1], axis=1).astype(np.int32))
        rest = sums != change
        position, word, sums = position[rest], word[rest], (sums - change)[rest]
    return np.concatenate(parts) if parts else np.zeros((0, 2), np.int32)
