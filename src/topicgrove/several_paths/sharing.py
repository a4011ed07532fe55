"""Sweeps of walks by all ranks together: every rank draws its own documents, and tells the others which tokens moved.

The tree stays as it is during a sweep, so that all that travels is changes of word counts. When ranks tell each other
is a matter of the sync strategies of `topicgrove.distributed`, as in hierarchical LDA.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.together import agreed
from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.agreement import is_same
from topicgrove.distributed.changes import columns_of, entries_of, sums_of
from topicgrove.distributed.shared_sweep import SharedSweep
from topicgrove.distributed.sync import SYNCS
from topicgrove.kernels.changes import hash_rows
from topicgrove.kernels.walk_sharing import apply_moves, list_moves
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import ROWS


class Moves(NamedTuple):
    """The tokens of some documents that moved: 2 (topic V + word), plus 1 for the topic that the token left."""

    n_documents: int
    listed: NDArray[np.int64]


class MovedWords(NamedTuple):
    """Changes of C_tw, one after the other."""

    topic: NDArray[np.int32]
    word: NDArray[np.int32]
    change: NDArray[np.int32]


class Packing(NamedTuple):
    """The codec of moves."""

    n_words: int

    def pack(self, parts: list[Moves]) -> NDArray[np.uint8]:
        """Add up the moves, and pack what is not zero."""
        keys, sums = sums_of([part.listed for part in parts])
        topic, word = np.divmod(keys, self.n_words)
        return entries_of(topic, word, sums).ravel().view(np.uint8)

    def unpack(self, payload: NDArray[np.uint8]) -> MovedWords:
        """Return what a rank packed."""
        return MovedWords(*columns_of(payload.view(np.int32).reshape(-1, 2)))


class SharedWalks(SharedSweep):
    """A sweep of walks on this rank. ``draw`` draws the documents first..last."""

    def __init__(
        self, state: WalkState, channel: Communicator, traffic: Traffic, draw: Callable[[int, int], None]
    ) -> None:
        order, offsets = np.arange(state.n_docs), state.tokens.offsets
        codec = Packing(state.n_words)
        super().__init__(state.comm, channel, codec, traffic, order, offsets, state.workers.n_threads)
        self._state = state
        self._draw = draw

    def _drawn(self, documents: NDArray[np.int64]) -> Moves:
        """Draw consecutive documents."""
        if len(documents) == 0:
            return Moves(0, np.zeros(0, np.int64))
        tokens, first, last = self._state.tokens, int(documents[0]), int(documents[-1]) + 1
        here = slice(tokens.offsets[first], tokens.offsets[last])
        before = tokens.node[here].copy()
        self._draw(first, last)
        moves = np.empty(2 * len(before) + 1, np.int64)
        slow = self._state.words.slow
        n = list_moves(tokens.words[here], before, tokens.node[here], slow, self._state.n_words, moves)
        return Moves(len(documents), moves[:n].copy())

    def _merge(self, batch: MovedWords) -> None:
        apply_moves(*batch, self._state.n_nodes, self._state.words)


class WalkSweeper:
    """A runner of sweeps over the documents of all ranks; every rank calls it with its own state."""

    def __init__(self, state: WalkState, sync: str = "hybrid") -> None:
        self.state = state
        self._sync = SYNCS[sync]
        self._channel = state.comm.duplicate()
        self._traffic = Traffic()

    def sweep(self, iteration: int, on_documents: Callable[[int], None] = lambda n_drawn: None) -> None:
        """Draw the node of every token once; all ranks end with the same counts."""
        state = self.state
        if state.comm.size == 1:
            state.sweep(iteration, on_documents=on_documents)
            return

        def draw(first: int, last: int) -> None:
            state.draw(first, last, iteration, on_documents=on_documents)

        self._sync.sweep(SharedWalks(state, self._channel, self._traffic, draw))

    def traffic(self) -> Traffic | None:
        """Return this rank's traffic since the last call; None for a single process."""
        return None if self.state.comm.size == 1 else self._traffic.since_last(self.state.comm.sent)


def check_same_walks(state: WalkState) -> None:
    """Raise RuntimeError on all ranks if their trees, weights or counts differ."""
    if state.comm.size == 1:
        return
    sums = np.zeros(1, np.uint64)
    counts = state.words.counts.reshape(state.n_words, state.n_nodes)
    state.workers.ranges(state.n_words, lambda a, b: hash_rows(a, b, counts, sums), ROWS * 4)
    small = (sums, state.words.totals, state.parent, state.tree.child_weight, state.tree.stop, state.words.beta)
    if not is_same(state.comm, zlib.crc32(b"".join(array.tobytes() for array in small))):
        raise agreed(RuntimeError("the trees or counts of the ranks differ, which must not happen: please report it"))
