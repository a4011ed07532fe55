"""The training loop: documents enter, sweeps follow, and after every sweep adjusters and callbacks run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.traffic import Traffic
from topicgrove.distributed.agreement import check_same_state
from topicgrove.distributed.sweeps import SharedSweeper
from topicgrove.evaluation.joint import log_joint
from topicgrove.prior import HyperParameters
from topicgrove.reporting import Reporter
from topicgrove.samplers import Sampler
from topicgrove.samplers.first_tree import place_pinned
from topicgrove.samplers.initialise import batches, entry_order, own_batches
from topicgrove.samplers.refine import is_due, refine
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.topics import Nodes


@dataclass(frozen=True)
class Schedule:
    """The length of a training run, and how documents enter."""

    n_iter: int
    init_iterations: int
    init_samples: int
    batch_size: int | None
    max_topics: int | None
    refine: bool = False
    n_fits: int = 0
    """The number of two-level fits that a bottom-up start uses; 0 for another start."""
    target_topics: int | None = None
    level_topics: tuple[int, ...] | None = None
    """The same for each level below the root."""


@dataclass(frozen=True)
class SweepEvent:
    """The state of training after a sweep, as callbacks receive it.

    Arrays are computed on access. Copy the ones you keep.

    ``iteration`` counts from 1. Topics are numbered breadth first, and the ids in ``paths`` are valid for this sweep
    only. With several processes, paths and levels are those of the process's own documents, and the log joint is
    computed every 25 sweeps. ``seconds`` excludes compilation; ``compile_seconds`` is the time that the run has spent
    compiling so far.
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
        """The current topics."""
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
        return self.state.token_levels.copy()

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
        """Return the sweep as a history row that JSON can hold; the log joint is optional because it takes time."""
        return {
            "iteration": self.iteration,
            "seconds": round(self.seconds, 6),
            "n_topics_per_level": self.n_topics_per_level,
            "log_joint": self.log_joint if with_joint else None,
        }


Callback = Callable[[SweepEvent], object]

LOG_JOINT_EVERY = 25
"""Sweeps between two log joints of the history; each costs about a quarter of a sweep."""


class Adjuster(Protocol):
    """Something that changes a run while it trains: its hyper-parameters, or when it ends.

    Its memory from sweep to sweep goes through JSON, so that a run resumed from a checkpoint is the same run.
    """

    def after_sweep(self, trainer: Trainer) -> None:
        """Act after a sweep, before the callbacks; may set ``trainer.stopped`` or the state's hyper-parameters.

        Setting hyper-parameters triggers the sampler's refresh.
        """

    def to_dict(self) -> dict[str, Any]:
        """Return the adjuster's memory as JSON types."""

    def restore(self, saved: dict[str, Any], hyper: HyperParameters) -> None:
        """Restore what ``to_dict`` returned in a run with these hyper-parameters; raise ValueError if it is invalid."""


class Start(Protocol):
    """Something that puts the first documents of a run into a first tree."""

    agreement: float | None

    def place(self, state: State, order: NDArray[np.int64], on_documents: Callable[[int], None]) -> int:
        """Place the first documents of an order, and return their number."""


class Trainer:
    """The training loop: `sweeps` runs a sampler on a state, sweep by sweep.

    Parameters
    ----------
    state : State
        The state that the sampler changes.
    sampler : Sampler
        The sampler that refreshes the state between batches and sweeps.
    schedule : Schedule
        The number of sweeps, and how documents enter.
    adjusters : iterable of Adjuster
        Objects that change the run after each sweep.
    iteration : int, default=0
        The last finished sweep; above 0, all documents are already in.
    sync : str, default="hybrid"
        How ranks exchange their changes.
    start : Start, default=None
        The start that places the first documents.
    n_docs : int, default=None
        Sample only the first ``n_docs`` documents; the others stay where they are. None means all.

    Attributes
    ----------
    is_whole : bool
        Whether the state is that of a finished sweep, from which a model can be made. It is True whenever `sweeps`
        yields. It is False before the first sweep, during a sweep, and after an exception within a sweep.
    stopped, interrupted : bool
        Either ends the loop after the current sweep. Adjusters set the first, signal handlers the second. All ranks end
        after the same sweep.
    """

    def __init__(
        self,
        state: State,
        sampler: Sampler,
        schedule: Schedule,
        adjusters: Iterable[Adjuster] = (),
        iteration: int = 0,
        sync: str = "hybrid",
        start: Start | None = None,
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
        self._n_entering = state.n_docs_in_all if n_docs is None else n_docs
        self.sweeper = self._new_sweeper()

    def _new_sweeper(self) -> Sweeper:
        schedule = self.schedule
        settings = self.state, schedule.init_samples, self.sampler.fixed_weights, schedule.max_topics
        return Sweeper(*settings) if self.state.comm.size == 1 else SharedSweeper(*settings, self._sync)

    def sweeps(self, listeners: Iterable[object] = ()) -> Generator[SweepEvent, None, None]:
        """Run the remaining sweeps and yield after each; the first sweep brings the documents in.

        The state is that of a finished sweep at every ``yield``. Listeners with a method ``on_progress`` hear how far a
        sweep is.
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
        """Run the remaining sweeps, and call all callbacks after each."""
        callbacks = tuple(callbacks)
        with closing(self.sweeps(callbacks)) as sweeps:
            for event in sweeps:
                for callback in callbacks:
                    callback(event)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Mark the state as not whole inside the block; it stays so if the block raises."""
        self.is_whole = False
        yield
        self.is_whole = True

    def _is_over(self) -> bool:
        """Return whether the run ends here; all ranks agree on the answer."""
        interrupted, stopped = self.state.comm.allreduce_max(self.interrupted, self.stopped)
        self.was_interrupted, self.stopped = bool(interrupted), bool(stopped)
        return self.was_interrupted or self.stopped or self.iteration >= self.schedule.n_iter

    def _event(self, seconds: float, compile_seconds: float) -> SweepEvent:
        n_iter, state = self.schedule.n_iter, self.state
        traffic = self.sweeper.traffic()
        due = self._log_joint is None or self.iteration % LOG_JOINT_EVERY == 0 or self.iteration == n_iter
        if due and self.sweeper.is_collective:
            self._log_joint = log_joint(state, state.nodes())
        n_tokens = state.n_tokens_in_all
        return SweepEvent(self.iteration, n_iter, seconds, n_tokens, state, self._log_joint, traffic, compile_seconds)

    def step(self) -> None:
        """Run one iteration: sample every document once, then call the adjusters."""
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
        """Yield this rank's documents in the batches in which they enter, beginning with those already placed."""
        state, n_placed = self.state, 0
        order = entry_order(self._n_entering, int(state.seed))
        if self._start is not None:
            on_documents = self.sweeper.on_documents
            n_placed = self._start.place(state, order, on_documents)
            self.sweeper = self._new_sweeper()
            self.sweeper.on_documents = on_documents
        elif state.pinned is not None:
            place_pinned(state)
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
