"""Chains visit trees and levels with the frequencies of the exact posterior."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicgrove.kernels.structures import ROOT
from topicgrove.kernels.topics import counts_to_log_gamma
from topicgrove.prior import HyperParameters
from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs, Sampler, distributions
from topicgrove.state import State
from topicgrove.training import Schedule, SweepEvent, Trainer
from topicgrove.workers import Workers

from .posterior import (
    FIXTURES,
    Problem,
    canonical_tree,
    distance_of_chain,
    exact_posterior,
    log_joint_by_chain_rule,
)
from .simulation import Simulator
from .slow_paths import distance_with_slow_paths

REFERENCE = Path(__file__).parents[2].parent / "shared" / "reference" / "posterior.json"

BOUND = 0.015
"""Total variation that 40,000 sweeps stay below; as many independent draws of B's 60 trees give .0134 (sd .0015)."""

LONG_BOUND = 0.009
"""The same for 200,000 sweeps; independent draws of B's trees would give .006 (sd .0007)."""

FEW, MANY = 40_000, 200_000

SLOW_ROOT = {"sampler": "pcgs", "collapse_below": 100, "phi": "draw"}
"""More documents than there are make a topic slow, so that only the root is, which always is."""


def made_corpus() -> Problem:
    """60 documents of 5 to 14 tokens from the model itself."""
    alpha, beta, gamma = (0.4, 0.8, 1.5), (0.5, 0.2, 0.1), (1.0, 0.5)
    lengths = [5 + d % 10 for d in range(60)]
    words = Simulator(lengths, 30, alpha, beta, gamma, seed=1).draw().words
    docs = np.split(words, np.cumsum(lengths)[:-1])
    return Problem(tuple(tuple(doc.tolist()) for doc in docs), 30, alpha, beta, gamma)


def history(problem: Problem, n_iter: int, **options: Any) -> list[tuple[list[Any], list[int], float]]:
    """Paths, levels and log joint after every sweep."""
    seen: list[tuple[list[Any], list[int], float]] = []

    def note(event: SweepEvent) -> None:
        seen.append((event.paths.tolist(), event.token_levels.tolist(), event.log_joint))

    problem.model(n_iter=n_iter, random_state=3, callbacks=[note], **options).fit(problem.corpus)
    return seen


@pytest.mark.skipif(not REFERENCE.exists(), reason="shared/reference is not beside the repository")
@pytest.mark.parametrize("name", ["A", "B", "C"])
def test_enumeration_agrees_with_the_shared_reference(name: str) -> None:
    reference = json.loads(REFERENCE.read_text())[name]
    problem, fixture = FIXTURES[name], reference["fixture"]
    assert [sorted(doc) for doc in fixture["docs"]] == [list(doc) for doc in problem.docs]
    assert [fixture["alpha"], fixture["beta"], fixture["gamma"]] == [
        list(problem.alpha),
        list(problem.beta),
        list(problem.gamma),
    ]
    posterior = exact_posterior(problem)
    assert posterior.log_evidence == pytest.approx(reference["log_evidence"], abs=1e-9)
    trees = {tuple(map(tuple, tree)): (prior, after) for tree, prior, after in reference["tree"]}
    assert posterior.tree_prior == pytest.approx({tree: prior for tree, (prior, _) in trees.items()}, abs=1e-9)
    assert posterior.trees == pytest.approx({tree: after for tree, (_, after) in trees.items()}, abs=1e-9)
    levels = [
        row
        for doc, rows in zip(fixture["docs"], reference["level"], strict=True)
        for row in np.array(rows)[np.argsort(doc, kind="stable")]
    ]
    np.testing.assert_allclose(posterior.levels, levels, atol=1e-9)


def test_enumeration_of_one_document_of_one_word_is_what_paper_and_pencil_give() -> None:
    """With one token there is one tree, and a level is as probable as alpha says: words are equally likely."""
    posterior = exact_posterior(Problem(((1,),), 4, (0.5, 1.0, 2.5), (1.0, 0.5, 0.25), (0.3, 0.9)))
    assert posterior.trees == {((0, 0),): pytest.approx(1)}
    assert posterior.log_evidence == pytest.approx(math.log(1 / 4))
    np.testing.assert_allclose(posterior.levels, [[0.5 / 4, 1 / 4, 2.5 / 4]])


@pytest.mark.parametrize(
    "name",
    [
        "A",
        "C",
        pytest.param("B", marks=pytest.mark.slow),
        pytest.param("four levels", marks=pytest.mark.slow),
    ],
)
def test_collapsed_sampler_visits_the_posterior(name: str) -> None:
    distance = distance_of_chain(FIXTURES[name], FEW, sampler="cgs")
    assert distance.tree < BOUND
    assert distance.levels < BOUND


@pytest.mark.slow
@pytest.mark.parametrize("name", ["B", "four levels"])
@pytest.mark.parametrize("options", [{"sampler": "cgs"}, SLOW_ROOT], ids=["collapsed", "slow root"])
def test_long_chain_comes_closer(name: str, options: dict[str, Any]) -> None:
    distance = distance_of_chain(FIXTURES[name], MANY, **options)
    assert distance.tree < LONG_BOUND
    assert distance.levels < LONG_BOUND


@pytest.mark.parametrize(
    "name",
    [
        "C",
        pytest.param("A", marks=pytest.mark.slow),
    ],
)
def test_partially_collapsed_sampler_with_only_the_root_slow_visits_the_posterior(name: str) -> None:
    distance = distance_of_chain(FIXTURES[name], FEW, **SLOW_ROOT)
    assert distance.tree < BOUND
    assert distance.levels < BOUND


def test_slow_inner_topics_visit_the_posterior() -> None:
    distance = distance_with_slow_paths(FIXTURES["C"], FEW)
    assert distance.tree < BOUND
    assert distance.levels < BOUND


def test_the_gate_of_slow_inner_topics_catches_the_roots_beta(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only slow topics below the root are drawn with another beta, so that a slow root alone cannot show it.

    So many sweeps of the right sampler come within .03 of the trees, and this one within .10.
    """

    def draw(first: int, last: int, matrix: Any, beta: Any, *rest: Any) -> None:
        counts_to_log_gamma(first, last, matrix, np.full_like(beta, beta[ROOT]), *rest)

    monkeypatch.setattr(distributions, "counts_to_log_gamma", draw)
    assert distance_with_slow_paths(FIXTURES["C"], 4_000).tree > 0.07


@pytest.mark.slow
def test_blocked_sampler_visits_the_posterior() -> None:
    """Six free children leave so little at the end of the stick that the truncation does not show."""
    distance = distance_of_chain(FIXTURES["A"], FEW, sampler="bgs", free_children=6)
    assert distance.tree < 0.02
    assert distance.levels < 0.02


@pytest.mark.parametrize(("problem", "n_iter"), [(FIXTURES["C"], 2_000), (made_corpus(), 200)], ids=["C", "made"])
def test_partially_collapsed_sampler_without_a_threshold_is_the_collapsed_one_bit_for_bit(
    problem: Problem, n_iter: int
) -> None:
    collapsed = history(problem, n_iter, sampler="cgs")
    assert history(problem, n_iter, sampler="pcgs", collapse_below=math.inf) == collapsed
    assert len({log_joint for _, _, log_joint in collapsed}) > n_iter / 20


@pytest.mark.parametrize("problem", [FIXTURES["C"], made_corpus()], ids=["C", "made"])
def test_partially_collapsed_class_without_a_threshold_is_the_collapsed_one_bit_for_bit(problem: Problem) -> None:
    """The estimator may choose the collapsed class for an infinite threshold; the other one has to give the same."""

    def leaves_and_levels(sampler: Sampler) -> list[tuple[list[Any], list[int]]]:
        hyper = HyperParameters.of(problem.n_levels, problem.alpha, problem.beta, problem.gamma)
        seen: list[tuple[list[Any], list[int]]] = []
        with Workers(1) as workers:
            state = State(problem.corpus, hyper, 5, workers)
            schedule = Schedule(n_iter=200, init_iterations=8, init_samples=2, batch_size=None, max_topics=None)
            trainer = Trainer(state, sampler, schedule)
            trainer.run([lambda event: seen.append((event.paths.tolist(), event.token_levels.tolist()))])
        return seen

    assert leaves_and_levels(PartiallyCollapsedGibbs(math.inf, draw_phi=True)) == leaves_and_levels(CollapsedGibbs())


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
@pytest.mark.parametrize("problem", [FIXTURES["B"], FIXTURES["four levels"], made_corpus()], ids=["B", "four", "made"])
def test_log_joint_is_that_of_the_chain_rule(problem: Problem, sampler: str) -> None:
    seen = history(problem, 40, sampler=sampler, collapse_below=5)
    for paths, levels, log_joint in seen[::13]:
        assert log_joint == pytest.approx(log_joint_by_chain_rule(problem, paths, levels), rel=1e-6)
    model = problem.model(n_iter=40, random_state=3, sampler=sampler, collapse_below=5).fit(problem.corpus)
    expected = log_joint_by_chain_rule(problem, model.paths_.tolist(), model.token_levels_.tolist())
    assert model.log_joint_ == pytest.approx(expected, rel=1e-6)
    assert canonical_tree(model.paths_) == canonical_tree(np.array(seen[-1][0]))
