"""Errors on all ranks, or that all can agree on, are exceptions that a program can catch on each rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

N_RANKS = 2


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory, counts: NDArray[np.int64]) -> Callable[..., Any]:
    """Run the program once, and return its output."""
    folder = tmp_path_factory.mktemp("errors")
    np.save(folder / "counts.npy", counts)
    kept: list[Any] = []

    def run_once(program: Callable[..., Any]) -> Any:
        if not kept:
            kept.append(program(N_RANKS, "common_errors.py", folder / "counts.npy", folder, timeout=120))
        return kept[0]

    return run_once


@pytest.mark.parametrize(
    ("case", "kind", "text"),
    [
        ("argument", "ValueError", "alpha"),
        ("task", "ValueError", "they differ in parameters"),
        ("interval", "ValueError", "checkpoint_every"),
        ("no checkpoint", "FileNotFoundError", "no checkpoint there"),
    ],
)
def test_errors_of_all_ranks_are_raised_on_all(
    result: Callable[..., Any], program: Callable[..., Any], case: str, kind: str, text: str
) -> None:
    errors = [of_rank[case] for of_rank in result(program)["errors"]]
    assert errors == [errors[0]] * N_RANKS
    assert errors[0][0] == kind
    assert text in errors[0][1]


@pytest.mark.parametrize(
    ("case", "rank", "kind", "text"),
    [
        ("argument of one rank", 1, "ValueError", "n_jobs must be"),
        ("documents of one rank", 1, "ValueError", "X has the count -1"),
        ("callbacks", 0, "TypeError", "callbacks must be"),
        ("checkpoints", 0, "FileExistsError", "File exists"),
        ("full disk", 1, "OSError", "File too large"),
    ],
)
def test_errors_of_one_rank_that_can_be_agreed_on_are_raised_on_all_and_name_it(
    result: Callable[..., Any], program: Callable[..., Any], case: str, rank: int, kind: str, text: str
) -> None:
    errors = [of_rank[case] for of_rank in result(program)["errors"]]
    own, other = errors[rank], errors[1 - rank]
    assert own[0] == kind
    assert text in own[1]
    assert other[0] == ("OSError" if "Exists" in kind or kind == "OSError" else "ValueError")
    assert other[1].startswith(f"rank {rank} on ")
    assert text in other[1]


def test_a_checkpoint_that_one_rank_cannot_write_leaves_the_one_before_and_the_model(
    result: Callable[..., Any], program: Callable[..., Any]
) -> None:
    done = result(program)
    parts = [f"part-000000002-{rank:05d}.safetensors" for rank in range(N_RANKS)]
    assert done["left"] == ["checkpoint-000000002.safetensors", "corpus", "lock", *parts]
    assert done["kept"] == 4
    assert done["resumed"] == 5
