"""The step from a NestedHDP's parameters and a corpus to a run. All checks happen here, before any work is done."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topicgrove import checks
from topicgrove.choices import NESTED_INITS
from topicgrove.corpus import Corpus
from topicgrove.distributed.sync import SYNCS
from topicgrove.inputs import rules_of
from topicgrove.prior import BETA_RANGE, MAX_LEVELS
from topicgrove.samplers.partially_collapsed import FEW_TOKENS as DRAW_BELOW
from topicgrove.several_paths.growth import Growth
from topicgrove.several_paths.learning import LEARNABLE
from topicgrove.several_paths.samplers import CollapsedWalks, PartiallyCollapsedWalks, WalkSampler
from topicgrove.several_paths.shape import levels_of
from topicgrove.several_paths.state import FEW_TOPICS
from topicgrove.several_paths.training import WalkSchedule
from topicgrove.validation import check_choice, check_threads, check_whole

FEW_FREE, MANY_FREE, MAX_FREE = 2, 8, 1000
"""Unused children of every inner topic of a growing tree: the default, the default for few tokens, and the maximum."""

FEW_TOKENS = 1000
"""Up to this many tokens, a corpus is small: every topic is weighed for every token."""

STOP_WEIGHT = 2.0
"""Stop weight of newborn topics, unless all topics share one."""

MIN_SHARE = 0.0002
"""Least share of the tokens in a topic's branch at the end, unless min_tokens is given."""

ROOM = 1.1
"""Maximum number of topics of a grown tree at the end, as a multiple of target_topics."""

LARGE_TOPIC = 1000
"""Tokens from which on a topic is slow, unless collapse_below is given."""

MAX_TOPICS = 1 << 20
"""Maximum number of topics of a tree."""

WEIGHT_RANGE = (1e-9, 1e9)
"""Range of weights that kernels can multiply in float32."""


class WalkPlan(NamedTuple):
    """The parts of a run."""

    n_levels: int
    parent: NDArray[np.int64] | None
    beta: NDArray[np.float64]
    child_weight: NDArray[np.float64]
    stop_weight: NDArray[np.float64]
    schedule: WalkSchedule
    init: str
    init_iterations: int
    target_topics: int | None
    few_topics: int
    sampler: WalkSampler
    sync: str
    n_threads: int
    seed: int


def make_walk_plan(model: Any, corpus: Corpus, n_ranks: int = 1) -> WalkPlan:
    """Return the plan of a NestedHDP for a corpus. Weights have one entry, or one per topic."""
    checks.check_sizes(corpus)
    n_levels = check_whole("n_levels", model.n_levels, 2, MAX_LEVELS)
    parent = None if model.tree is None else _tree(model.tree, n_levels)
    n_topics = None if parent is None else len(parent)
    init = check_choice("init", model.init, NESTED_INITS)
    target = model.target_topics
    if target is not None:
        check_whole("target_topics", target, n_levels, MAX_TOPICS)
    return WalkPlan(
        n_levels=n_levels,
        parent=parent,
        beta=_numbers("beta", model.beta, n_levels, "level", BETA_RANGE),
        child_weight=_numbers("child_weight", model.child_weight, n_topics, "topic of tree", WEIGHT_RANGE, 0),
        stop_weight=_numbers(
            "stop_weight", model.stop_weight, n_topics, "topic of tree", WEIGHT_RANGE, _leaves(parent)
        ),
        schedule=_schedule(model, corpus, n_levels),
        init=init,
        init_iterations=check_whole("init_iterations", model.init_iterations, 1),
        target_topics=target,
        few_topics=MAX_TOPICS if corpus.n_tokens <= FEW_TOKENS else FEW_TOPICS,
        sampler=_sampler(model, corpus, n_ranks),
        sync=check_choice("sync", model.sync, tuple(SYNCS)),
        n_threads=check_threads(model.n_jobs),
        seed=checks.seed(model.random_state),
    )


def check_parameters(model: Any) -> None:
    """Refuse parameters that no corpus can be trained with."""
    make_walk_plan(model, Corpus.from_documents([[0]]))
    rules_of(model.text)
    check_whole("checkpoint_every", model.checkpoint_every, 1)
    checks.minutes(model.checkpoint_minutes)


def _sampler(model: Any, corpus: Corpus, n_ranks: int) -> WalkSampler:
    name = check_choice("sampler", model.sampler, ("cgs", "pcgs"))
    phi = check_choice("phi", model.phi, ("auto", "mean", "draw"))
    least = LARGE_TOPIC if model.collapse_below is None else checks.collapse_threshold(model.collapse_below, "tokens")
    sync = check_choice("sync", model.sync, tuple(SYNCS))
    if name == "cgs" or (SYNCS[sync].all_collapsed and n_ranks > 1):
        return CollapsedWalks()
    return PartiallyCollapsedWalks(least, draw_phi=phi == "draw" or (phi == "auto" and corpus.n_tokens < DRAW_BELOW))


def _schedule(model: Any, corpus: Corpus, n_levels: int) -> WalkSchedule:
    gamma = _numbers("gamma", model.gamma, None, "", WEIGHT_RANGE)
    tau = _numbers("tau", model.tau, None, "", WEIGHT_RANGE)
    stop = (
        np.broadcast_to(_numbers("stop_weight", model.stop_weight, None, "", WEIGHT_RANGE), n_levels - 1)
        if (np.ndim(model.stop_weight) == 0)
        else np.full(n_levels - 1, STOP_WEIGHT)
    )
    free_children = MANY_FREE if corpus.n_tokens <= FEW_TOKENS else FEW_FREE
    if model.free_children is not None:
        free_children = check_whole("free_children", model.free_children, 1, MAX_FREE)
    taus = np.full(n_levels - 1, float(tau))
    growth = Growth(float(gamma), n_levels, taus, np.array(stop, np.float64), free_children)
    least = MIN_SHARE * corpus.n_tokens if model.min_tokens is None else check_whole("min_tokens", model.min_tokens, 1)
    return WalkSchedule(
        n_iter=check_whole("n_iter", model.n_iter, 1),
        learn=checks.names("learn", model.learn, LEARNABLE),
        learn_after=check_whole("learn_after", model.learn_after, 1),
        growth=growth if checks.flag("grow", model.grow) else None,
        grow_every=check_whole("grow_every", model.grow_every, 1),
        min_tokens=max(1, int(least)),
        most_topics=MAX_TOPICS if model.target_topics is None else round(ROOM * model.target_topics),
    )


def _leaves(parent: NDArray[np.int64] | None) -> Any:
    return [] if parent is None else np.setdiff1d(np.arange(len(parent)), parent)


def _tree(given: Any, n_levels: int) -> NDArray[np.int64]:
    parent = np.asarray(given)
    if parent.ndim != 1 or parent.dtype.kind not in "iu" or not 2 <= len(parent) <= MAX_TOPICS:
        raise ValueError(f"tree must hold the parent of each topic, two topics or more; got {given!r:.80}")
    parent = parent.astype(np.int64)
    if parent[0] != -1 or (parent[1:] < 0).any() or (parent[1:] >= np.arange(1, len(parent))).any():
        raise ValueError("tree must begin with -1 for the root, and a topic's parent must come before it")
    if (np.diff(parent) < 0).any():
        raise ValueError("tree must number topics breadth first: parents must not decrease")
    depth = int(levels_of(parent).max()) + 1
    if depth > n_levels:
        raise ValueError(f"tree has {depth} levels, but n_levels is {n_levels}")
    return parent


def _numbers(
    name: str, given: ArrayLike, length: int | None, per: str, limits: tuple[float, float], unused: Any = ()
) -> NDArray[np.float64]:
    """Return one number, or one for each item; the entries ``unused`` may be anything."""
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, or one per {per}; got {given!r:.80}") from None
    if array.ndim > 0 and (length is None or array.shape != (length,)):
        alone = "one number, as there is no tree" if per else "one number"
        wanted = alone if length is None else f"a number, or one per {per} ({length})"
        raise ValueError(f"{name} must be {wanted}; got {given!r:.80}")
    if array.ndim > 0:
        array = array.copy()
        array[np.asarray(unused, np.int64)] = 1.0
    if not ((array >= limits[0]) & (array <= limits[1])).all():
        raise ValueError(f"{name} must lie between {limits[0]:g} and {limits[1]:g}; got {given!r:.80}")
    return array
