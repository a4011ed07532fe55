"""Ranks that are threads of one process: cheap, and with every merge within reach of a test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.communication.communicator import Bounds

T = TypeVar("T")
PATIENCE = 300.0


class Meeting:
    """A meeting point where all ranks exchange values."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._barrier = threading.Barrier(size, timeout=PATIENCE)
        self._table: list[Any] = [None] * size

    def exchange(self, rank: int, brought: T) -> list[T]:
        self._table[rank] = brought
        self._barrier.wait()
        taken = list(self._table)
        self._barrier.wait()
        return taken

    def give_up(self) -> None:
        self._barrier.abort()


class ThreadCommunicator(Communicator):
    """A rank of ``run_ranks``."""

    def __init__(self, rank: int, meetings: list[Meeting]) -> None:
        super().__init__()
        self.rank = rank
        self.size = meetings[0].size
        self._meetings = meetings

    def all(self, value: T) -> list[T]:
        """Return the values of all ranks; arrays are copied."""
        return self._meetings[0].exchange(self.rank, value.copy() if isinstance(value, np.ndarray) else value)

    def allreduce_sum(self, array: NDArray[Any], purpose: str = "other") -> None:
        array[...] = np.sum(self.all(array), axis=0, dtype=array.dtype)

    def reduce_scatter_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        first, last = bounds[self.rank]
        matrix[first:last] = np.sum(self.all(matrix), axis=0, dtype=matrix.dtype)[first:last]

    def allgather_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        for theirs, (first, last) in zip(self.all(matrix), bounds, strict=True):
            matrix[first:last] = theirs[first:last]

    def allreduce_max(self, *values: int) -> list[int]:
        return [max(column) for column in zip(*self.all(values), strict=True)]

    def gather(self, array: NDArray[Any]) -> list[NDArray[Any]]:
        arrays = self.all(array)
        return arrays if self.rank == 0 else []

    def broadcast(self, data: bytes) -> bytes:
        return self.all(data)[0]

    def barrier(self) -> None:
        self.all(None)

    def duplicate(self) -> Communicator:
        return ThreadCommunicator(self.rank, self._meetings[1:])

    def allgather_bytes(
        self, header: NDArray[Any], payload: NDArray[Any], through_first: bool = False
    ) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        return self.all((header.copy(), payload.copy()))


def run_ranks(size: int, task: Callable[[ThreadCommunicator], T]) -> list[T]:
    """Run ``task`` on every rank and return the results; the first failure is raised, and the other ranks give up."""
    meetings = [Meeting(size), Meeting(size)]
    results: list[Any] = [None] * size
    failures: list[BaseException] = []

    def work(rank: int) -> None:
        try:
            results[rank] = task(ThreadCommunicator(rank, meetings))
        except BaseException as error:
            failures.append(error)
            for meeting in meetings:
                meeting.give_up()

    threads = [threading.Thread(target=work, args=[rank], daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    own = [error for error in failures if not isinstance(error, threading.BrokenBarrierError)]
    if failures:
        raise (own or failures)[0]
    return results
