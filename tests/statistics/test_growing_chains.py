"""A growing NestedHDP visits trees and walks as often as the enumerated posterior says; with a mistake it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import topicgrove

from .enumerated_walks import NestedDistance
from .growing_chains import distance_of_chain
from .growing_replicates import GrowingReplicates
from .mutants import Edit, run_on_copy
from .simulation import verdict

FEW, SOME, MANY = 3_000, 20_000, 100_000

BOUND = 0.015
"""Total variation; as many independent draws as MANY would give .009 and .008."""

QUICK_BOUND = 0.03
"""For FEW sweeps, and for what depends on a token, on a pair or on the number of topics; SOME sweeps show .005."""

CAUGHT = 0.015
"""The same for mistakes, by SOME sweeps."""

TABLES, GROWTH, STATE = "kernels/walk_sharing.py", "several_paths/growth.py", "several_paths/state.py"

GROWTH_MUTANTS = {
    "tables_are_tokens": [Edit(TABLES, "opened += 1 if uniform(stream) * (a + k) < a else 0", "opened += 1")],
    "tables_are_documents": [Edit(TABLES, "opened += 1 if uniform(stream) * (a + k) < a else 0", "pass")],
    "no_gamma_for_children_to_come": [
        Edit(GROWTH, "np.append(tables.astype(np.float64), gamma)", "np.append(tables.astype(np.float64), 1.0)")
    ],
    "beta_of_the_level_above": [
        Edit(STATE, "beta = hyper.beta[self.level]", "beta = hyper.beta[np.maximum(self.level - 1, 0)]")
    ],
}


def marginals(found: Any) -> float:
    """The largest difference of all but whole states."""
    return max(found.levels, found.same, found.n_topics)


PCGS = {"sampler": "pcgs", "collapse_below": 2, "phi": "draw"}


@pytest.mark.parametrize("options", [pytest.param({}, id="cgs"), pytest.param(PCGS, id="pcgs")])
def test_a_growing_tree_is_near_the_posterior(options: dict[str, Any]) -> None:
    assert marginals(distance_of_chain("two levels", FEW, **options)) < QUICK_BOUND


@pytest.mark.slow
def test_a_partially_collapsed_growing_tree_visits_the_posterior() -> None:
    assert max(distance_of_chain("two levels", MANY, **PCGS)) < BOUND


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two levels", "three levels"])
def test_a_growing_tree_visits_the_posterior(name: str) -> None:
    found = distance_of_chain(name, MANY)
    assert max(found) < BOUND


@pytest.mark.slow
def test_levels_pairs_and_numbers_of_topics_are_those_of_the_posterior() -> None:
    """The states of four tokens are too many for so short a chain; what follows from them is not."""
    found = distance_of_chain("four tokens", MANY)
    assert marginals(found) < BOUND


def test_the_prior_of_growing_trees_is_still_the_prior_after_growth_and_sweeps() -> None:
    passes, p_value = verdict(GrowingReplicates(seed=0), n=1_000)
    assert passes, f"least p-value, corrected: {p_value:.2g}"


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [{"stop": (0.4, 0.7)}, {"gamma": 0.5}], ids=["stop", "gamma"])
def test_growing_trees_that_believe_in_another_prior_are_caught(wrong: dict[str, Any]) -> None:
    passes, _ = verdict(GrowingReplicates(seed=0, **wrong), n=1_000)
    assert not passes


@pytest.mark.parametrize("mutant", GROWTH_MUTANTS)
def test_a_mistake_can_be_made_in_growth_as_it_is(mutant: str) -> None:
    """Quickly, where the slow tests that make them are not run."""
    for edit in GROWTH_MUTANTS[mutant]:
        source = (Path(topicgrove.__file__).parent / edit.file).read_text(encoding="utf-8")
        assert source.count(edit.old) == 1, edit


@pytest.mark.slow
@pytest.mark.parametrize("mutant", GROWTH_MUTANTS)
def test_the_gate_of_growth_catches_a_mistake(mutant: str, tmp_path: Path) -> None:
    """Gamma is .8 there, so that 1 in its place is a mistake."""
    result = run_on_copy("growing_chains.py", "two levels", str(SOME), edits=GROWTH_MUTANTS[mutant], folder=tmp_path)
    del result["source"]
    assert marginals(NestedDistance(**result)) > CAUGHT
