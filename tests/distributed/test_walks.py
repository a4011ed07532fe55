"""Fits of NestedHDP by 2 and 3 ranks of 1 or 2 threads: right after every sweep, with any strategy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove import NestedHDP, load

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


def test_the_command_trains_one_model_on_all_ranks(run: Callable[..., Any], tmp_path: Path) -> None:
    """In lockstep, the model of one process."""
    docs = ["the moon and a rocket in orbit", "a goal for the team in a match"] * 10
    (tmp_path / "docs.txt").write_text("\n".join(docs) + "\n")
    options = ("--model", "nhdp", "--init", "none", "--target-topics", 7, "--iterations", 4, "--seed", 1, "--quiet")
    found = []
    for n_ranks in (1, 2):
        path = tmp_path / f"{n_ranks}.grove"
        done = run(n_ranks, "-m", "topicgrove", "fit", tmp_path / "docs.txt", "-o", path, *options,
                   "--learn-after", 2, "--sync", "lockstep", "--threads", 1)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout == done.stderr == ""
        found.append(load(path))
    alone, together = found
    assert (alone.token_topics_ == together.token_topics_).all()
    assert (alone.paths_ == together.paths_).all()
    assert alone.tree_.parent.tolist() == together.tree_.parent.tolist()
