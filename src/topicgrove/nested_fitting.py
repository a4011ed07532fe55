"""The steps from the arguments of `NestedHDP.fit` to the fitted attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from topicgrove import checks
from topicgrove.communication import Communicator
from topicgrove.communication.together import ending_all, is_agreed, together
from topicgrove.corpus import Corpus
from topicgrove.corpus.keys import document_keys
from topicgrove.fitting import Task, callbacks_of, checkpointer_of, prepare
from topicgrove.holding_out import HeldOut
from topicgrove.several_paths.checkpoints import WalkCheckpointer
from topicgrove.several_paths.fitted import gathered_walks, tree_of_walks
from topicgrove.several_paths.placing import walk_perplexity
from topicgrove.several_paths.plans import make_walk_plan
from topicgrove.several_paths.runs import WalkRun
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import Workers

if TYPE_CHECKING:
    from topicgrove.nested_hdp import NestedHDP

AFTER = 1000
"""Offset of the sweeps that main paths come from, which gives them random numbers of their own."""

N_SAMPLES, BURN_IN = 2, 10
"""Chains per held-out document and their first sweeps: fewer than for a final figure, as it is measured many times."""


def train(model: NestedHDP, make_task: Callable[[], Task], comm: Communicator) -> Corpus:
    """Train a model, and return the documents of its task, including those held out.

    The callers are `fit` and similar methods: warnings are attributed to the caller of the caller.
    """
    task = together(comm, make_task)
    plan, corpus, held_out, part = prepare(model, task, comm, make_walk_plan)
    callbacks, checkpoint = callbacks_of(model, comm), task.checkpoint
    perplexity = None if held_out is None else _perplexity(held_out)
    with (
        ending_all(comm),
        Workers(plan.n_threads) as workers,
        checkpointer_of(model, task, comm, WalkCheckpointer) as checkpointer,
    ):
        if comm.rank == 0:
            checks.report_empty(corpus, stacklevel=4)
        if checkpoint is None:
            start = model._start(plan, corpus, workers, comm)
        else:
            plan, start = plan._replace(seed=checkpoint.seed), (checkpoint.state["parent"], None)
        run = WalkRun(plan, corpus, workers, *start, comm=comm, checkpoint=checkpoint, perplexity=perplexity)
        try:
            run.go(callbacks, checkpointer)
        except BaseException as error:
            # All ranks are needed to keep it.
            if run.is_whole and (comm.size == 1 or is_agreed(error)):
                keep_run(model, run, corpus, part)
            raise
        keep_run(model, run, corpus, part)
    return task.corpus


def keep_run(model: NestedHDP, run: WalkRun, corpus: Corpus, part: HeldOut | None) -> None:
    """Set the fitted attributes from the last state of a run; with several processes, only the first gets them."""
    run.drop_unused()
    walks = gathered_walks(run.state, model.n_levels, model.n_iter + AFTER)
    if walks is None:
        return
    model.history_ = run.history.rows
    model.rules_, model.dropped_ = corpus.rules, corpus.dropped
    model._held_out = part
    model._document_keys = document_keys(corpus)
    model._keep(*tree_of_walks(run.state, corpus, walks, keep_ids=not model.grow))


def _perplexity(held_out: Corpus) -> Callable[[WalkState], float | None]:
    """Return a function of the state of training that measures held-out documents; only rank 0 does."""

    def perplexity(state: WalkState) -> float | None:
        if state.comm.rank > 0:
            return None
        return walk_perplexity(
            state.parent,
            state.counts(),
            state.hyper,
            held_out,
            seed=0,
            n_samples=N_SAMPLES,
            burn_in=BURN_IN,
            n_threads=state.workers.n_threads,
        )

    return perplexity
