"""The interface of communicators, and the one of a single process; `mpi` has the other."""

from __future__ import annotations

import platform
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Received = list[tuple[NDArray[Any], NDArray[Any]]]

Bounds = list[tuple[int, int]]
"""Rows first..last - 1 of each rank."""

PEER_LOST = 75
"""Exit code of a job that lost a process; it can be resumed from its checkpoint."""


class PeerLostError(ConnectionError):
    """Another process of the run has ended, hangs, or cannot be reached.

    >>> issubclass(PeerLostError, OSError)
    True
    """


class Communicator:
    """A communicator of a single rank, which has nothing to send.

    Methods are named after MPI's calls. They are collective: all ranks call them in the same order. ``sent`` counts the
    bytes that this rank sent, by purpose.

    Examples
    --------
    >>> import numpy as np
    >>> alone, array = Communicator(), np.arange(3)
    >>> alone.allreduce_sum(array)
    >>> alone.rank, alone.size, array.tolist(), alone.allreduce_max(4, 2)
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

    def allreduce_sum(self, array: NDArray[Any], purpose: str = "other") -> None:
        """Sum an array over the ranks, in place (MPI_Allreduce with MPI_SUM)."""

    def allreduce_max(self, *values: int) -> list[int]:
        """Return the largest of each value over the ranks (MPI_Allreduce with MPI_MAX)."""
        return list(values)

    def reduce_scatter_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Sum over the ranks, in place; each rank gets the sums of its own rows alone (MPI_Reduce_scatter)."""

    def allgather_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Give every rank the rows of all ranks, in place (MPI_Allgatherv)."""

    def allgather_bytes(self, header: NDArray[Any], payload: NDArray[Any], through_first: bool = False) -> Received:
        """Return header and payload of every rank (MPI_Allgather, then MPI_Allgatherv).

        Headers have one shape; payloads are bytes of any length. Payloads go to all ranks directly, or
        ``through_first``: to rank 0, and from there to all (MPI_Gatherv, then MPI_Bcast).
        """
        return [(header, payload)]

    def gather(self, array: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the arrays of all ranks, of any lengths, at rank 0; an empty list elsewhere (MPI_Gatherv)."""
        return [array]

    def broadcast(self, data: bytes) -> bytes:
        """Return rank 0's bytes on every rank (MPI_Bcast)."""
        return data

    def barrier(self) -> None:
        """Wait until every rank has called this (MPI_Barrier)."""

    def duplicate(self) -> Communicator:
        """Return the same ranks on a channel of their own, for another thread (MPI_Comm_dup)."""
        return self

    def abort(self, error: BaseException) -> None:
        """Report an error of this rank alone, and end all ranks (MPI_Abort); a single rank may just raise it."""

    def poll_often(self, often: bool) -> None:
        """Test for messages as often as possible; or rarely, to leave the core to threads that draw documents."""

    def training(self) -> AbstractContextManager[None]:
        """Require every rank to answer within the watchdog's time inside the block.

        Outside, file access may take longer.
        """
        return nullcontext()
