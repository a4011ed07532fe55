"""Fixtures of kernel tests, which also run with compilation off, where large samples would take too long."""

import os
from collections.abc import Iterator

import numpy as np
import pytest

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


@pytest.fixture(scope="session")
def compiled() -> bool:
    """Return whether kernels are compiled in this run."""
    return COMPILED


@pytest.fixture(scope="session")
def n_draws() -> int:
    """Return how many draws a test of frequencies makes."""
    return 40_000 if COMPILED else 2_000


@pytest.fixture(autouse=True)
def let_unsigned_integers_wrap() -> Iterator[None]:
    """Hashes wrap around by design; NumPy's scalars, which stand in where nothing is compiled, warn of it."""
    with np.errstate(over="ignore"):
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20170813)
