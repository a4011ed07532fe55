"""The loop: documents enter, sweeps follow, and after every sweep callbacks are told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from topicgrove.evaluation.joint import log_joint
from topicgrove.samplers import Sampler
from topicgrove.samplers.initialise import batches, entry_order
from topicgrove.samplers.refine import is_due, refine
from topicgrove.state import Nodes, State
from topicgrove.sweeps import Sweeper


@dataclass(frozen=True)
class Schedule:
    """How long to train, and how the early phase goes."""

    n_iter: int
    init_iterations: int
    init_samples: int
    batch_size: int | None
    max_topics: int | None
    refine: bool = False


@dataclass(frozen=True)
class SweepEvent:
    """What a callback is told after a sweep. Arrays are made when they are asked for; take copies of what you keep.

    ``iteration`` counts from 1; topic ids are breadth first, those of ``paths`` being valid for this sweep.
    """

    iteration: int
    n_iter: int
    seconds: float
    n_tokens: int
    state: State

    @cached_property
    def nodes(self) -> Nodes:
        """The topics as they are now."""
        return self.state.nodes()

    @property
    def tokens_per_second(self) -> float:
        """Tokens resampled per second of this sweep."""
        return self.n_tokens / max(self.seconds, 1e-9)

    @property
    def paths(self) -> NDArray[np.int32]:
        """(n_docs, n_levels) topic ids."""
        return self.state.paths(self.nodes)

    @property
    def token_levels(self) -> NDArray[np.uint8]:
        """The level of every token, documents in order, tokens sorted by word."""
        return self.state.docs.levels.copy()

    @property
    def n_topics_per_level(self) -> list[int]:
        """Topics on each level, the root's first."""
        return [int(n) for n in np.bincount(self.nodes.level, minlength=self.state.n_levels)]

    @cached_property
    def log_joint(self) -> float:
        """log p(w, z, c)."""
        return log_joint(self.state, self.nodes)


Callback = Callable[[SweepEvent], object]


class Trainer:
    """Runs a sampler on a state."""

    def __init__(self, state: State, sampler: Sampler, schedule: Schedule) -> None:
        self.state = state
        self.sampler = sampler
        self.schedule = schedule
        self.iteration = 0
        self._sweeper = Sweeper(
            state,
            n_samples=schedule.init_samples,
            fixed_weights=sampler.fixed_weights,
            max_topics=schedule.max_topics,
        )

    def run(self, callbacks: Iterable[Callback] = ()) -> None:
        """All iterations that are left; the first brings the documents in."""
        callbacks = tuple(callbacks)
        n_tokens = len(self.state.docs.words)
        while self.iteration < self.schedule.n_iter:
            started = time.perf_counter()
            self.step()
            seconds = time.perf_counter() - started
            event = SweepEvent(self.iteration, self.schedule.n_iter, seconds, n_tokens, self.state)
            for callback in callbacks:
                callback(event)

    def step(self) -> None:
        """One iteration: every document once."""
        state = self.state
        self.iteration += 1
        fresh = self.iteration <= self.schedule.init_iterations
        if self.iteration > 1:
            parts = iter([np.arange(state.n_docs)])
        else:
            self.sampler.refresh(state)
            parts = batches(entry_order(state.n_docs, int(state.seed)), self.schedule.batch_size)
        for part in parts:
            self._sweeper.sweep(part, self.iteration, fresh_levels=fresh)
            self.sampler.refresh(state)
        if self.schedule.refine and is_due(self.iteration, self.schedule.init_iterations, self.schedule.n_iter):
            refine(state, self._sweeper, self.iteration)
            self.sampler.refresh(state)
