"""The step from an estimator's parameters and a corpus to a run. All checks happen here, before any work is done."""

from __future__ import annotations

import math
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np

from topicgrove import checks
from topicgrove.adjust import LearnHyper, SteerTopics, StopOnPlateau
from topicgrove.adjust.steering import steered_start
from topicgrove.adjust.tidying import Children
from topicgrove.choices import INITS, SAMPLERS
from topicgrove.corpus import Corpus
from topicgrove.distributed.sync import SYNCS
from topicgrove.inputs import rules_of
from topicgrove.prior import MAX_LEVELS, HyperParameters
from topicgrove.samplers import CollapsedGibbs, Sampler
from topicgrove.samplers.base import SamplerClass, SamplerSettings
from topicgrove.samplers.collapsed import MAX_COLLAPSED
from topicgrove.seeds.taxonomy import SeedTopic, check_depth, n_least, read_taxonomy
from topicgrove.training import Adjuster, Schedule
from topicgrove.validation import check_choice, check_threads, check_whole

MANY_DOCUMENTS = 50_000
"""From this many documents on, and with several processes, sampler="auto" chooses PCGS instead of CGS."""

LARGE_TOPIC = 64
"""Documents from which PCGS instantiates a topic, unless collapse_below is given."""

MAX_SAMPLES = MAX_FREE_CHILDREN = 1000
"""Limit on a document's level draws and on a topic's unused children: memory grows with both."""

MOST_SEED_WEIGHT = 10_000
"""Limit on the tokens that a seed counts for, which are held in memory one by one."""

FEW_DOCUMENTS = 20
"""With fewer documents there is nothing to group, and a bottom-up start falls back on the paper's."""

MAX_FITS = 1000
"""Limit on the fits of a bottom-up start."""

PATIENCE = 10
"""Sweeps without progress after which early_stopping=True ends a run."""


class Plan(NamedTuple):
    """The parts of a run."""

    hyper: HyperParameters
    schedule: Schedule
    sampler: Sampler
    adjusters: tuple[Adjuster, ...]
    min_docs: int | None
    children: Children
    n_threads: int
    seed: int
    sync: str
    seeds: tuple[SeedTopic, ...]
    seed_weight: int


def make_plan(model: Any, corpus: Corpus, n_ranks: int = 1) -> Plan:
    """Return the plan of a HierarchicalLDA for a corpus, to be trained by ``n_ranks`` processes."""
    checks.check_sizes(corpus)
    check_choice("sampler", model.sampler, ("auto", *SAMPLERS))
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
        children=_children(model),
        n_threads=check_threads(model.n_jobs),
        seed=checks.seed(model.random_state),
        sync=sync,
        seeds=_seeds(model, n_ranks),
        seed_weight=check_whole("seed_weight", model.seed_weight, 1, MOST_SEED_WEIGHT),
    )


def check_parameters(model: Any) -> None:
    """Refuse parameters that no corpus can be trained with."""
    make_plan(model, Corpus.from_documents([[0]]))
    rules_of(model.text)
    check_whole("checkpoint_every", model.checkpoint_every, 1)
    checks.minutes(model.checkpoint_minutes)


def _hyper_parameters(model: Any, corpus: Corpus) -> HyperParameters:
    gamma = model.gamma
    if gamma is None and has_fixed_weights(model.sampler):
        gamma = 1.0
    mean_length = corpus.n_tokens / corpus.n_docs
    sizes = corpus.n_words, corpus.n_tokens, mean_length
    hyper = HyperParameters.of(model.n_levels, model.alpha, model.beta, gamma, *sizes)
    if model.target_topics is None:
        return hyper
    target, _ = checks.target_topics(model.target_topics, model.n_levels, model.max_topics)
    usual = HyperParameters.of(model.n_levels, None, None, None, *sizes)
    return steered_start(hyper, usual, target, corpus.n_tokens, beta=model.beta is None, gamma=gamma is None)


def _children(model: Any) -> Children:
    least = 1 if model.min_children is None else check_whole("min_children", model.min_children, 1)
    if model.max_children is None:
        return Children(least)
    most = check_whole("max_children", model.max_children, 1)
    if most < least:
        raise ValueError(f"max_children must be at least min_children ({least}); got {most}")
    return Children(least, most)


def _seeds(model: Any, n_ranks: int) -> tuple[SeedTopic, ...]:
    if model.seeds is None:
        return ()
    topics = read_taxonomy(model.seeds)
    check_depth(topics, model.n_levels)
    if n_ranks > 1:
        raise ValueError("seeds cannot be used by several processes yet; train in one, with n_jobs threads")
    # One more path, for documents of other themes.
    least = n_least(topics, model.n_levels) + model.n_levels - 1
    if model.max_topics is not None and check_whole("max_topics", model.max_topics, 1) < least:
        raise ValueError(f"max_topics must be at least {least} with these seeds; got {model.max_topics}")
    return topics


def _schedule(model: Any, n_docs: int) -> Schedule:
    init = check_choice("init", model.init, INITS)
    if init == "bottom_up" and n_docs < FEW_DOCUMENTS:
        init = "monte_carlo"
    init_iterations = check_whole("init_iterations", model.init_iterations, 0)
    batch_size = None if model.batch_size is None else check_whole("batch_size", model.batch_size, 1)
    if model.max_topics is not None:
        check_whole("max_topics", model.max_topics, model.n_levels, checks.MOST_TOPICS)
        if has_fixed_weights(model.sampler):
            raise ValueError(
                f"max_topics cannot be kept by sampler={model.sampler!r}, whose documents don't see each other"
            )
    target, by_level = None, None
    if model.target_topics is not None:
        target, by_level = checks.target_topics(model.target_topics, model.n_levels, model.max_topics)
    return Schedule(
        n_iter=check_whole("n_iter", model.n_iter, 1),
        init_iterations=init_iterations if init == "monte_carlo" else 0,
        init_samples=check_whole("init_samples", model.init_samples, 1, MAX_SAMPLES),
        batch_size=n_docs if init == "none" else batch_size,
        max_topics=model.max_topics,
        refine=checks.flag("refine", model.refine),
        n_fits=model.n_init if init == "bottom_up" else 0,
        target_topics=target,
        level_topics=by_level,
    )


def _sampler(model: Any, corpus: Corpus, n_ranks: int) -> Sampler:
    settings = SamplerSettings(
        phi=check_choice("phi", model.phi, ("auto", "mean", "draw")),
        free_children=check_whole("free_children", model.free_children, 1, MAX_FREE_CHILDREN),
        collapse_below=_collapse_below(model, corpus, n_ranks),
        n_levels=model.n_levels,
        n_words=corpus.n_words,
        n_tokens=corpus.n_tokens,
    )
    name = model.sampler
    if name in ("auto", "pcgs"):
        name = "cgs" if math.isinf(settings.collapse_below) else "pcgs"
    return _sampler_class(name).of(settings)


def _sampler_class(name: str) -> SamplerClass:
    """Import the class of a sampler other than "auto"."""
    sampler_class: SamplerClass = resolve_name(SAMPLERS[name])
    return sampler_class


def has_fixed_weights(sampler: str) -> bool:
    """Return whether a sampler draws the weights of paths and keeps them during a sweep.

    >>> has_fixed_weights("bgs"), has_fixed_weights("auto")
    (True, False)
    """
    return sampler != "auto" and _sampler_class(sampler).fixed_weights


def _collapse_below(model: Any, corpus: Corpus, n_ranks: int) -> float:
    """Return M: as given, or else, with "auto", infinity for a small corpus in a single process."""
    if model.collapse_below is not None:
        return checks.collapse_threshold(model.collapse_below)
    small = corpus.n_docs < MANY_DOCUMENTS and corpus.n_tokens <= MAX_COLLAPSED and n_ranks == 1
    return math.inf if small and model.sampler == "auto" else LARGE_TOPIC


def _adjusters(model: Any, schedule: Schedule) -> tuple[Adjuster, ...]:
    adjusters: list[Adjuster] = []
    early = schedule.init_iterations
    if schedule.target_topics is not None:
        # The blocked sampler's sticks need a gamma of ordinary size.
        steer_gamma = model.gamma is None and not has_fixed_weights(model.sampler)
        settings = {"beta": model.beta is None, "gamma": steer_gamma, "grows": schedule.n_fits == 0}
        adjusters.append(SteerTopics(schedule.level_topics or schedule.target_topics, early, **settings))
    learn = checks.names("learn", model.learn, ("alpha", "beta", "gamma"))
    if learn:
        adjusters.append(LearnHyper(learn, start=early, symmetric=np.ndim(model.alpha) == 0))
    if model.early_stopping is not False:
        patience = PATIENCE if model.early_stopping is True else model.early_stopping
        adjusters.append(StopOnPlateau(check_whole("early_stopping", patience, 2), start=early))
    return tuple(adjusters)
