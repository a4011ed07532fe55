"""The loop of the several-paths model: sweeps, learning, and events for callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.traffic import Traffic
from topicgrove.corpus import Corpus
from topicgrove.reporting import Reporter
from topicgrove.several_paths.fitted import tree_of_sweep
from topicgrove.several_paths.growth import Growth, levels_growth, regrow, trim
from topicgrove.several_paths.joint import log_joint
from topicgrove.several_paths.learning import learn
from topicgrove.several_paths.samplers import CollapsedWalks, WalkSampler, next_time
from topicgrove.several_paths.sharing import WalkSweeper, check_same_walks
from topicgrove.several_paths.state import WalkState
from topicgrove.tree import TopicTree

LOG_JOINT_EVERY = 25
"""Sweeps between two log joints of the history."""

LEARN_EVERY = 5
"""Sweeps between two updates of hyper-parameters."""

SETTLING = 3
"""Sweeps after small topics have died."""


@dataclass(frozen=True)
class WalkSchedule:
    """The length of a training run, and what is learned from which sweep on."""

    n_iter: int
    learn: tuple[str, ...]
    learn_after: int
    growth: Growth | None = None
    grow_every: int = 5
    min_tokens: int = 1
    most_topics: int = 1 << 20


@dataclass(frozen=True)
class WalkEvent:
    """The state of training after a sweep, as callbacks receive it. Arrays are computed on access.

    ``iteration`` counts from 1. Topics are numbered breadth first, and a number is valid for this sweep only. With
    several processes, tokens are those of the process's own documents, and the log joint is computed every 25 sweeps.
    ``seconds`` excludes compilation; ``compile_seconds`` is the time that the run has spent compiling so far.
    """

    iteration: int
    n_iter: int
    seconds: float
    state: WalkState
    compile_seconds: float = 0.0
    traffic: Traffic | None = None
    known_log_joint: float | None = None

    @property
    def n_tokens(self) -> int:
        """Tokens per sweep, of all processes."""
        return int(self.state.words.totals.sum())

    @property
    def tokens_per_second(self) -> float:
        """Tokens drawn per second of this sweep."""
        return self.n_tokens / max(self.seconds, 1e-9)

    @property
    def token_topics(self) -> NDArray[np.int32]:
        """The topic of every token, documents in order, tokens sorted by word."""
        return self.state.node.copy()

    @property
    def parent(self) -> NDArray[np.int64]:
        """The parent of each topic, -1 for the root."""
        return self.state.parent.copy()

    @property
    def n_topics_per_level(self) -> list[int]:
        """Topics on each level, the root's first."""
        return [int(n) for n in np.bincount(self.state.level)]

    @cached_property
    def log_joint(self) -> float:
        """log p(w, z) given the tree."""
        return log_joint(self.state) if self.known_log_joint is None else self.known_log_joint

    def row(self, *, with_joint: bool) -> dict[str, Any]:
        """Return plain types for JSON; the log joint takes a while."""
        return {
            "iteration": self.iteration,
            "seconds": round(self.seconds, 6),
            "n_topics_per_level": self.n_topics_per_level,
            "log_joint": self.log_joint if with_joint else None,
        }

    def tree(self, corpus: Corpus) -> TopicTree:
        """Return the tree as it is now; main paths are those of this sweep."""
        return tree_of_sweep(self.state, corpus)


Callback = Callable[[WalkEvent], object]


class WalkHistory:
    """A callback that records time, topics and, now and then, the log joint; rows are plain types for JSON.

    ``perplexity``, a function of the state that measures held-out documents, is recorded with the log joint.
    """

    def __init__(
        self, rows: Iterable[dict[str, Any]] = (), perplexity: Callable[[WalkState], float | None] | None = None
    ) -> None:
        self.rows = list(rows)
        self.perplexity = perplexity

    def __call__(self, event: WalkEvent) -> None:
        """Add a row."""
        due = event.iteration % LOG_JOINT_EVERY == 0 or event.iteration == event.n_iter
        self.rows.append(event.row(with_joint=due))
        if self.perplexity is not None:
            self.rows[-1]["perplexity"] = self.perplexity(event.state) if due else None


class WalkTrainer:
    """The loop of sweeps over a state; signal handlers set ``interrupted``, which ends `run` after the current sweep.

    The proposal tables are rebuilt from the state now and then. Rebuilding becomes ever rarer, so the chain still
    converges to the posterior: see Roberts and Rosenthal, Coupling and ergodicity of adaptive Markov chain Monte Carlo
    algorithms (2007).

    ``is_whole`` tells whether the state is that of a finished sweep, from which a model can be made.
    """

    def __init__(
        self, state: WalkState, schedule: WalkSchedule, sync: str = "hybrid", sampler: WalkSampler | None = None
    ) -> None:
        self.state = state
        self.schedule = schedule
        self.sampler = sampler or CollapsedWalks()
        self.sweeper = WalkSweeper(state, sync)
        self.iteration = 0
        self.interrupted = False
        self.was_interrupted = False
        self.is_whole = False
        self.growth = schedule.growth
        self.next_refresh = 1
        self._log_joint: float | None = None

    def is_over(self) -> bool:
        """Return whether the run ends here: no sweep is left, or it was interrupted; all ranks agree on the answer."""
        (interrupted,) = self.state.comm.allreduce_max(self.interrupted)
        self.was_interrupted = bool(interrupted)
        return self.was_interrupted or self.iteration >= self.schedule.n_iter

    def run(self, callbacks: Iterable[Callback] = ()) -> None:
        """Run the remaining iterations."""
        callbacks = tuple(callbacks)
        reporter = Reporter(callbacks, self.schedule.n_iter, self.state.n_docs)
        with reporter.compilation.installed():
            while not self.is_over():
                self.iteration += 1
                reporter.begin(self.iteration)
                self.step(reporter.advance)
                event = self._event(reporter.seconds, reporter.compilation.seconds)
                for callback in callbacks:
                    callback(event)

    def tidy(self) -> None:
        """Let small topics of a grown tree die, and let tokens settle in the remaining ones."""
        if self.growth is None:
            return
        self.is_whole = False
        self.state.collapse()
        trim(self.state, self.schedule.min_tokens, self.schedule.most_topics)
        for sweep in range(1, SETTLING + 1):
            self.sweeper.sweep(self.iteration + sweep)
            self.state.refresh()
        self.is_whole = True

    def step(self, on_documents: Callable[[int], None] = lambda n_drawn: None) -> None:
        """Run one sweep, and learn after it."""
        schedule, state = self.schedule, self.state
        self.is_whole = False
        self.sweeper.sweep(self.iteration, on_documents)
        self.sampler.count(state)
        since = self.iteration - schedule.learn_after
        learns = bool(schedule.learn) and since >= 0 and since % LEARN_EVERY == 0
        if learns:
            state.set_hyper(learn(state, schedule.learn))
        if self.growth is not None and since >= 0 and since % schedule.grow_every == 0:
            if learns:
                self.growth = levels_growth(state, self.growth)
            regrow(state, self.growth, self.iteration)
        elif self.iteration >= self.next_refresh:
            state.refresh()
            self.next_refresh = next_time(self.iteration)
        self.sampler.instantiate(state, self.iteration)
        check_same_walks(state)
        self.is_whole = True

    def _event(self, seconds: float, compile_seconds: float) -> WalkEvent:
        state, n_iter = self.state, self.schedule.n_iter
        due = self._log_joint is None or self.iteration % LOG_JOINT_EVERY == 0 or self.iteration == n_iter
        if due and state.comm.size > 1:
            self._log_joint = log_joint(state)
        traffic = self.sweeper.traffic()
        return WalkEvent(self.iteration, n_iter, seconds, state, compile_seconds, traffic, self._log_joint)
