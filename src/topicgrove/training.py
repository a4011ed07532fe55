"""The loop: documents enter, sweeps follow. After every sweep adjusters may act, and consumers get an event."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.agreement import check_same_state
from topicgrove.distributed.sweeps import SharedSweeper
from topicgrove.evaluation.joint import log_joint
from topicgrove.prior import HyperParameters
from topicgrove.reporting import Reporter
from topicgrove.samplers import Sampler
from topicgrove.samplers.initialise import batches, entry_order, own_batches
from topicgrove.samplers.refine import is_due, refine
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.topics import Nodes

if TYPE_CHECKING:
    from topicgrove.samplers.bottom_up import BottomUp


@dataclass(frozen=True)
class Schedule:
    """How long to train, and how the early phase goes."""

    n_iter: int
    init_iterations: int
    init_samples: int
    batch_size: int | None
    max_topics: int | None
    refine: bool = False
    n_fits: int = 0
    """Fits of two levels that a bottom-up start is made of; 0 for another start."""
    target_topics: int | None = None


@dataclass(frozen=True)
class SweepEvent:
    """What a callback is told after a sweep. Arrays are made when they are asked for; take copies of what you keep.

    ``iteration`` counts from 1; topic ids are breadth first, those of ``paths`` being valid for this sweep. In a run of
    several processes, paths and levels are those of the process's own documents, and the log joint is that of every
    25th sweep. ``seconds`` is without compilation, on which the run has spent ``compile_seconds`` so far.
    """

    iteration: int
    n_iter: int
    seconds: float
    n_tokens: int
    state: State
    known_log_joint: float | None = None
    traffic: Traffic | None = None
    compile_seconds: float = 0.0

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
        if self.known_log_joint is not None:
            return self.known_log_joint
        return log_joint(self.state, self.nodes)

    def row(self, *, with_joint: bool) -> dict[str, Any]:
        """Return the sweep as a row of a history, plain for JSON; the log joint, which takes time, is optional."""
        return {
            "iteration": self.iteration,
            "seconds": round(self.seconds, 6),
            "n_topics_per_level": self.n_topics_per_level,
            "log_joint": self.log_joint if with_joint else None,
        }


Callback = Callable[[SweepEvent], object]

LOG_JOINT_EVERY = 25
"""Sweeps between two values of the log joint that are always there: it costs about a quarter of a sweep."""


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

    def restore(self, saved: dict[str, Any], hyper: HyperParameters) -> None:
        """Remember what ``to_dict`` gave in a run with these hyper-parameters; ValueError if it cannot be that."""


class Trainer:
    """Runs a sampler on a state: `sweeps` is the loop, which everything that trains iterates over.

    Parameters
    ----------
    state : State
        What the sampler changes.
    sampler : Sampler
        What refreshes the state between two batches or sweeps.
    schedule : Schedule
        How many sweeps, and how documents enter.
    adjusters : iterable of Adjuster
        What changes the run while it goes.
    iteration : int, default=0
        The last finished sweep; above 0, the documents are in already.
    sync : str, default="hybrid"
        How several ranks exchange what they change.
    start : BottomUp, default=None
        What places the first documents.
    n_docs : int, default=None
        Only the first so many documents are sampled, the others stay where they are. None means all.

    Attributes
    ----------
    is_whole : bool
        Whether the state is that of a finished sweep, of which a model can be made. It is where `sweeps` has yielded,
        and is not inside a sweep, which may have ended by an exception, nor before the first.
    stopped, interrupted : bool
        Either ends the loop after the current sweep. Adjusters set the first, signal handlers the second. Of several
        ranks, all end after the same sweep.
    """

    def __init__(
        self,
        state: State,
        sampler: Sampler,
        schedule: Schedule,
        adjusters: Iterable[Adjuster] = (),
        iteration: int = 0,
        sync: str = "hybrid",
        start: BottomUp | None = None,
        n_docs: int | None = None,
    ) -> None:
        self.state = state
        self.sampler = sampler
        self.schedule = schedule
        self.adjusters = tuple(adjusters)
        self.iteration = iteration
        self.is_whole = iteration > 0
        self.stopped = False
        self.interrupted = False
        self.was_interrupted = False
        self._log_joint: float | None = None
        self._sync = sync
        self._start = start
        self._n_docs = state.n_docs if n_docs is None else n_docs
        self._n_entering = int(state.assignments.starts[-1, 0]) if n_docs is None else n_docs
        self.sweeper = self._new_sweeper()

    def _new_sweeper(self) -> Sweeper:
        schedule = self.schedule
        settings = self.state, schedule.init_samples, self.sampler.fixed_weights, schedule.max_topics
        return Sweeper(*settings) if self.state.comm.size == 1 else SharedSweeper(*settings, self._sync)

    def sweeps(self, listeners: Iterable[object] = ()) -> Generator[SweepEvent, None, None]:
        """Do the sweeps that are left, and yield after each; the first brings the documents in.

        Whatever happens while this waits at its ``yield`` finds the state of a finished sweep. Listeners that have a
        method ``on_progress`` are told how far a sweep is.
        """
        reporter = Reporter(listeners, self.schedule.n_iter, self._n_docs)
        self.sweeper.on_documents = reporter.advance
        with reporter.compilation.installed():
            while not self._is_over():
                with self.changing():
                    reporter.begin(self.iteration + 1)
                    self.sweeper.n_drawn = 0
                    self.step()
                yield self._event(reporter.seconds, reporter.compilation.seconds)

    def run(self, callbacks: Iterable[Callback] = ()) -> None:
        """Do the sweeps that are left, and call all callbacks after each."""
        callbacks = tuple(callbacks)
        with closing(self.sweeps(callbacks)) as sweeps:
            for event in sweeps:
                for callback in callbacks:
                    callback(event)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Inside the block the state is not whole; if it ends by an exception, the state stays so."""
        self.is_whole = False
        yield
        self.is_whole = True

    def _is_over(self) -> bool:
        """Whether the run ends here; all ranks agree on it."""
        interrupted, stopped = self.state.comm.allreduce_max(self.interrupted, self.stopped)
        self.was_interrupted, self.stopped = bool(interrupted), bool(stopped)
        return self.was_interrupted or self.stopped or self.iteration >= self.schedule.n_iter

    def _event(self, seconds: float, compile_seconds: float) -> SweepEvent:
        n_iter, state = self.schedule.n_iter, self.state
        traffic = self.sweeper.traffic()
        due = self._log_joint is None or self.iteration % LOG_JOINT_EVERY == 0 or self.iteration == n_iter
        if due and self.sweeper.is_collective:
            self._log_joint = log_joint(state, state.nodes())
        n_tokens = state.assignments.n_tokens_in_all
        return SweepEvent(self.iteration, n_iter, seconds, n_tokens, state, self._log_joint, traffic, compile_seconds)

    def step(self) -> None:
        """One iteration: every document once, then the adjusters."""
        state = self.state
        self.iteration += 1
        fresh = self.iteration <= self.schedule.init_iterations
        for part in self._entering() if self.iteration == 1 else [np.arange(self._n_docs)]:
            self.sweeper.sweep(part, self.iteration, fresh_levels=fresh)
            self.sampler.refresh(state)
        if self.schedule.refine and is_due(self.iteration, self.schedule.init_iterations, self.schedule.n_iter):
            refine(state, self.sweeper, self.iteration)
            self.sampler.refresh(state)
        self._adjust()
        check_same_state(state)

    def _entering(self) -> Iterator[NDArray[np.int64]]:
        """The documents of this rank, batch by batch as they enter; the first are those that the start has placed."""
        state, n_placed = self.state, 0
        order = entry_order(self._n_entering, int(state.seed))
        if self._start is not None:
            on_documents = self.sweeper.on_documents
            n_placed = self._start.place(state, order, on_documents)
            self.sweeper = self._new_sweeper()
            self.sweeper.on_documents = on_documents
        self.sampler.refresh(state)
        placed = [order[:n_placed]] if n_placed else []
        later = batches(order, self.schedule.batch_size, n_placed)
        yield from own_batches(chain(placed, later), *state.assignments.own_docs)

    def _adjust(self) -> None:
        before = self.state.hyper
        for adjuster in self.adjusters:
            adjuster.after_sweep(self)
        if self.state.hyper is not before:
            self.sampler.refresh(self.state)
