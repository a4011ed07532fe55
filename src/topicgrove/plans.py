"""From an estimator's parameters and a corpus to what a run needs. All is checked here, before anything is done."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from topicgrove import checks
from topicgrove.adjust import LearnHyper, SteerTopics, StopOnPlateau
from topicgrove.adjust.steering import steered_start
from topicgrove.corpus import Corpus
from topicgrove.distributed.sync import SYNCS
from topicgrove.free_memory import check_fits
from topicgrove.inputs import rules_of
from topicgrove.prior import MAX_LEVELS, HyperParameters
from topicgrove.samplers import BlockedGibbs, CollapsedGibbs, PartiallyCollapsedGibbs, Sampler
from topicgrove.training import Adjuster, Schedule
from topicgrove.validation import check_choice, check_whole

MAX_COLLAPSED = 2**31 - 1
FEW_TOKENS = 10_000
"""Below, phi="auto" draws."""

MANY_DOCUMENTS = 50_000
"""From here on, and in several processes, sampler="auto" takes PCGS instead of CGS."""

LARGE_TOPIC = 64
"""Documents from which PCGS instantiates a topic, unless collapse_below is given."""

SAMPLERS = ("auto", "pcgs", "cgs", "bgs")

MAX_SAMPLES = MAX_FREE_CHILDREN = 1000
"""Draws of a document's levels and unused children of a topic: memory grows with them."""

TOPIC_BYTES, ENTRY_BYTES = 32, 8
"""Memory of a topic of BGS at least: its place in the tree, and a count and a probability a word."""

MOST_TOPICS = 2**62
"""A limit for max_topics and target_topics that 64 bits hold."""

FEW_DOCUMENTS = 20
"""Below, there is nothing to group, and a bottom-up start is the paper's."""

MAX_FITS = 1000
"""Fits that a bottom-up start may be made of."""

INITS = ("bottom_up", "monte_carlo", "progressive", "none")

PATIENCE = 10
"""Sweeps without progress after which early_stopping=True ends a run."""


class Plan(NamedTuple):
    """What a run is made of."""

    hyper: HyperParameters
    schedule: Schedule
    sampler: Sampler
    adjusters: tuple[Adjuster, ...]
    min_docs: int | None
    n_threads: int
    seed: int
    sync: str


def make_plan(model: Any, corpus: Corpus, n_ranks: int = 1) -> Plan:
    """The plan of a HierarchicalLDA for a corpus, to be trained by so many processes."""
    checks.check_sizes(corpus)
    check_choice("sampler", model.sampler, SAMPLERS)
    check_whole("n_levels", model.n_levels, 2, MAX_LEVELS)
    sync = check_choice("sync", model.sync, tuple(SYNCS))
    check_whole("n_init", model.n_init, 1, MAX_FITS)
    schedule = _schedule(model, corpus.n_docs)
    return Plan(
        hyper=_hyper_parameters(model, corpus),
        schedule=schedule,
        sampler=CollapsedGibbs() if SYNCS[sync].all_collapsed and n_ranks > 1 else _sampler(model, corpus, n_ranks),
        adjusters=_adjusters(model, schedule),
        min_docs=None if model.min_docs is None else check_whole("min_docs", model.min_docs, 1),
        n_threads=checks.n_threads(model.n_jobs),
        seed=checks.seed(model.random_state),
        sync=sync,
    )


def check_parameters(model: Any) -> None:
    """Refuse parameters that are of no use for any corpus."""
    make_plan(model, Corpus.from_documents([[0]]))
    rules_of(model.text)
    check_whole("checkpoint_every", model.checkpoint_every, 1)
    checks.minutes(model.checkpoint_minutes)


def _hyper_parameters(model: Any, corpus: Corpus) -> HyperParameters:
    gamma = model.gamma
    if gamma is None and model.sampler == "bgs":
        gamma = 1.0
    mean_length = corpus.n_tokens / corpus.n_docs
    sizes = corpus.n_words, corpus.n_tokens, mean_length
    hyper = HyperParameters.of(model.n_levels, model.alpha, model.beta, gamma, *sizes)
    if model.target_topics is None:
        return hyper
    target = check_whole("target_topics", model.target_topics, model.n_levels, MOST_TOPICS)
    usual = HyperParameters.of(model.n_levels, None, None, None, *sizes)
    return steered_start(hyper, usual, target, corpus.n_tokens, beta=model.beta is None, gamma=gamma is None)


def _schedule(model: Any, n_docs: int) -> Schedule:
    init = check_choice("init", model.init, INITS)
    if init == "bottom_up" and n_docs < FEW_DOCUMENTS:
        init = "monte_carlo"
    init_iterations = check_whole("init_iterations", model.init_iterations, 0)
    batch_size = None if model.batch_size is None else check_whole("batch_size", model.batch_size, 1)
    if model.max_topics is not None:
        check_whole("max_topics", model.max_topics, model.n_levels, MOST_TOPICS)
        if model.sampler == "bgs":
            raise ValueError("max_topics cannot be kept by sampler='bgs', whose documents don't see each other")
    return Schedule(
        n_iter=check_whole("n_iter", model.n_iter, 1),
        init_iterations=init_iterations if init == "monte_carlo" else 0,
        init_samples=check_whole("init_samples", model.init_samples, 1, MAX_SAMPLES),
        batch_size=n_docs if init == "none" else batch_size,
        max_topics=model.max_topics,
        refine=checks.flag("refine", model.refine),
        n_fits=model.n_init if init == "bottom_up" else 0,
        target_topics=model.target_topics,
    )


def _sampler(model: Any, corpus: Corpus, n_ranks: int) -> Sampler:
    phi = check_choice("phi", model.phi, ("auto", "mean", "draw"))
    free_children = check_whole("free_children", model.free_children, 1, MAX_FREE_CHILDREN)
    collapse_below = _collapse_below(model, corpus, n_ranks)
    if model.sampler == "bgs":
        n_topics = sum(free_children**level for level in range(model.n_levels))
        tree = f"n_levels={model.n_levels} and free_children={free_children} make at least {n_topics:.3g} topics"
        check_fits(f"sampler='bgs': {tree}", n_topics * (TOPIC_BYTES + ENTRY_BYTES * corpus.n_words))
        return BlockedGibbs(free_children, draw_phi=phi != "mean")
    if model.sampler == "cgs" or math.isinf(collapse_below):
        if corpus.n_tokens > MAX_COLLAPSED:
            raise ValueError(
                f"sampler: collapsed counts hold at most {MAX_COLLAPSED} tokens and X has {corpus.n_tokens}; "
                "use sampler='pcgs' with a finite collapse_below"
            )
        return CollapsedGibbs()
    draw = phi == "draw" or (phi == "auto" and corpus.n_tokens < FEW_TOKENS)
    return PartiallyCollapsedGibbs(collapse_below, draw_phi=draw)


def _collapse_below(model: Any, corpus: Corpus, n_ranks: int) -> float:
    """M as given. Otherwise "auto" collapses every topic of a small corpus in a single process."""
    if model.collapse_below is not None:
        return checks.collapse_threshold(model.collapse_below)
    small = corpus.n_docs < MANY_DOCUMENTS and corpus.n_tokens <= MAX_COLLAPSED and n_ranks == 1
    return math.inf if small and model.sampler == "auto" else LARGE_TOPIC


def _adjusters(model: Any, schedule: Schedule) -> tuple[Adjuster, ...]:
    adjusters: list[Adjuster] = []
    early = schedule.init_iterations
    if model.target_topics is not None:
        # The blocked sampler's sticks need a gamma of ordinary size.
        steer_gamma = model.gamma is None and model.sampler != "bgs"
        settings = {"beta": model.beta is None, "gamma": steer_gamma, "grows": schedule.n_fits == 0}
        adjusters.append(SteerTopics(model.target_topics, early, **settings))
    learn = checks.names("learn", model.learn, ("alpha", "beta", "gamma"))
    if learn:
        adjusters.append(LearnHyper(learn, start=early, symmetric=np.ndim(model.alpha) == 0))
    if model.early_stopping is not False:
        patience = PATIENCE if model.early_stopping is True else model.early_stopping
        adjusters.append(StopOnPlateau(check_whole("early_stopping", patience, 2), start=early))
    return tuple(adjusters)
