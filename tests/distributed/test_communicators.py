"""All communicators do the same, however large or small their messages are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from topicgrove.distributed import Communicator

from .operations import check_operations
from .thread_ranks import run_ranks


def test_a_process_alone() -> None:
    check_operations(Communicator())


@pytest.mark.parametrize("n_ranks", [1, 2, 3])
def test_threads_that_stand_in_for_ranks(n_ranks: int) -> None:
    run_ranks(n_ranks, check_operations)


@pytest.mark.parametrize(("n_ranks", "level"), [(3, "multiple"), (2, "serialized")])
def test_ranks_of_mpi(program: Callable[..., Any], n_ranks: int, level: str) -> None:
    assert program(n_ranks, "operations_under_mpi.py", level) == ""


def test_mpi_without_threads_is_refused_with_advice(program: Callable[..., Any]) -> None:
    said = program(2, "operations_under_mpi.py", "single")
    assert "MPI_THREAD_SERIALIZED" in said
    assert "thread_level" in said
