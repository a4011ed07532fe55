"""On a fixed tree walks visit the enumerated posterior and keep the joint distribution; walks that are wrong don't."""

from __future__ import annotations

from pathlib import Path

import pytest

import topicgrove

from .mutants import run_on_copy
from .simulation import verdict
from .walk_chains import ALL, FEW, SLOW, SMALL, TALL, WalkReplicates, chain, distance, fixed_posterior
from .walk_mutants import PROPOSAL_MUTANTS, SLOW_MUTANTS, WALK_MUTANTS

N_SWEEPS, MANY = 20_000, 200_000

BOUND, LONG_BOUND = 0.02, 0.0075
"""Largest difference of a probability. The long bound is below the .01 that 60,000 sweeps are allowed."""

CAUGHT_SWEEPS, CAUGHT = 60_000, 0.02
"""The mildest mistake shows .030 where the right sampler shows .008."""

MUTANTS = WALK_MUTANTS | PROPOSAL_MUTANTS | SLOW_MUTANTS

SLOWS = [pytest.param((), id="collapsed"), pytest.param(SLOW, id="partially collapsed")]

KINDS = [pytest.param(ALL, id="all weighed"), pytest.param(FEW, id="proposals")]


@pytest.mark.parametrize("slow", SLOWS)
@pytest.mark.parametrize("few_topics", KINDS)
def test_walks_visit_the_posterior(few_topics: int, slow: tuple[int, ...]) -> None:
    found = distance(chain(SMALL, N_SWEEPS, few_topics, slow=slow), fixed_posterior(SMALL))
    assert max(found) < BOUND


@pytest.mark.slow
@pytest.mark.parametrize("slow", SLOWS)
@pytest.mark.parametrize("few_topics", KINDS)
def test_long_chain_of_walks_comes_closer(few_topics: int, slow: tuple[int, ...]) -> None:
    found = distance(chain(SMALL, MANY, few_topics, slow=slow), fixed_posterior(SMALL))
    assert max(found) < LONG_BOUND


@pytest.mark.parametrize("slow", SLOWS)
@pytest.mark.parametrize("few_topics", KINDS)
def test_the_prior_of_walks_is_still_the_prior_after_sweeps(few_topics: int, slow: tuple[int, ...]) -> None:
    passes, p_value = verdict(WalkReplicates(TALL, few_topics, seed=0, slow=slow), n=1_000)
    assert passes, f"least p-value, corrected: {p_value:.2g}"


@pytest.mark.parametrize(
    "wrong",
    [
        {"beta": (0.3, 0.1, 0.5, 0.2)},
        {"stop": (0.4, 0.7, 1.1, 0.0, 0.5, 0.0, 0.8, 0.0, 0.0, 0.0)},
        {"alpha": (0.0, 1.1, 0.3, 0.5, 0.8, 0.4, 1.3, 0.6, 0.9, 0.7)},
    ],
    ids=["beta", "stop", "alpha"],
)
def test_walks_that_believe_in_another_prior_are_caught(wrong: dict[str, tuple[float, ...]]) -> None:
    passes, _ = verdict(WalkReplicates(TALL, ALL, seed=0, **wrong))
    assert not passes


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mistake_can_be_made_in_walks_as_they_are(mutant: str) -> None:
    """Quickly, where the slow tests that make them are not run."""
    for edit in MUTANTS[mutant]:
        source = (Path(topicgrove.__file__).parent / edit.file).read_text(encoding="utf-8")
        assert source.count(edit.old) == 1, edit


@pytest.mark.slow
@pytest.mark.parametrize("few_topics", KINDS)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_gate_of_walks_catches_a_mistake(mutant: str, few_topics: int, tmp_path: Path) -> None:
    if mutant in PROPOSAL_MUTANTS and few_topics == ALL:
        pytest.skip("there are no proposals")
    slow = map(str, SLOW if mutant in SLOW_MUTANTS else ())
    arguments = ("gate", str(few_topics), str(CAUGHT_SWEEPS), *slow)
    result = run_on_copy("walk_chains.py", *arguments, edits=MUTANTS[mutant], folder=tmp_path)
    assert max(result["node"], result["same"]) > CAUGHT


@pytest.mark.slow
@pytest.mark.parametrize("mutant", WALK_MUTANTS | PROPOSAL_MUTANTS)
def test_the_joint_distribution_of_walks_shows_a_mistake(mutant: str, tmp_path: Path) -> None:
    result = run_on_copy("walk_chains.py", "joint", str(FEW), edits=MUTANTS[mutant], folder=tmp_path)
    assert not result["passes"]
