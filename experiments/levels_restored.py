"""The early phase with the old levels restored after the path is drawn: an alternative, for comparison only.

In the early phase a document gets uniform levels, the path is drawn given them, and the tokens keep them. Here they get
their old levels back, and z is drawn from there. Documents pass one by one through the ordinary sweep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.document_words import count_by_level, list_distinct
from topicgrove.kernels.gibbs_step import resample_levels
from topicgrove.kernels.random import start_stream
from topicgrove.kernels.tree import follow_path
from topicgrove.memory import workspace
from topicgrove.sweeps import Sweeper
from topicgrove.training import Trainer


@kernel
def put_back(
    d: int,
    old: Any,
    docs: Any,
    topics: Any,
    prior: Any,
    work: Any,
    seed: np.uint64,
    iteration: np.uint64,
) -> None:
    """Give a document its old levels on its new path, and draw z from there."""
    words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
    levels = docs.levels[docs.offsets[d] : docs.offsets[d + 1]]
    follow_path(topics.tree.parent, docs.leaf[d], work.path)
    document = work.document
    document.n_rows[0] = list_distinct(words, document.word, document.row_of)
    count_by_level(levels, document.row_of, document.n_rows[0], document.counted)
    for n in range(len(words)):
        levels[n] = old[n]
    start_stream(work.stream, ~seed, iteration, docs.key[d])
    resample_levels(levels, topics, prior, work, True)


class RestoringSweeper(Sweeper):
    """Sweeps that drop the fresh levels once the path is drawn; for one thread."""

    def sweep(self, order: Any, iteration: int, *, fresh_levels: bool = False, fixed_paths: bool = False) -> None:
        """Sweep as usual, except for documents that already had levels when fresh ones are drawn."""
        state = self.state
        offsets = state.docs.offsets
        known = state.docs.leaf[order] >= 0
        if not fresh_levels or not known.all():
            super().sweep(order, iteration, fresh_levels=fresh_levels, fixed_paths=fixed_paths)
            return
        work = workspace(state, 1)
        settings = self.settings(iteration, fresh_levels=True)
        for d in order:
            old = state.docs.levels[offsets[d] : offsets[d + 1]].copy()
            before = state.topics.tree
            self._sweep(np.array([d]), settings)
            if state.topics.tree is not before:
                work = workspace(state, 1)
            with np.errstate(over="ignore"):
                topics, step = state.topics.arrays, np.uint64(iteration)
                put_back(d, old, state.docs, topics, state.prior, work, state.seed, step)


def restore_levels(trainer: Trainer) -> None:
    """Make a trainer with one thread and one process restore the levels in its early phase."""
    schedule, sampler = trainer.schedule, trainer.sampler
    trainer.sweeper = RestoringSweeper(trainer.state, schedule.init_samples, sampler.fixed_weights, schedule.max_topics)
