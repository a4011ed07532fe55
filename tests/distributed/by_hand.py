"""A rank whose documents move by hand, so that a test controls births, joins and leaves in each round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topicgrove.corpus import Corpus
from topicgrove.distributed.changes import Recorder, pack, unpack
from topicgrove.distributed.ids import Ids
from topicgrove.distributed.merging import merge
from topicgrove.kernels.structures import ROOT
from topicgrove.kernels.tree import follow_path, has_room, join_path, leave_path
from topicgrove.prior import HyperParameters
from topicgrove.samplers import PartiallyCollapsedGibbs
from topicgrove.state import State
from topicgrove.workers import Workers

from .thread_ranks import ThreadCommunicator
from .whole import assert_whole_by_name

NEVER = np.inf
NO_LIMIT = 2**62


class Hand:
    """This rank's documents, which start in one topic per level, and topics with names."""

    def __init__(
        self,
        comm: ThreadCommunicator,
        docs: Sequence[Sequence[int]],
        *,
        n_words: int = 4,
        n_levels: int = 3,
        collapse_below: float = NEVER,
    ) -> None:
        self.comm = comm
        corpus = Corpus.from_documents(docs or [[]], n_words=n_words)
        corpus = replace(corpus, offsets=corpus.offsets[: len(docs) + 1])
        self.state = State(corpus, HyperParameters.of(n_levels, 1.0, 0.5, 0.5), 0, Workers(1), comm=comm)
        self.sampler = PartiallyCollapsedGibbs(collapse_below, draw_phi=False)
        self.ids = Ids(self.state)
        self.recorder = Recorder(self.state, self.ids)
        self.begin()

    def begin(self) -> None:
        """Begin a sweep."""
        self.sampler.refresh(self.state)
        self.ids.begin()
        self._note()

    def move(self, doc: int, to: int, levels: Sequence[int] | int = 0) -> list[int]:
        """Move a document below the topic in a slot (a leaf, or an inner topic to branch off); its new path."""
        self.leave(doc)
        state, path = self.state, np.full(self.state.n_levels, -1)
        while not all(has_room(state.topics.layout, level, 1) for level in range(1, state.n_levels)):
            name = state.topics.tree.id[to]
            state.topics.grow()
            tree = state.topics.tree
            to = int(np.flatnonzero((tree.id == name) & (tree.n_docs > 0))[0]) if to != ROOT else ROOT
        assert join_path(state.topics.arrays, state.prior, path, to, NO_LIMIT)
        state.docs.leaf[doc] = path[-1]
        state.docs.levels[state.docs.offsets[doc] : state.docs.offsets[doc + 1]] = levels
        self._add_words(doc, path, 1)
        return path.tolist()

    def leave(self, doc: int) -> None:
        """Remove a document from its path."""
        state = self.state
        if state.docs.leaf[doc] < 0:
            return
        path = np.empty(state.n_levels, np.int64)
        follow_path(state.topics.tree.parent, state.docs.leaf[doc], path)
        self._add_words(doc, path, -1)
        leave_path(state.topics.arrays, state.prior, path)
        state.docs.leaf[doc] = -1

    def path(self, doc: int) -> list[int]:
        """Return the slots of a document's path."""
        path = np.empty(self.state.n_levels, np.int64)
        follow_path(self.state.topics.tree.parent, self.state.docs.leaf[doc], path)
        return path.tolist()

    def name(self, slot: int) -> int:
        """Return the name that all ranks use for the topic in a slot."""
        return int(self.ids.name[self.state.topics.tree.id[slot]])

    def slot(self, name: int) -> int:
        """Return the slot of the living topic with this name."""
        alive = np.flatnonzero(self.state.topics.tree.n_docs)
        (slot,) = alive[self.ids.name[self.state.topics.tree.id[alive]] == name].tolist()
        return int(slot)

    def round(self) -> set[int]:
        """Exchange moves, and check that all ranks then have the counts of all documents; return the living names."""
        payload = pack(self.recorder.list(), self.ids, self.state.n_words)
        for rank, (_, part) in enumerate(self.comm.allgather_bytes(np.zeros(1, np.int64), payload)):
            if rank != self.comm.rank and len(part):
                merge(self.state, self.ids, unpack(part))
        self._note()
        return assert_whole_by_name(self.state, self.ids.name, self.comm.all)

    def end(self) -> None:
        """End a sweep: number ids alike on all ranks, and slots, too, with the next layout."""
        self.ids.settle()
        self.begin()
        for array in (
            self.state.topics.tree.parent,
            self.state.topics.tree.n_docs,
            self.state.topics.tree.id,
            self.state.topics.words.rapid,
        ):
            for theirs in self.comm.all(array):
                np.testing.assert_array_equal(theirs, array)

    def _note(self) -> None:
        self.recorder.note(np.arange(self.state.n_docs))

    def _add_words(self, doc: int, path: np.ndarray, change: int) -> None:
        state, docs = self.state, self.state.docs
        here = slice(docs.offsets[doc], docs.offsets[doc + 1])
        for word, level in zip(docs.words[here], docs.levels[here], strict=True):
            column = path[level] - state.topics.n_slow
            if column >= 0:
                state.topics.words.rapid[word, column] += np.array(change).astype(state.topics.count_type)
                state.topics.words.totals[column] += change
