"""In lockstep, ranks together visit trees and levels as often as the exact posterior says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

N_ITER = 40_000

BOUND = 0.015
"""The same as for a single process: see tests/statistics."""

FEW = 2_000
FEW_BOUND = 0.07
"""Between what so few sweeps of the right sampler show, .04, and the mildest of the mistakes, .11."""


@pytest.mark.parametrize(
    ("n_ranks", "n_iter"), [(2, N_ITER), (3, N_ITER // 2), pytest.param(3, N_ITER, marks=pytest.mark.slow)]
)
def test_lockstep_visits_the_posterior(program: Callable[..., Any], n_ranks: int, n_iter: int) -> None:
    """With half as many sweeps the same bound is the stricter one; three ranks take minutes on two cores."""
    distance = program(n_ranks, "lockstep.py", n_iter, timeout=1200)
    assert distance["tree"] < BOUND
    assert distance["levels"] < BOUND


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["none", "no weights", "once a sweep"])
def test_the_gate_catches_what_ranks_do_not_tell_each_other(program: Callable[..., Any], mistake: str) -> None:
    """Weights of paths without other ranks' documents; and everything told once a sweep instead of at once."""
    distance = program(2, "lockstep.py", FEW, mistake, timeout=1200)
    assert (max(distance.values()) > FEW_BOUND) == (mistake != "none")
