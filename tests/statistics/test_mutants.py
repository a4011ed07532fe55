"""Mistakes, each made in a copy of the source, are caught by the gate of the exact posterior."""

from __future__ import annotations

from pathlib import Path

import pytest

import topicgrove

from .mutants import MUTANTS, Edit, run_on_copy

N_ITER = 20_000

BOUND = 0.03
"""Between what so many sweeps of the right sampler show and the mildest of the mistakes."""

FAST = {"documents_not_removed", "gamma_levels_swapped"}


def distance_of_copy(edits: list[Edit], folder: Path) -> float:
    """Total variation between the exact posterior of fixture C and a chain: of trees or of levels, the larger one."""
    result = run_on_copy("posterior.py", str(N_ITER), edits=edits, folder=folder)
    return max(result["tree"], result["levels"])


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mistake_can_be_made_in_the_sources_as_they_are(mutant: str) -> None:
    """Quickly, where the slow tests that make them are not run."""
    for edit in MUTANTS[mutant]:
        source = (Path(topicgrove.__file__).parent / edit.file).read_text()
        assert source.count(edit.old) == 1, edit


def test_an_unchanged_copy_passes_the_gate(tmp_path: Path) -> None:
    assert distance_of_copy([], tmp_path) < BOUND


@pytest.mark.parametrize(
    "mutant", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in MUTANTS]
)
def test_the_gate_catches_a_mistake(mutant: str, tmp_path: Path) -> None:
    assert distance_of_copy(MUTANTS[mutant], tmp_path) > BOUND
