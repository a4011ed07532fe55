"""A run of the several-paths model: its start, sweeps and history; stoppable after any sweep."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus import Corpus
from topicgrove.interrupts import held_back
from topicgrove.several_paths.plans import WalkPlan
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.several_paths.training import Callback, WalkEvent, WalkHistory, WalkTrainer
from topicgrove.workers import Workers


class WalkRun:
    """Training according to a plan, from a tree and the node of every token, which may be drawn from the prior.

    ``is_whole`` is True between sweeps: only then can a model be made from the state.
    """

    def __init__(
        self,
        plan: WalkPlan,
        corpus: Corpus,
        workers: Workers,
        parent: NDArray[np.int64],
        node: NDArray[np.int32] | None = None,
    ) -> None:
        self.is_whole = False
        hyper = WalkHyper(
            plan.beta * np.ones(plan.n_levels),
            plan.child_weight * np.ones(len(parent)),
            plan.stop_weight * np.ones(len(parent)),
        )
        self.state = WalkState(corpus, parent, hyper, plan.seed, workers, few_topics=plan.few_topics)
        if node is None:
            self.state.start()
        else:
            self.state.place(node, parent, hyper)
        self.history = WalkHistory()
        self.trainer = WalkTrainer(self.state, plan.schedule)

    def go(self, callbacks: Iterable[Callback]) -> None:
        """Run all sweeps. A signal ends the run after the current sweep."""
        with held_back(self._interrupt):
            self.trainer.run([self._rest, self.history, *callbacks, self._work])
            if not self.trainer.interrupted:
                self.is_whole = False
                self.trainer.tidy()
                self.is_whole = True

    def _rest(self, event: WalkEvent) -> None:
        self.is_whole = True

    def _work(self, event: WalkEvent) -> None:
        self.is_whole = self.trainer.is_over

    def _interrupt(self) -> None:
        self.trainer.interrupted = True
