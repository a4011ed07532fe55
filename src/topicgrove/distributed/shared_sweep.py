"""One sweep by all ranks together, each over its own documents: the building block of sync strategies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.exchange import Codec, Exchange, Posted

SLICE_TOKENS = 1 << 15
"""Least number of tokens that a thread draws between two checks for arrivals: some milliseconds."""

MOST_SLICES = 32
"""Maximum number of slices of a sweep: each costs some tenths of a millisecond."""

TURNS_BELOW = 64
"""Ranks take turns while a batch has fewer documents than this per rank.

Early documents shape the tree, and must see each other.
"""


class SharedSweep(ABC):
    """The documents of a sweep on this rank, to be drawn, exchanged and merged; a subclass knows the model.

    All ranks create one together. The threads rest between two slices of documents, while changes are listed and
    merged.

    Parameters
    ----------
    comm : Communicator
    channel : Communicator
        Channel used by exchanges only.
    codec : Codec
        How changes travel.
    traffic : Traffic
        Counters of rounds and documents.
    order : int64 array
        This rank's documents.
    offsets : int64 array
        Where the tokens of all of this rank's documents begin.
    n_threads : int
    """

    def __init__(
        self,
        comm: Communicator,
        channel: Communicator,
        codec: Codec,
        traffic: Traffic,
        order: NDArray[np.int64],
        offsets: NDArray[np.int64],
        n_threads: int,
    ) -> None:
        self.rank = comm.rank
        self.order = order
        self._channel = channel
        self._codec = codec
        self._traffic = traffic
        self._lengths = np.diff(offsets)
        self._n_threads = n_threads
        n_docs = np.zeros(comm.size, np.int64)
        n_docs[self.rank] = len(order)
        comm.allreduce_sum(n_docs)
        self.n_docs: list[int] = n_docs.tolist()
        """Documents of each rank in this sweep."""

    @abstractmethod
    def _drawn(self, documents: NDArray[np.int64]) -> Posted:
        """Draw documents; return what they changed."""

    @abstractmethod
    def _merge(self, batch: Any) -> None:
        """Merge another rank's changes."""

    def turns(self) -> Iterator[NDArray[np.int64]]:
        """Yield this rank's documents for every turn: all at once, or, with small batches, one rank after the other."""
        if sum(self.n_docs) >= TURNS_BELOW * len(self.n_docs):
            yield self.order
            return
        for rank in range(len(self.n_docs)):
            yield self.order if rank == self.rank else self.order[:0]

    def exchange(self, through_first: bool = False) -> Exchange:
        """Return an exchange that has not started; with ``through_first``, rank 0 passes all changes on."""
        return Exchange(self._channel, self._codec, self._traffic, through_first)

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
        exchange.post(self._drawn(documents))

    def merge(self, exchange: Exchange) -> None:
        """Merge what has arrived."""
        for batch in exchange.received():
            self._merge(batch)

    def complete(self, exchange: Exchange) -> None:
        """Finish posting; exchange and merge until every rank has finished."""
        exchange.finish()
        while not exchange.is_over:
            exchange.wait()
            self.merge(exchange)
        self.merge(exchange)

    def _slices(self, documents: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        tokens = np.cumsum(self._lengths[documents])
        size = max(SLICE_TOKENS * self._n_threads, int(tokens[-1:].sum()) // MOST_SLICES)
        parts = tokens // size
        yield from np.split(documents, np.flatnonzero(np.diff(parts)) + 1)
