"""Fits by 2 to 4 ranks of 1 or 2 threads: right after every iteration, with any sampler and options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove import HierarchicalLDA

from .programs.fits import SETTINGS, fingerprint

RANKS_AND_THREADS = [(2, 1), (2, 2), (3, 1), (4, 1), (4, 2)]
"""3 x 2 has the test of all options."""


@pytest.fixture(scope="session")
def counts_file(counts: NDArray[np.int64], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("counts") / "counts.npy"
    np.save(path, counts)
    return path


@pytest.fixture(scope="session")
def blocked_alone(counts: NDArray[np.int64]) -> dict[str, str]:
    """Return the result of a single process."""
    options = SETTINGS | {"sampler": "bgs", "gamma": 1.0}
    return {phi: fingerprint(HierarchicalLDA(**(options | {"phi": phi})).fit(counts)) for phi in ("mean", "draw")}


@pytest.mark.parametrize(("n_ranks", "n_threads"), RANKS_AND_THREADS)
def test_all_ranks_have_what_all_documents_amount_to_after_every_iteration(
    program: Callable[..., Any], counts_file: Path, blocked_alone: dict[str, str], n_ranks: int, n_threads: int
) -> None:
    """The program fails where they don't; here is what else its fits promise."""
    result = program(n_ranks, "fits.py", n_threads, counts_file, "core")
    check_core(result["fits"], n_ranks)
    assert result["blocked"] == {phi: [alone] for phi, alone in blocked_alone.items()}


@pytest.mark.parametrize(
    ("n_ranks", "n_threads"), [(3, 2), *(pytest.param(*n, marks=pytest.mark.slow) for n in [(2, 1), (2, 2), (4, 1)])]
)
def test_every_option_works_across_ranks(
    program: Callable[..., Any], counts_file: Path, blocked_alone: dict[str, str], n_ranks: int, n_threads: int
) -> None:
    """Messages are also cut into pieces of at most 200 elements, as beyond 2^28 otherwise."""
    result = program(n_ranks, "fits.py", n_threads, counts_file, "all")
    fits = result["fits"]
    check_core(fits, n_ranks)
    assert max(fits["max topics, bsp"]["n_topics"]) <= 20
    assert fits["learn"]["hyper"] != fits["cgs"]["hyper"]
    assert 20 <= fits["target"]["n_topics"][-1] <= 45
    assert len(fits["early stopping"]["n_topics"]) < 200
    assert fits["min docs"]["smallest"] >= 5
    assert fits["cgs"]["smallest"] < 5
    assert max(fits["pcgs in pieces"]["n_topics"]) > 80
    assert result["blocked"] == {"mean": [blocked_alone["mean"]], "draw": [blocked_alone["draw"]] * 2}


def check_core(fits: dict[str, Any], n_ranks: int) -> None:
    assert max(fits["pcgs"]["n_topics"]) > 80
    assert max(fits["max topics"]["n_topics"]) <= 20
    assert sum(fits["one document"]["shards"]) == 1
    assert fits["two documents"]["shards"].count(0) == n_ranks - 2
    assert max(fits["one long document"]["shards"]) >= 38
