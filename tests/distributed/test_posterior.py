"""In lockstep, ranks together visit trees and levels as often as the exact posterior says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "programs"

N_ITER = 40_000

BOUND = 0.015
"""As for a single process: see tests/statistics."""

FEW = 2_000
FEW_BOUND = 0.07
"""Between what so few sweeps of the right sampler show, .04, and the mildest of the mistakes, .11."""


def test_lockstep_visits_the_posterior(launch: Callable[..., Any]) -> None:
    """With two and with three ranks, at once: a rank mostly waits for the others."""
    chains = {n: launch(n, "-m", "mpi4py", PROGRAMS / "lockstep.py", N_ITER) for n in (2, 3)}
    for n_ranks, chain in chains.items():
        out, err = chain.communicate(timeout=1200)
        assert chain.returncode == 0, err
        distance = json.loads(out.splitlines()[-1])
        assert distance["tree"] < BOUND, n_ranks
        assert distance["levels"] < BOUND, n_ranks


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["none", "no weights", "once a sweep"])
def test_the_gate_catches_what_ranks_do_not_tell_each_other(program: Callable[..., Any], mistake: str) -> None:
    """Weights of paths without other ranks' documents; and everything told once a sweep instead of at once."""
    distance = program(2, "lockstep.py", FEW, mistake, timeout=1200)
    assert (max(distance.values()) > FEW_BOUND) == (mistake != "none")
