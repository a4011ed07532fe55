"""What the processes of a run need of each other. This one is for a run of a single process; `mpi` has the other."""

from __future__ import annotations

import os
import platform
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from topicgrove.distributed.machines import Machines
from topicgrove.memory import plain_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Received = list[tuple[NDArray[Any], NDArray[Any]]]

Bounds = list[tuple[int, int]]
"""Rows first..last - 1 of every machine."""


class PeerLostError(ConnectionError):
    """Another process of the run has ended, hangs, or cannot be reached.

    >>> issubclass(PeerLostError, OSError)
    True
    """


class Communicator:
    """A process that is alone: everything is here already.

    All ranks call the methods in the same order. ``machines`` are the ranks that have memory in common; those of one's
    own are the ``neighbours``. ``sent`` counts bytes by what they were sent for.

    Examples
    --------
    >>> import numpy as np
    >>> alone, array = Communicator(), np.arange(3)
    >>> alone.sum(array)
    >>> alone.rank, alone.size, array.tolist(), alone.largest(4, 2)
    (0, 1, [0, 1, 2], [4, 2])
    """

    rank = 0
    size = 1

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()
        self.machines: Machines = [[0]]

    @property
    def machine(self) -> int:
        """The number of the machine that this rank is on."""
        return next(number for number, ranks in enumerate(self.machines) if self.rank in ranks)

    @property
    def neighbours(self) -> list[int]:
        """The ranks of this machine, this one among them."""
        return self.machines[self.machine]

    @property
    def host(self) -> str:
        """The machine's name."""
        return platform.node()

    def sum(self, array: NDArray[Any], purpose: str = "other") -> None:
        """Sum over the ranks, in place."""

    def shared_memory(self, size: int) -> NDArray[Any]:
        """So many bytes, of any content, that the ranks of a machine have in common."""
        return plain_memory(size)

    def meet(self) -> None:
        """Wait for the other ranks of this machine."""

    def sum_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Sum the machines' common matrices, in place; of each machine's rows only that machine gets the sum.

        Its ranks must have met before.
        """

    def share_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Every machine gets every machine's rows, in place."""

    def largest(self, *values: int) -> list[int]:
        """The largest of each over the ranks."""
        return list(values)

    def gather(self, array: NDArray[Any]) -> list[NDArray[Any]]:
        """The arrays of all ranks, which may differ in length, at rank 0; elsewhere nothing."""
        return [array]

    def broadcast(self, data: bytes) -> bytes:
        """Rank 0's bytes, everywhere."""
        return data

    def training(self) -> AbstractContextManager[None]:
        """Inside, all ranks answer all the time; outside, one may be busy with files for long."""
        return nullcontext()

    def abort(self, code: int) -> None:
        """End all processes with this exit code."""
        os._exit(code)

    def look_often(self, often: bool) -> None:
        """Whether to look for messages as often as possible, or rather leave the time to documents drawn beside."""

    def rounds(self) -> Communicator:
        """The same ranks on a channel of their own, for the thread that exchanges changes."""
        return self

    def exchange(self, header: NDArray[Any], payload: NDArray[Any], through_first: bool = False) -> Received:
        """Header and payload (of bytes) of every rank; headers are of one shape, payloads of any length.

        Payloads go to all ranks directly, or ``through_first``: to rank 0, and from there to all.
        """
        return [(header, payload)]
