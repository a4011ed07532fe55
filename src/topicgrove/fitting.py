"""The steps from the arguments of `fit` to the fitted attributes: a task, a run, and the attributes that stay."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from topicgrove import checks, inputs
from topicgrove.choices import MODELS
from topicgrove.communication import Communicator
from topicgrove.communication.together import ending_all, is_agreed, together
from topicgrove.console import is_terminal, tell
from topicgrove.corpus import Corpus
from topicgrove.corpus.keys import document_keys
from topicgrove.distributed.agreement import check_same_task
from topicgrove.distributed.shards import gathered
from topicgrove.edit.methods import documents_of
from topicgrove.extend import extend
from topicgrove.fitted import tree_of_state
from topicgrove.holding_out import HeldOut, is_size, n_held_out
from topicgrove.kernels.cache import is_warm
from topicgrove.persistence import parameters
from topicgrove.persistence.checkpoints import Checkpoint, Checkpointer, check_same_corpus, corpus_of, read_checkpoint
from topicgrove.plans import make_plan
from topicgrove.progress import COMPILING, Progress
from topicgrove.runs import Run
from topicgrove.seeds.taxonomy import find_words
from topicgrove.validation import check_whole
from topicgrove.warm_start import TrainedStart, check_can_go_on, check_single, warm_plan
from topicgrove.workers import Workers

if TYPE_CHECKING:
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.inputs import Model


class Task(NamedTuple):
    """Documents to train on, from the start or from a checkpoint.

    Perplexity is measured on ``held_out``, or on ``n_held_out`` documents drawn from the corpus. ``start`` is the
    trained tree to go on from.
    """

    corpus: Corpus
    held_out: Corpus | None = None
    n_held_out: int = 0
    checkpoint: Checkpoint | None = None
    start: TrainedStart | None = None


class Prepared(NamedTuple):
    """A task as all ranks agreed on it; ``part`` has the documents drawn to be held out, which the corpus lacks."""

    plan: Any
    corpus: Corpus
    held_out: Corpus | None
    part: HeldOut | None


def new_task(model: Model, X: Any, held_out: Any) -> Task:
    """Return the task of `fit`: documents in any form, and documents to hold out or their number."""
    if checks.flag("warm_start", getattr(model, "warm_start", False)) and hasattr(model, "tree_"):
        check_can_go_on(held_out)
        corpus = documents_of(model, X)
        documents = None if held_out is None else inputs.corpus_held_out(model, held_out, corpus)
        return Task(corpus, documents, start=TrainedStart(model))
    corpus = model._corpus(X, reset=True)
    if held_out is None:
        return Task(corpus)
    if is_size(held_out):
        return Task(corpus, n_held_out=n_held_out(held_out, corpus.n_docs))
    return Task(corpus, inputs.corpus_held_out(model, held_out, corpus))


def task_of_checkpoint(model: Model, X: Any) -> Task:
    """Return the task that the newest checkpoint belongs to; X is None, or its documents again."""
    if model.checkpoint is None:
        raise ValueError("checkpoint must be the directory of a run to continue; it is None")
    checkpoint = read_checkpoint(model.checkpoint)
    if not isinstance(model, resolve_name(MODELS[checkpoint.model].estimator)):
        raise ValueError(f"checkpoint: {model.checkpoint} has those of another model, {checkpoint.model}")
    corpus = model._corpus(corpus_of(model.checkpoint, checkpoint) if X is None else X, reset=True)
    if X is not None:
        check_same_corpus(corpus, checkpoint)
    if model.n_iter != checkpoint.parameters["n_iter"]:
        checkpoint = checkpoint._replace(stopped=False)
    return Task(corpus, n_held_out=checkpoint.n_held_out, checkpoint=checkpoint)


def train(model: HierarchicalLDA, make_task: Callable[[], Task], comm: Communicator) -> Corpus:
    """Train a model, and return the documents of its task, including those held out.

    The callers are `fit` and similar methods: warnings are attributed to the caller of the caller.
    """
    task = together(comm, make_task)
    if task.start is not None:
        together(comm, lambda: check_single(comm.size))
    plan, corpus, held_out, part = prepare(model, task, comm)
    callbacks = callbacks_of(model, comm)
    with (
        ending_all(comm),
        Workers(plan.n_threads) as workers,
        checkpointer_of(model, task, comm) as checkpointer,
    ):
        if comm.rank == 0:
            checks.report_empty(corpus, stacklevel=4)
        seeds = find_words(plan.seeds, corpus, stacklevel=4)
        run = Run(plan, corpus, workers, task.checkpoint, comm, held_out, seeds, task.start)
        try:
            run.go(callbacks, checkpointer)
        except BaseException as error:
            # All ranks are needed to keep it.
            if run.trainer.is_whole and (comm.size == 1 or is_agreed(error)):
                keep_run(model, run, corpus, part, task.start)
            raise
        keep_run(model, run, corpus, part, task.start)
    return task.corpus


def prepare(
    model: Model, task: Task, comm: Communicator, make_plan: Callable[[Any, Corpus, int], Any] = make_plan
) -> Prepared:
    """Plan the run, and separate the documents to hold out."""
    check_same_task(comm, task.corpus, _parameters(model) | {"held_out": task.n_held_out})
    plan = together(comm, lambda: make_plan(model, task.corpus, comm.size))
    plan = plan._replace(seed=int(comm.broadcast(str(plan.seed).encode())))
    if task.start is not None:
        return Prepared(warm_plan(plan, model), task.corpus, task.held_out, model._held_out)
    if not task.n_held_out:
        return Prepared(plan, task.corpus, task.held_out, None)
    seed = plan.seed if task.checkpoint is None else task.checkpoint.seed
    part = HeldOut(task.corpus.n_docs, task.n_held_out, seed)
    corpus, held_out = together(comm, lambda: _split(part, task.corpus))
    plan = together(comm, lambda: make_plan(model, corpus, comm.size))
    return Prepared(plan._replace(seed=part.seed), corpus, held_out, part)


def _split(part: HeldOut, corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Return the documents to train on and to hold out; refuse held-out documents that cannot be measured on."""
    train, held_out = part.split(corpus)
    if held_out.document_lengths.max() < 2:
        raise ValueError(f"none of the {part.n_held_out:,} documents held out has two words or more: hold out more")
    return train, held_out


def callbacks_of(model: Model, comm: Communicator) -> list[Any]:
    """Return the first rank's callbacks; if none shows progress, announce compilation on a terminal."""
    callbacks = together(comm, lambda: checks.callbacks(model.callbacks) if comm.rank == 0 else [])
    if model.verbose and comm.rank == 0:
        callbacks.append(Progress())
    if not (is_warm() or any(hasattr(callback, "on_progress") for callback in callbacks)) and is_terminal():
        tell(COMPILING)
    return callbacks


def checkpointer_of(
    model: Model, task: Task, comm: Communicator, writer: type[Checkpointer] = Checkpointer
) -> AbstractContextManager[Any]:
    """Return the writer of checkpoints, if the model has a directory for them."""
    if model.checkpoint is None:
        return nullcontext()
    return writer(
        model.checkpoint,
        task.corpus,
        _parameters(model),
        every=together(comm, lambda: check_whole("checkpoint_every", model.checkpoint_every, 1)),
        minutes=together(comm, lambda: checks.minutes(model.checkpoint_minutes)),
        n_held_out=task.n_held_out,
        comm=comm,
    )


def _parameters(model: Model) -> dict[str, Any]:
    return parameters.to_json(model.get_params(deep=False))


def keep_run(
    model: HierarchicalLDA, run: Run, corpus: Corpus, part: HeldOut | None, start: TrainedStart | None = None
) -> None:
    """Set the fitted attributes from the last state of a run; with several processes, only the first gets them."""
    drawn = gathered(run.state)
    if drawn is not None:
        model.hyper_parameters_ = run.state.hyper
        model.sampler_ = run.plan.sampler.name
        model.history_ = run.history.rows
        if start is None:
            model.rules_, model.dropped_ = corpus.rules, corpus.dropped
        model._held_out = part
        model._document_keys = document_keys(corpus)
        tree = tree_of_state(run.state, corpus, drawn)
        if start is not None:
            tree = start.renamed(tree, run.state)
        model._keep(tree, drawn.token_levels)


def let_in(model: HierarchicalLDA, corpus: Corpus) -> None:
    """Let new documents into a trained model's tree.

    Called from `partial_fit`: warnings are attributed to its caller.
    """
    plan = make_plan(model, corpus)
    checks.report_empty(corpus, stacklevel=4)
    with Workers(plan.n_threads) as workers:
        tree, token_levels = extend(
            model.tree_,
            model.hyper_parameters_,
            corpus,
            seed=(plan.seed + len(model.paths_)) % 2**63,
            max_topics=plan.schedule.max_topics,
            workers=workers,
        )
    model._keep(tree, np.concatenate([model.token_levels_, token_levels]))
    if model._document_keys is not None:
        model._document_keys = np.concatenate([model._document_keys, document_keys(corpus)])
