"""All communicators do the same, however large or small their messages are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import topicgrove.distributed.launch
from topicgrove.communication import Communicator, PeerLostError, launch

from .operations import check_operations
from .thread_ranks import run_ranks


def test_a_process_alone(tmp_path: Path) -> None:
    check_operations(Communicator(), tmp_path)


@pytest.mark.parametrize("n_ranks", [1, 2, 3])
def test_threads_that_stand_in_for_ranks(n_ranks: int, tmp_path: Path) -> None:
    run_ranks(n_ranks, lambda comm: check_operations(comm, tmp_path))


@pytest.mark.parametrize(("n_ranks", "level"), [(3, "multiple"), (2, "serialized")])
def test_ranks_of_mpi(program: Callable[..., Any], n_ranks: int, level: str, tmp_path: Path) -> None:
    assert program(n_ranks, "operations_under_mpi.py", level, str(tmp_path)) == ""


def test_mpi_without_threads_is_refused_with_advice(program: Callable[..., Any], tmp_path: Path) -> None:
    said = program(2, "operations_under_mpi.py", "single", str(tmp_path))
    assert "MPI_THREAD_SERIALIZED" in said
    assert "thread_level" in said


def test_public_names_are_those_of_the_communication_layer() -> None:
    assert topicgrove.distributed.Communicator is Communicator
    assert topicgrove.distributed.PeerLostError is PeerLostError
    assert topicgrove.distributed.launch.communicator is launch.communicator
