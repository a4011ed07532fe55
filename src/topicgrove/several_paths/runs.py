"""A run of the several-paths model: its start, sweeps and history; stoppable after any sweep."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.together import ending_all
from topicgrove.corpus import Corpus
from topicgrove.corpus.shards import shard_bounds
from topicgrove.distributed.shards import shard_of
from topicgrove.interrupts import held_back
from topicgrove.several_paths.plans import WalkPlan
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.several_paths.training import Callback, WalkHistory, WalkTrainer
from topicgrove.workers import Workers


class WalkRun:
    """Training according to a plan, from a tree and the node of every token, which may be drawn from the prior.

    With several ranks, each has a shard of the corpus, which is given whole, and the nodes of its own tokens.
    """

    def __init__(
        self,
        plan: WalkPlan,
        corpus: Corpus,
        workers: Workers,
        parent: NDArray[np.int64],
        node: NDArray[np.int32] | None = None,
        comm: Communicator | None = None,
    ) -> None:
        comm = comm or Communicator()
        hyper = WalkHyper(
            plan.beta * np.ones(plan.n_levels),
            plan.child_weight * np.ones(len(parent)),
            plan.stop_weight * np.ones(len(parent)),
        )
        first = shard_bounds(corpus.offsets, comm.size)[comm.rank][0]
        shard = shard_of(corpus, comm)
        keys = np.arange(first, first + shard.n_docs).astype(np.uint64)
        self.state = WalkState(shard, parent, hyper, plan.seed, workers, keys, plan.few_topics, comm)
        if node is None:
            self.state.start()
        else:
            self.state.place(node, parent, hyper)
        self.history = WalkHistory()
        self.trainer = WalkTrainer(self.state, plan.schedule, plan.sync, plan.sampler)

    @property
    def is_whole(self) -> bool:
        """Whether the state is that of a finished sweep, from which a model can be made."""
        return self.trainer.is_whole

    def go(self, callbacks: Iterable[Callback]) -> None:
        """Run all sweeps. A signal ends the run after the current sweep."""
        comm = self.state.comm
        with comm.training(), held_back(self._interrupt), ending_all(comm, self._where):
            self.trainer.run([self.history, *callbacks])
            if not self.trainer.was_interrupted:
                self.trainer.tidy()

    def _where(self) -> str:
        return f"in iteration {self.trainer.iteration}"

    def _interrupt(self) -> None:
        self.trainer.interrupted = True
