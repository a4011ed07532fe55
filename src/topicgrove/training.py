"""The loop: documents enter, sweeps follow; after every sweep adjusters may act, and callbacks are told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

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


class Adjuster(Protocol):
    """Something that changes a run while it goes: its hyper-parameters, or when it ends.

    What it remembers from sweep to sweep goes through JSON, so that a run resumed from a checkpoint is the same run.
    """

    def after_sweep(self, trainer: Trainer) -> None:
        """Called after every sweep and before callbacks; may set ``trainer.stopped`` or the state's hyper-parameters.

        The sampler's refresh follows if those were set.
        """

    def to_dict(self) -> dict[str, Any]:
        """What it remembers, for JSON."""

    def restore(self, saved: dict[str, Any]) -> None:
        """Remember what ``to_dict`` gave."""


class Trainer:
    """Runs a sampler on a state.

    ``stopped`` and ``interrupted`` end ``run`` after the sweep at hand: adjusters set the one, signal handlers the
    other. An ``iteration`` above 0 goes on from there, with the documents already in.
    """

    def __init__(
        self,
        state: State,
        sampler: Sampler,
        schedule: Schedule,
        adjusters: Iterable[Adjuster] = (),
        iteration: int = 0,
    ) -> None:
        self.state = state
        self.sampler = sampler
        self.schedule = schedule
        self.adjusters = tuple(adjusters)
        self.iteration = iteration
        self.stopped = False
        self.interrupted = False
        self.sweeper = Sweeper(
            state,
            n_samples=schedule.init_samples,
            fixed_weights=sampler.fixed_weights,
            max_topics=schedule.max_topics,
        )

    def run(self, callbacks: Iterable[Callback] = ()) -> None:
        """All iterations that are left, unless something ends it; the first brings the documents in."""
        callbacks = tuple(callbacks)
        n_tokens = len(self.state.docs.words)
        while self.iteration < self.schedule.n_iter and not (self.stopped or self.interrupted):
            started = time.perf_counter()
            self.step()
            seconds = time.perf_counter() - started
            event = SweepEvent(self.iteration, self.schedule.n_iter, seconds, n_tokens, self.state)
            for callback in callbacks:
                callback(event)

    def step(self) -> None:
        """One iteration: every document once, then the adjusters."""
        state = self.state
        self.iteration += 1
        fresh = self.iteration <= self.schedule.init_iterations
        if self.iteration > 1:
            parts = iter([np.arange(state.n_docs)])
        else:
            self.sampler.refresh(state)
            parts = batches(entry_order(state.n_docs, int(state.seed)), self.schedule.batch_size)
        for part in parts:
            self.sweeper.sweep(part, self.iteration, fresh_levels=fresh)
            self.sampler.refresh(state)
        if self.schedule.refine and is_due(self.iteration, self.schedule.init_iterations, self.schedule.n_iter):
            refine(state, self.sweeper, self.iteration)
            self.sampler.refresh(state)
        self._adjust()

    def _adjust(self) -> None:
        before = self.state.hyper
        for adjuster in self.adjusters:
            adjuster.after_sweep(self)
        if self.state.hyper is not before:
            self.sampler.refresh(self.state)
