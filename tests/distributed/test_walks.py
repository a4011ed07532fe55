"""Fits of NestedHDP by 2 and 3 ranks of 1 or 2 threads: right after every sweep, with any strategy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove import NestedHDP

from .programs.walks import SETTINGS


@pytest.mark.parametrize(("n_ranks", "n_threads"), [(2, 1), (3, 2), pytest.param(3, 1, marks=pytest.mark.slow)])
def test_all_ranks_have_what_all_tokens_amount_to_after_every_sweep(
    program: Callable[..., Any], counts: NDArray[np.int64], tmp_path: Path, n_ranks: int, n_threads: int
) -> None:
    """The program fails where they don't, and where lockstep differs from this process."""
    many = np.tile(counts, (2, 1))
    np.save(tmp_path / "counts.npy", many)
    np.save(tmp_path / "tokens.npy", NestedHDP(3, **SETTINGS).fit(many).token_topics_)
    fits = program(n_ranks, "walks.py", n_threads, tmp_path / "counts.npy", tmp_path / "tokens.npy")
    assert all(len(n_topics) == 5 for n_topics in fits.values())
    assert len(set(fits["hybrid"])) > 1
