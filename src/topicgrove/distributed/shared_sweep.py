"""One sweep by all ranks together, each over its own documents: the building block of sync strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.changes import Recorder
from topicgrove.distributed.exchange import Exchange
from topicgrove.distributed.ids import Ids
from topicgrove.distributed.merging import merge
from topicgrove.state import State

SLICE_TOKENS = 1 << 15
"""Least number of tokens that a thread draws between two checks for arrivals: some milliseconds."""

MOST_SLICES = 32
"""Maximum number of slices of a sweep: each costs some tenths of a millisecond."""

TURNS_BELOW = 64
"""Ranks take turns while a batch has fewer documents than this per rank.

Early documents shape the tree, and must see each other.
"""


class SharedSweep:
    """The documents of a sweep on this rank, to be drawn, exchanged and merged.

    All ranks create one together. The threads rest between two slices of documents, while changes are listed and
    merged.

    Parameters
    ----------
    state : State
    ids : Ids
        Ids already begun for this sweep.
    channel : Communicator
        Channel used by exchanges only.
    traffic : Traffic
        Counters of rounds and documents.
    draw : callable
        Function that draws documents, given the documents and a limit on the number of topics.
    order : int64 array
        This rank's documents.
    max_topics : int
        Limit on the topics of all ranks' tree.
    """

    def __init__(
        self,
        state: State,
        ids: Ids,
        channel: Communicator,
        traffic: Traffic,
        draw: Callable[[NDArray[np.int64], int], None],
        order: NDArray[np.int64],
        max_topics: int,
    ) -> None:
        self.rank = state.comm.rank
        self.order = order
        self._state = state
        self._ids = ids
        self._channel = channel
        self._traffic = traffic
        self._draw = draw
        self._recorder = Recorder(state, ids)
        self._births_left = self._share_of_births(max_topics)
        n_docs = np.zeros(state.comm.size, np.int64)
        n_docs[self.rank] = len(order)
        state.comm.allreduce_sum(n_docs)
        self.n_docs: list[int] = n_docs.tolist()
        """Documents of each rank in this sweep."""

    def turns(self) -> Iterator[NDArray[np.int64]]:
        """Yield this rank's documents for every turn: all at once, or, with small batches, one rank after the other."""
        if sum(self.n_docs) >= TURNS_BELOW * len(self.n_docs):
            yield self.order
            return
        for rank in range(len(self.n_docs)):
            yield self.order if rank == self.rank else self.order[:0]

    def exchange(self, through_first: bool = False) -> Exchange:
        """Return an exchange that has not started; with ``through_first``, rank 0 passes all changes on."""
        return Exchange(self._channel, self._ids, self._state.n_words, self._traffic, through_first)

    def draw_while_exchanging(self, documents: NDArray[np.int64], through_first: bool = False) -> None:
        """Draw documents slice by slice while a thread exchanges changes; wait for the network only at the end."""
        exchange = self.exchange(through_first)
        self._channel.poll_often(False)
        exchange.start()
        self.draw_in_slices(documents, exchange)
        self._channel.poll_often(True)
        self.complete(exchange)

    def draw_in_slices(self, documents: NDArray[np.int64], exchange: Exchange) -> None:
        """Draw documents slice by slice; after each, post what it changed and merge what has arrived."""
        for part in self._slices(documents):
            self.draw(part, exchange)
            self.merge(exchange)

    def draw(self, documents: NDArray[np.int64], exchange: Exchange) -> None:
        """Draw documents and post what they changed."""
        n_topics, n_ids = self._state.topics.n_topics, len(self._ids)
        self._recorder.note(documents)
        self._draw(documents, n_topics + self._births_left)
        self._births_left = max(0, self._births_left - (len(self._ids) - n_ids))
        exchange.post(self._recorder.list())

    def merge(self, exchange: Exchange) -> None:
        """Merge what has arrived."""
        for batch in exchange.received():
            merge(self._state, self._ids, batch)

    def complete(self, exchange: Exchange) -> None:
        """Finish posting; exchange and merge until every rank has finished."""
        exchange.finish()
        while not exchange.is_over:
            exchange.wait()
            self.merge(exchange)
        self.merge(exchange)

    def _share_of_births(self, max_topics: int) -> int:
        """Return this rank's share of the topics that may still be born before ranks learn of each other's births."""
        comm = self._state.comm
        room = max(0, max_topics - self._state.topics.n_topics)
        return room // comm.size + (1 if comm.rank < room % comm.size else 0)

    def _slices(self, documents: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        lengths = np.diff(self._state.docs.offsets)[documents]
        tokens = np.cumsum(lengths)
        size = max(SLICE_TOKENS * self._state.workers.n_threads, int(tokens[-1:].sum()) // MOST_SLICES)
        parts = tokens // size
        yield from np.split(documents, np.flatnonzero(np.diff(parts)) + 1)
