"""A sweep that several ranks do together, each over its own documents.

Documents are drawn a slice at a time. Between two slices the threads rest, what the slice changed is posted, and what
has arrived from other ranks is merged; nobody waits for the network before the sweep ends. How they sync:

hybrid    slow topics are counted once per iteration; changes of the others and of the tree are exchanged all the time
bsp       everything once per iteration, at the end of the sweep
server    all topics collapsed, all changes through rank 0
lockstep  one document at a time, exchanged before the next is drawn: exact, for tests
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from topicgrove.distributed.changes import Recorder
from topicgrove.distributed.exchange import Exchange, Traffic
from topicgrove.distributed.ids import Ids
from topicgrove.distributed.merging import merge
from topicgrove.kernels.structures import CONTROL_STRIDE, N_TOPICS, Settings
from topicgrove.state import State
from topicgrove.sweeps import Sweeper

SYNCS = ("hybrid", "bsp", "server", "lockstep")

SLICE_TOKENS = 1 << 15
"""Tokens of a thread between two looks at what has arrived, at least: some milliseconds."""

MOST_SLICES = 32
"""Looks in a sweep, at most: each costs some tenths of a millisecond."""

TURNS_BELOW = 64
"""While a batch has fewer documents than so many a rank, ranks take turns: early documents shape the tree, and must see
each other."""


class SharedSweeper(Sweeper):
    """Sweeps over the documents of all ranks; every rank calls it with its own."""

    def __init__(
        self, state: State, n_samples: int, fixed_weights: bool, max_topics: int | None, sync: str = "hybrid"
    ) -> None:
        super().__init__(state, n_samples, fixed_weights, max_topics)
        self.sync = sync
        self.channel = state.comm.duplicate()
        self.traffic = Traffic()
        self._ids = Ids(state)
        self._recorder = Recorder(state, self._ids)
        self._births_left = 0

    def sweep(
        self, order: NDArray[np.int64], iteration: int, *, fresh_levels: bool = False, fixed_paths: bool = False
    ) -> None:
        """Draw path and levels of the documents in ``order``; trees and rapid counts are the same everywhere then."""
        if self.fixed_weights or fixed_paths:
            # Documents don't see each other: counting them in the refresh that follows is enough.
            super().sweep(order, iteration, fresh_levels=fresh_levels, fixed_paths=fixed_paths)
            return
        settings = self.settings(iteration, fresh_levels=fresh_levels)
        self._ids.begin()
        self._births_left = self._share_of_births()
        n_docs = np.zeros(self.state.comm.size, np.int64)
        n_docs[self.state.comm.rank] = len(order)
        self.state.comm.allreduce_sum(n_docs)
        if self.sync == "lockstep":
            self._one_by_one(order, settings, n_docs)
        elif self.sync != "bsp" and n_docs.sum() < TURNS_BELOW * len(n_docs):
            for rank in range(len(n_docs)):
                self._together(order if rank == self.state.comm.rank else order[:0], settings)
        else:
            self._together(order, settings)
        self._ids.settle()

    def _together(self, order: NDArray[np.int64], settings: Settings) -> None:
        """All ranks at once, exchanging what they change meanwhile."""
        exchange = self._exchange()
        if self.sync != "bsp":
            self.channel.poll_often(False)
            exchange.start()
        for part in self._slices(order):
            self._draw(part, settings, exchange)
            self._merge(exchange)
        self.channel.poll_often(True)
        exchange.finish()
        while not exchange.is_over:
            exchange.wait()
            self._merge(exchange)
        self._merge(exchange)

    def _one_by_one(self, order: NDArray[np.int64], settings: Settings, n_docs: NDArray[np.int64]) -> None:
        for rank, n in enumerate(n_docs.tolist()):
            for i in range(n):
                exchange = self._exchange()
                if rank == self.state.comm.rank:
                    self._draw(order[i : i + 1], settings, exchange)
                exchange.finish()
                exchange.round()
                self._merge(exchange)

    def _draw(self, part: NDArray[np.int64], settings: Settings, exchange: Exchange) -> None:
        n_topics, n_ids = int(self.state.control[N_TOPICS * CONTROL_STRIDE]), len(self._ids)
        self._recorder.note(part)
        self._sweep(part, settings._replace(max_topics=n_topics + self._births_left))
        self._births_left = max(0, self._births_left - (len(self._ids) - n_ids))
        exchange.post(self._recorder.list())

    def _share_of_births(self) -> int:
        """How many of the topics that may still be born are this rank's, until all know of each other's again."""
        comm = self.state.comm
        room = max(0, self.max_topics - int(self.state.control[N_TOPICS * CONTROL_STRIDE]))
        return room // comm.size + (1 if comm.rank < room % comm.size else 0)

    def _merge(self, exchange: Exchange) -> None:
        for batch in exchange.received():
            merge(self.state, self._ids, batch)

    def _exchange(self) -> Exchange:
        return Exchange(self.channel, self._ids, self.state.n_words, self.traffic, self.sync == "server")

    def _slices(self, order: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        lengths = np.diff(self.state.docs.offsets)[order]
        tokens = np.cumsum(lengths)
        size = max(SLICE_TOKENS * self.state.workers.n_threads, int(tokens[-1:].sum()) // MOST_SLICES)
        parts = tokens // size
        yield from np.split(order, np.flatnonzero(np.diff(parts)) + 1)
