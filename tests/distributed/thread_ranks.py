"""Ranks that are threads of one process: as cheap as it gets, with every merge in reach of a test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from topicgrove.distributed import Communicator
from topicgrove.distributed.communicator import Bounds
from topicgrove.distributed.machines import Machines

T = TypeVar("T")
PATIENCE = 120.0


class Meeting:
    """Where all ranks come and leave with what everybody brought."""

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
    """A rank of ``run_ranks``; on each of the machines there is a meeting, too."""

    def __init__(self, rank: int, meetings: list[Meeting], machines: Machines, on_machine: list[Meeting]) -> None:
        super().__init__()
        self.rank = rank
        self.size = meetings[0].size
        self.machines = machines
        self._meetings = meetings
        self._on_machine = on_machine

    def all(self, value: T) -> list[T]:
        """Everybody's value, copied where it is an array."""
        return self._meetings[0].exchange(self.rank, value.copy() if isinstance(value, np.ndarray) else value)

    def sum(self, array: NDArray[Any], purpose: str = "other") -> None:
        array[...] = np.sum(self.all(array), axis=0, dtype=array.dtype)

    def shared_memory(self, size: int) -> NDArray[Any]:
        own: NDArray[Any] = np.empty(size, np.uint8)
        return self._among_neighbours([own])[0][0]

    def meet(self) -> None:
        self._among_neighbours(None)

    def _among_neighbours(self, value: T) -> list[T]:
        return self._on_machine[self.machine].exchange(self.neighbours.index(self.rank), value)

    def sum_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        matrices = self.all(matrix)
        total = np.sum([matrices[ranks[0]] for ranks in self.machines], axis=0, dtype=matrix.dtype)
        rows = slice(*bounds[self.machine])
        if self.rank == self.neighbours[0]:
            matrix[rows] = total[rows]
        self.meet()

    def share_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        self.meet()
        matrices = self.all(matrix)
        if self.rank == self.neighbours[0]:
            for ranks, (first, last) in zip(self.machines, bounds, strict=True):
                matrix[first:last] = matrices[ranks[0]][first:last]
        self.meet()

    def largest(self, *values: int) -> list[int]:
        return [max(column) for column in zip(*self.all(values), strict=True)]

    def gather(self, array: NDArray[Any]) -> list[NDArray[Any]]:
        arrays = self.all(array)
        return arrays if self.rank == 0 else []

    def broadcast(self, data: bytes) -> bytes:
        return self.all(data)[0]

    def rounds(self) -> Communicator:
        return ThreadCommunicator(self.rank, self._meetings[1:], self.machines, self._on_machine)

    def exchange(
        self, header: NDArray[Any], payload: NDArray[Any], through_first: bool = False
    ) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        return self.all((header.copy(), payload.copy()))


def run_ranks(size: int, task: Callable[[ThreadCommunicator], T], machines: Machines | None = None) -> list[T]:
    """What ``task`` returns on each of so many ranks; the first failure is raised, and the others give up.

    Every rank has a machine of its own unless ``machines`` says otherwise.
    """
    machines = machines or [[rank] for rank in range(size)]
    meetings = [Meeting(size), Meeting(size)]
    on_machine = [Meeting(len(ranks)) for ranks in machines]
    results: list[Any] = [None] * size
    failures: list[BaseException] = []

    def work(rank: int) -> None:
        try:
            results[rank] = task(ThreadCommunicator(rank, meetings, machines, on_machine))
        except BaseException as error:
            failures.append(error)
            for meeting in meetings + on_machine:
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
