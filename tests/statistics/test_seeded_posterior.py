"""With seeds, chains visit trees and levels as often as the posterior with an asymmetric beta says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

from topicgrove import runs
from topicgrove.seeds.pinned import Pinned, pin
from topicgrove.seeds.taxonomy import read_taxonomy

from .posterior import Problem, SeededPrior, distance_of_chain, exact_posterior
from .slow_paths import distance_with_slow_paths

SEEDS = {"a": [0], "b": {"words": [1], "c": [2]}}
WEIGHT = 2

PROBLEM = Problem(((0, 0, 1), (1, 2, 2)), 3, (0.4, 0.8, 1.5), (0.9, 0.5, 0.3), (0.8, 0.6))

SEEDED = SeededPrior(
    paths=((0, 0), (1, 0)),
    added=(((0,), (2.0, 0.0, 0.0)), ((1,), (0.0, 2.0, 0.0)), ((1, 0), (0.0, 0.0, 2.0))),
)
"""What these seeds mean: a's path ends in a topic that is not seeded."""

BOUND = 0.015
"""Total variation that 40,000 sweeps stay below; as many independent draws of the 29 trees give .009 (sd .0013)."""

SLOW_ROOT = {"sampler": "pcgs", "collapse_below": 100, "phi": "draw"}


def distance(n_iter: int, **options: Any) -> float:
    """Total variation of trees or of levels, the larger one."""
    return max(distance_of_chain(PROBLEM, n_iter, seeded=SEEDED, seeds=SEEDS, seed_weight=WEIGHT, **options))


def test_enumeration_of_one_document_is_what_paper_and_pencil_give() -> None:
    """One token of word 0, two levels: the root, a seeded topic, or a new one."""
    problem = Problem(((0,),), 3, (0.5, 1.5), (1.0, 0.5), (0.4,))
    seeded = SeededPrior(((0,),), (((0,), (2.0, 0.0, 0.0)),))
    posterior = exact_posterior(problem, seeded)
    joined = 1 / 1.4 * (0.25 / 3 + 0.75 * 2.5 / 3.5)
    opened = 0.4 / 1.4 * (0.25 / 3 + 0.75 / 3)
    assert posterior.trees[(0,), (0,)] == pytest.approx(joined / (joined + opened))
    assert np.exp(posterior.log_evidence) == pytest.approx(joined + opened)


@pytest.mark.parametrize(
    "options", [{"sampler": "cgs"}, pytest.param(SLOW_ROOT, marks=pytest.mark.slow)], ids=["collapsed", "slow root"]
)
def test_a_chain_with_seeds_visits_the_posterior(options: dict[str, Any]) -> None:
    assert distance(40_000, **options) < BOUND


@pytest.mark.slow
def test_slow_inner_topics_with_seeds_visit_the_posterior() -> None:
    found = distance_with_slow_paths(PROBLEM, 40_000, pinned=pinned(WEIGHT), seeded=SEEDED)
    assert max(found) < BOUND


@pytest.mark.slow
def test_blocked_sampler_with_seeds_visits_the_posterior() -> None:
    assert distance(40_000, sampler="bgs", free_children=6) < 0.024


def pinned(weight: int) -> Pinned:
    topics = read_taxonomy(SEEDS)
    return pin(topics, [np.array(topic.words, np.int64) for topic in topics], weight)


def on_other_level(*arguments: Any) -> Pinned:
    right = pin(*arguments)
    return right._replace(levels=np.where(right.levels == 1, 2, 1).astype(np.uint8))


def twice(topics: Sequence[Any], words: Any, weight: int) -> Pinned:
    """Two documents for each of the taxonomy's last topics."""
    right = pin(topics, words, weight)
    return right._replace(
        seeded_levels=np.append(right.seeded_levels, right.seeded_levels[-1:]),
        offsets=np.append(right.offsets, right.offsets[-1]),
    )


@pytest.mark.parametrize(
    "mistake",
    [
        lambda topics, words, weight: pin(topics, [ids[:0] for ids in words], weight),
        lambda topics, words, weight: pin(topics, words, 2 * weight),
        on_other_level,
        twice,
    ],
    ids=["no words", "twice the tokens", "the other level", "a document too many"],
)
def test_the_gate_catches_a_mistake(mistake: Callable[..., Pinned], monkeypatch: pytest.MonkeyPatch) -> None:
    """So many sweeps of the right sampler come within .03."""
    monkeypatch.setattr(runs, "pin", mistake)
    assert distance(6_000, sampler="cgs") > 0.05


def test_the_right_sampler_passes_where_mistakes_are_caught() -> None:
    assert distance(6_000, sampler="cgs") < 0.035


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_log_joint_is_that_of_an_asymmetric_beta(sampler: str) -> None:
    seen: list[tuple[float, float]] = []

    def note(event: Any) -> None:
        paths = np.vstack([event.state.pinned_paths(event.nodes), event.paths])
        seen.append((event.log_joint, slow_log_joint(paths, event.token_levels)))

    options = {"seeds": SEEDS, "seed_weight": WEIGHT, "sampler": sampler, "collapse_below": 2, "callbacks": [note]}
    PROBLEM.model(n_iter=30, random_state=0, **options).fit(PROBLEM.corpus)
    found, expected = np.array(seen).T
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def slow_log_joint(paths: np.ndarray, levels: np.ndarray) -> float:
    """log p(w, z, c) with every topic's own beta; the first two paths are the seeds'."""
    visits: dict[tuple[int, ...], int] = defaultdict(int)
    a, b = map(tuple, paths[:2].tolist())
    beta = {a[:2]: (2, 0, 0), b[:2]: (0, 2, 0), b[:3]: (0, 0, 2)}
    counts: dict[tuple[int, ...], np.ndarray] = defaultdict(lambda: np.zeros(PROBLEM.n_words))
    total, remaining = 0.0, iter(levels.tolist())
    for d, path in enumerate(paths.tolist()):
        for level, gamma in enumerate(PROBLEM.gamma):
            if d >= 2 and visits[tuple(path[: level + 1])]:
                taken = visits[tuple(path[: level + 2])] or gamma
                total += np.log(taken / (visits[tuple(path[: level + 1])] + gamma))
        for level in range(PROBLEM.n_levels):
            visits[tuple(path[: level + 1])] += 1
        if d >= 2:
            own = np.zeros(PROBLEM.n_levels)
            for word in PROBLEM.docs[d - 2]:
                level = next(remaining)
                own[level] += 1
                counts[tuple(path[: level + 1])][word] += 1
            alpha = np.array(PROBLEM.alpha)
            total += (gammaln(own + alpha) - gammaln(alpha)).sum()
            total -= gammaln(own.sum() + alpha.sum()) - gammaln(alpha.sum())
    for topic, count in counts.items():
        prior = PROBLEM.beta[len(topic) - 1] + np.array(beta.get(topic, (0, 0, 0)), np.float64)
        total += (gammaln(count + prior) - gammaln(prior)).sum()
        total -= gammaln(count.sum() + prior.sum()) - gammaln(prior.sum())
    return float(total)
