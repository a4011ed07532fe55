"""The samplers leave the joint distribution p(w, z, c) as it is; wrong ones don't.

Every verdict's rate of false alarms is at most 1e-5, by the sequential test in simulation.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs, Sampler

from .mutants import MUTANTS, run_on_copy
from .posterior import canonical_tree, enumerate_trees
from .simulation import LENGTHS, MODEL, N_WORDS, Replicates, Simulator, verdict


def test_simulated_trees_are_as_frequent_as_their_prior_says() -> None:
    """Both halves of the joint test lean on the simulator, so it is compared with the enumeration."""
    simulator = Simulator(LENGTHS[:3], N_WORDS, **MODEL, seed=0)
    prior = {tree: np.exp(value) for tree, value in enumerate_trees(3, MODEL["gamma"])}
    trees = [canonical_tree(_unique_ids(simulator.draw().paths)) for _ in range(10_000)]
    distance = 0.5 * sum(abs(trees.count(tree) / len(trees) - share) for tree, share in prior.items())
    assert distance < 0.03


def _unique_ids(paths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ids that differ between levels."""
    return paths + 1000 * np.arange(paths.shape[1])


@pytest.mark.parametrize(
    "sampler", [CollapsedGibbs(), PartiallyCollapsedGibbs(100, draw_phi=True)], ids=["collapsed", "slow root"]
)
def test_the_prior_is_still_the_prior_after_sweeps(sampler: Sampler) -> None:
    passes, p_value = verdict(Replicates(sampler, seed=0))
    assert passes, f"least p-value, corrected: {p_value:.2g}"


@pytest.mark.parametrize(
    "wrong",
    [
        {"gamma": (0.3, 0.8)},
        {"alpha": (0.5, 0.8, 1.5)},
        pytest.param({"beta": (0.3, 0.1, 0.07)}, marks=pytest.mark.slow),
        pytest.param({"gamma": (0.8, 0.4)}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_sampler_that_believes_in_another_prior_is_caught(wrong: dict[str, Sequence[float]]) -> None:
    passes, _ = verdict(Replicates(CollapsedGibbs(), seed=0, **wrong))
    assert not passes


@pytest.mark.slow
@pytest.mark.parametrize("mutant", sorted({*MUTANTS} - {"documents_not_removed"}))
def test_a_mistake_in_the_source_is_caught(mutant: str, tmp_path: Path) -> None:
    """The one left out is so mild that so few replicates would catch it most of the time only; the gate does."""
    result = run_on_copy("simulation.py", edits=MUTANTS[mutant], folder=tmp_path)
    assert not result["passes"]
