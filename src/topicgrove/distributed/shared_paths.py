"""A sweep of hierarchical LDA by all ranks together: what documents change, and how the others learn of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.changes import Batch, Changes, Packing, Recorder
from topicgrove.distributed.ids import Ids
from topicgrove.distributed.merging import merge
from topicgrove.distributed.shared_sweep import SharedSweep
from topicgrove.state import State


class SharedPaths(SharedSweep):
    """A sweep over paths and levels.

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
        codec = Packing(ids, state.n_words)
        super().__init__(state.comm, channel, codec, traffic, order, state.docs.offsets, state.workers.n_threads)
        self._state = state
        self._ids = ids
        self._draw = draw
        self._recorder = Recorder(state, ids)
        self._births_left = self._share_of_births(max_topics)

    def _drawn(self, documents: NDArray[np.int64]) -> Changes:
        n_topics, n_ids = self._state.topics.n_topics, len(self._ids)
        self._recorder.note(documents)
        self._draw(documents, n_topics + self._births_left)
        self._births_left = max(0, self._births_left - (len(self._ids) - n_ids))
        return self._recorder.list()

    def _merge(self, batch: Batch) -> None:
        merge(self._state, self._ids, batch)

    def _share_of_births(self, max_topics: int) -> int:
        """Return this rank's share of the topics that may still be born before ranks learn of each other's births."""
        comm = self._state.comm
        room = max(0, max_topics - self._state.topics.n_topics)
        return room // comm.size + (1 if comm.rank < room % comm.size else 0)
