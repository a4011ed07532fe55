"""Sweeps over the documents of all ranks; a sync strategy decides when ranks learn of each other's changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.ids import Ids
from topicgrove.distributed.shared_paths import SharedPaths
from topicgrove.distributed.sync import SYNCS
from topicgrove.state import State
from topicgrove.sweeps import Sweeper


class SharedSweeper(Sweeper):
    """A runner of sweeps over the documents of all ranks; every rank calls it with its own."""

    is_collective = True

    def __init__(
        self, state: State, n_samples: int, fixed_weights: bool, max_topics: int | None, sync: str = "hybrid"
    ) -> None:
        super().__init__(state, n_samples, fixed_weights, max_topics)
        self._sync = SYNCS[sync]
        self._channel = state.comm.duplicate()
        self._traffic = Traffic()
        self._ids = Ids(state)

    def sweep(
        self, order: NDArray[np.int64], iteration: int, *, fresh_levels: bool = False, fixed_paths: bool = False
    ) -> None:
        """Draw path and levels of the documents in ``order``; all ranks end with the same tree and rapid counts."""
        if self.fixed_weights or fixed_paths:
            # Documents do not see each other, so counting them in the following refresh is enough.
            super().sweep(order, iteration, fresh_levels=fresh_levels, fixed_paths=fixed_paths)
            return
        settings = self.settings(iteration, fresh_levels=fresh_levels)

        def draw(documents: NDArray[np.int64], max_topics: int) -> None:
            self._sweep(documents, settings._replace(max_topics=max_topics))

        self._ids.begin()
        self._sync.sweep(SharedPaths(self.state, self._ids, self._channel, self._traffic, draw, order, self.max_topics))
        self._ids.settle()

    def traffic(self) -> Traffic:
        """Return this rank's traffic since the last call."""
        return self._traffic.since_last(self.state.comm.sent)
