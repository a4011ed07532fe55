"""One sweep over documents by all threads; the matrix grows whenever a level runs out of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.traffic import Traffic
from topicgrove.kernels.structures import Settings
from topicgrove.kernels.sweep import sweep
from topicgrove.memory import workspace
from topicgrove.state import State

NO_LIMIT = 2**62

PIECE_TOKENS = 1 << 17
"""Tokens that a single thread draws at a time: signals wait while a kernel holds the main thread."""


class Sweeper:
    """A runner of sweeps over a state's documents.

    ``on_documents`` is called now and then with ``n_drawn``, the number of documents drawn since it was reset to 0.
    """

    is_collective = False
    """Whether all ranks must take part in what concerns all documents, such as the log joint."""

    def __init__(self, state: State, n_samples: int, fixed_weights: bool, max_topics: int | None) -> None:
        self.state = state
        self.n_samples = n_samples
        self.fixed_weights = fixed_weights
        self.max_topics = max_topics or NO_LIMIT
        self.n_drawn = 0
        self.on_documents: Callable[[int], None] = lambda n_drawn: None
        self._tree = state.topics.tree
        self._workspaces = [workspace(state, n_samples) for _ in range(state.workers.n_threads)]

    def sweep(
        self, order: NDArray[np.int64], iteration: int, *, fresh_levels: bool = False, fixed_paths: bool = False
    ) -> None:
        """Draw path and levels of the documents in ``order``, once each; with ``fixed_paths``, levels only.

        With fixed paths, the tree and the counts of rapid topics do not change either.
        """
        self._sweep(order, self.settings(iteration, fresh_levels=fresh_levels, fixed_paths=fixed_paths))

    def traffic(self) -> Traffic | None:
        """Return the traffic to other ranks since the last call; None for a single process."""
        return None

    def settings(self, iteration: int, *, fresh_levels: bool, fixed_paths: bool = False) -> Settings:
        """Return the settings that the kernels read."""
        return Settings(
            seed=self.state.seed,
            iteration=np.uint64(iteration),
            n_threads=self.state.workers.n_threads,
            max_topics=self.max_topics,
            n_samples=self.n_samples if fresh_levels else 1,
            fresh_levels=fresh_levels,
            fixed_weights=self.fixed_weights or fixed_paths,
            fixed_paths=fixed_paths,
        )

    def _sweep(self, order: NDArray[np.int64], settings: Settings) -> None:
        for piece in self._pieces(order):
            self._sweep_piece(piece, settings)
            self.n_drawn += len(piece)
            self.on_documents(self.n_drawn)

    def _pieces(self, order: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Cut the order for a single thread, which cannot do anything else while it draws; several need no cuts."""
        if self.state.workers.n_threads > 1:
            yield order
            return
        parts = np.cumsum(np.diff(self.state.docs.offsets)[order]) // PIECE_TOKENS
        yield from np.split(order, np.flatnonzero(np.diff(parts)) + 1)

    def _sweep_piece(self, order: NDArray[np.int64], settings: Settings) -> None:
        """Sweep over a piece; whenever a level runs out of columns, stop all threads, grow the matrix, and resume."""
        state, topics = self.state, self.state.topics
        control = topics.control

        def work(thread: int) -> None:
            sweep(order, state.docs, topics.arrays, state.prior, settings, self._workspaces[thread])

        def look() -> None:
            self.on_documents(self.n_drawn + min(int(control.cursor[0]), len(order)))

        control.cursor[0] = 0
        while True:
            control.stop[0] = 0
            self._fit_workspaces()
            state.workers.each(work, on_error=self._stop, meanwhile=look)
            if control.stop[0] == 0:
                return
            topics.grow()

    def _stop(self) -> None:
        self.state.topics.control.stop[0] = 1

    def _fit_workspaces(self) -> None:
        """Fit the workspaces to the layout; each thread keeps its remaining documents."""
        topics = self.state.topics
        if self._tree is topics.tree:
            return
        before, self._tree = self._tree, topics.tree
        n_rapid = topics.words.rapid.shape[1]
        if len(before.parent) == topics.n_slots and len(self._workspaces[0].paths.mantissa) == n_rapid:
            return
        for thread, old in enumerate(self._workspaces):
            self._workspaces[thread] = workspace(self.state, self.n_samples)._replace(pending=old.pending)
