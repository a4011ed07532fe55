"""A training run: from the start or from a checkpoint, with a history, stoppable after any sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.adjust import tidy
from topicgrove.communication import Communicator
from topicgrove.communication.together import agreed, ending_all, is_agreed
from topicgrove.corpus import Corpus
from topicgrove.distributed.shards import shard_of
from topicgrove.held_out import held_out_perplexity
from topicgrove.interrupts import held_back
from topicgrove.persistence.checkpoints import Checkpoint, Checkpointer
from topicgrove.persistence.parts import restore_assignments
from topicgrove.persistence.sealed import CONTRADICTIONS, CorruptModelError
from topicgrove.persistence.snapshots import restore_snapshot
from topicgrove.plans import Plan
from topicgrove.seeds.pinned import pin
from topicgrove.state import State
from topicgrove.training import LOG_JOINT_EVERY, Callback, Schedule, Start, SweepEvent, Trainer
from topicgrove.workers import Workers

if TYPE_CHECKING:
    from topicgrove.samplers.bottom_up import BottomUp


class History:
    """A callback that records time, topics and, now and then, the log joint; rows are plain types for JSON.

    ``perplexity``, a function of the state that measures held-out documents, is recorded with the log joint. The first
    row also has the agreement of a bottom-up start.
    """

    def __init__(
        self,
        rows: Iterable[dict[str, Any]] = (),
        perplexity: Callable[[State], float | None] | None = None,
        start: Start | None = None,
    ) -> None:
        self.rows = list(rows)
        self.perplexity = perplexity
        self.start = start

    def __call__(self, event: SweepEvent) -> None:
        """Add a row."""
        due = event.iteration % LOG_JOINT_EVERY == 0 or event.iteration == event.n_iter
        self.rows.append(event.row(with_joint=due))
        if self.perplexity is not None:
            self.rows[-1]["perplexity"] = self.perplexity(event.state) if due else None
        if self.start is not None and event.iteration == 1:
            self.rows[-1]["agreement"] = self.start.agreement


class Run:
    """Training according to a plan, from the start, from a checkpoint, or from a trained tree."""

    def __init__(
        self,
        plan: Plan,
        corpus: Corpus,
        workers: Workers,
        checkpoint: Checkpoint | None = None,
        comm: Communicator | None = None,
        held_out: Corpus | None = None,
        seed_words: Sequence[NDArray[np.int64]] = (),
        trained: Start | None = None,
    ) -> None:
        self.plan = plan
        hyper, seed = (plan.hyper, plan.seed) if checkpoint is None else (checkpoint.hyper, checkpoint.seed)
        comm = comm or Communicator()
        pinned = pin(plan.seeds, seed_words, plan.seed_weight) if plan.seeds else None
        self.state = State(shard_of(corpus, comm), hyper, seed, workers, comm=comm, pinned=pinned)
        perplexity = None if held_out is None else held_out_perplexity(corpus, held_out)
        start = _start(plan.schedule, corpus) if checkpoint is None and plan.schedule.n_fits else trained
        self.history = History(() if checkpoint is None else checkpoint.history, perplexity, start)
        if checkpoint is not None:
            self._restore(checkpoint)
        iteration = 0 if checkpoint is None else checkpoint.iteration
        self.trainer = Trainer(self.state, plan.sampler, plan.schedule, plan.adjusters, iteration, plan.sync, start)
        self.trainer.stopped = checkpoint is not None and checkpoint.stopped

    def go(self, callbacks: Iterable[Callback], checkpointer: Checkpointer | None) -> None:
        """Run the remaining sweeps, and tidy up. A signal ends it after the current sweep and a last checkpoint."""
        callbacks = [self.history, *callbacks]
        if checkpointer is not None:
            checkpointer.follow(self.trainer, self.history.rows)
            callbacks.append(checkpointer)

        def where() -> str:
            saved = "there is no checkpoint" if checkpointer is None else checkpointer.last
            return f"in iteration {self.trainer.iteration}; {saved}"

        comm = self.state.comm
        with comm.training(), held_back(self._interrupt), ending_all(comm, where):
            self.trainer.run(callbacks)
            if checkpointer is not None:
                checkpointer.write()
            if not self.trainer.was_interrupted:
                tidy(self.trainer, self.plan.min_docs, self.plan.children)

    def _interrupt(self) -> None:
        self.trainer.interrupted = True

    def _restore(self, checkpoint: Checkpoint) -> None:
        try:
            if self.plan.hyper.n_levels != self.state.n_levels:
                raise ValueError(f"n_levels is {self.plan.hyper.n_levels}, but the tree has {self.state.n_levels}")
            if self._is_snapshot(checkpoint):
                restore_snapshot(self.state, checkpoint.state, self.plan.sampler)
            else:
                restore_assignments(self.state, checkpoint, self.plan.sampler)
            for adjuster, saved in zip(self.plan.adjusters, checkpoint.adjusters, strict=True):
                adjuster.restore(saved, self.state.hyper)
        except CorruptModelError:
            raise
        except CONTRADICTIONS as error:
            corrupt = CorruptModelError(f"{checkpoint.directory}: the checkpoint contradicts itself: {error}")
            raise (agreed(corrupt) if is_agreed(error) else corrupt) from error

    def _is_snapshot(self, checkpoint: Checkpoint) -> bool:
        """Return whether the checkpoint holds a snapshot of the state, for a sampler of the same kind."""
        same_kind = self.plan.sampler.fixed_weights == checkpoint.fixed_weights
        return checkpoint.n_parts == 0 and self.state.comm.size == 1 and same_kind


def _start(schedule: Schedule, corpus: Corpus) -> BottomUp:
    """Return the start that places the first documents; scikit-learn's clustering is imported only when used."""
    from topicgrove.samplers.bottom_up import BottomUp

    return BottomUp(corpus, schedule.n_fits, schedule.level_topics or schedule.target_topics, schedule.max_topics)
