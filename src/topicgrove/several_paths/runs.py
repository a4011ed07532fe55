"""A run of the several-paths model: its start, sweeps and history; stoppable after any sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.together import ending_all
from topicgrove.corpus import Corpus
from topicgrove.corpus.shards import shard_bounds
from topicgrove.distributed.shards import shard_of
from topicgrove.interrupts import held_back
from topicgrove.persistence.checkpoints import Checkpoint
from topicgrove.persistence.sealed import consistent
from topicgrove.several_paths.checkpoints import WalkCheckpointer, restore
from topicgrove.several_paths.growth import trim
from topicgrove.several_paths.plans import WalkPlan
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.several_paths.training import WalkHistory, WalkTrainer
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
        *,
        checkpoint: Checkpoint | None = None,
        perplexity: Callable[[WalkState], float | None] | None = None,
    ) -> None:
        comm = comm or Communicator()
        hyper = WalkHyper(
            plan.beta * np.ones(plan.n_levels),
            plan.child_weight * np.ones(len(parent)),
            plan.stop_weight * np.ones(len(parent)),
        )
        first = int(shard_bounds(corpus.offsets, comm.size)[comm.rank][0])
        shard = shard_of(corpus, comm)
        keys = np.arange(first, first + shard.n_docs).astype(np.uint64)
        self.state = WalkState(shard, parent, hyper, plan.seed, workers, keys, plan.few_topics, comm)
        self.history = WalkHistory(() if checkpoint is None else checkpoint.history, perplexity)
        self.trainer = WalkTrainer(self.state, plan.schedule, plan.sync, plan.sampler)
        if checkpoint is not None:
            with consistent(checkpoint.directory, "checkpoint"):
                restore(self.trainer, checkpoint, int(corpus.offsets[first]))
        elif node is None:
            self.state.start()
        else:
            self.state.place(node, parent, hyper)

    @property
    def is_whole(self) -> bool:
        """Whether the state is that of a finished sweep, from which a model can be made."""
        return self.trainer.is_whole

    def go(self, callbacks: Iterable[Any], checkpointer: WalkCheckpointer | None = None) -> None:
        """Run the remaining sweeps, and tidy up. A signal ends it after the current sweep and a last checkpoint."""
        callbacks = [self.history, *callbacks]
        if checkpointer is not None:
            if self.state.refreshed is None:
                self.state.keep_refreshed()
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
                self.trainer.tidy()

    def drop_unused(self) -> None:
        """Let the unused topics of a tree that still grows die: a model has no use for them."""
        if self.trainer.growth is not None and self.state.hyper.rest_weight is not None:
            trim(self.state, 1, self.state.n_nodes)

    def _interrupt(self) -> None:
        self.trainer.interrupted = True
