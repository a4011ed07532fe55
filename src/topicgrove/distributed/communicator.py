"""What the processes of a run need of each other. This one is for a run of a single process; `mpi` has the other."""

from __future__ import annotations

import platform
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Received = list[tuple[NDArray[Any], NDArray[Any]]]

Bounds = list[tuple[int, int]]
"""Rows first..last - 1 of every rank."""


class PeerLostError(ConnectionError):
    """Another process of the run has ended, hangs, or cannot be reached.

    >>> issubclass(PeerLostError, OSError)
    True
    """


class Communicator:
    """A process that is alone: everything is here already.

    All ranks call the methods in the same order. ``sent`` counts bytes by what they were sent for.

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

    @property
    def host(self) -> str:
        """The machine's name."""
        return platform.node()

    def sum(self, array: NDArray[Any], purpose: str = "other") -> None:
        """Sum over the ranks, in place."""

    def sum_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Sum over the ranks, in place; of each rank's rows only that rank gets the sum."""

    def share_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Every rank gets every rank's rows, in place."""

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

    def fail(self, error: BaseException) -> None:
        """End all processes because of an error that only this one has; one that is alone may just raise it."""

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
