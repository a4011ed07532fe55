"""The communicator of an MPI job. No call blocks: requests are polled, so that a lost peer is noticed."""

# mypy: allow-untyped-calls
from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from topicgrove.communication.communicator import PEER_LOST, Bounds, Communicator, PeerLostError
from topicgrove.communication.peers import Peers, Process
from topicgrove.communication.together import is_agreed

if TYPE_CHECKING:
    from topicgrove.communication.communicator import Received

WATCHDOG = 120.0
"""Seconds of silence after which a peer counts as lost, unless the user says otherwise."""

MAX_ELEMENTS = 2**28
"""Elements in one message; larger arrays are sent in pieces."""

SUMMED = 2**22
"""Elements that are received and added at once."""

SMALL = 1024
"""Bytes of a payload that travel with its header, so that a round of small ones takes a single message."""

READING = 3600.0
"""Seconds that others wait for a rank that reads documents or writes the model."""

HOST_BYTES = 64
"""Bytes of a machine's name that are kept."""

PATIENCE = 0.5
"""Seconds that MPI gets to end the job; then this process exits, as a lost network may hold MPI up."""

LAST_WORDS = 0.3
"""Seconds that the launcher gets to pass on this process's output, which it drops when it ends the job."""

PAUSES = (0.0, 2e-5, 5e-5, 1e-4, 5e-4, 2e-3)
"""Seconds between two tests of an unfinished request, short ones first."""

PAUSES_BESIDE = (2e-3,)
"""The same while documents are drawn: testing takes time from that."""

LOOKS = 40
"""Tests before the pause gets longer."""


class MPICommunicator(Communicator):
    """The ranks of an MPI communicator. Once it exists, an uncaught exception ends the job.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, default=None
        None means the world. It is duplicated, so others may go on using it.
    watchdog : float
        Seconds after which a peer that says nothing is lost.
    max_elements : int
        Elements in one message.
    report : callable, default=None
        Prints an error that ends the job, and returns the exit code. None prints a traceback.
    """

    def __init__(
        self,
        comm: MPI.Comm | None = None,
        *,
        watchdog: float = WATCHDOG,
        max_elements: int = MAX_ELEMENTS,
        report: Callable[[BaseException], int] | None = None,
    ) -> None:
        super().__init__()
        level = MPI.Query_thread()
        if level < MPI.THREAD_SERIALIZED:
            raise ValueError(
                "this MPI was started without support for threads (it must be at least MPI_THREAD_SERIALIZED): "
                "leave mpi4py.rc.thread_level at 'multiple', or use an MPI library that supports threads"
            )
        self.watchdog = watchdog
        self.max_elements = max_elements
        self.report = report
        self._pauses: tuple[float, ...] = PAUSES
        self._is_training = threading.Event()
        self._peers: Peers | None = None
        world = MPI.COMM_WORLD if comm is None else comm
        self.rank = world.Get_rank()
        self.size = world.Get_size()
        self._comm = self._duplicate(world)
        self._peers = Peers(self._duplicate(world), self._processes(), watchdog)
        self._end_job_if_uncaught()

    def allreduce_sum(self, array: NDArray[Any], purpose: str = "other") -> None:
        """Sum an array over the ranks, in place (MPI_Allreduce with MPI_SUM)."""
        flat = array.reshape(-1)
        for piece in self._pieces(flat):
            self._wait(self._comm.Iallreduce(MPI.IN_PLACE, piece, MPI.SUM))
            # A ring sends every element about twice, whatever the number of ranks.
            self.sent[purpose] += int(2 * piece.nbytes * (self.size - 1) / self.size)

    def reduce_scatter_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Sum over the ranks, in place; each rank gets the sums of its own rows alone (MPI_Reduce_scatter)."""
        limit = min(SUMMED, self.max_elements)
        mine = self._pieces(matrix[slice(*bounds[self.rank])].reshape(-1), limit)
        received = np.empty(max(map(len, mine), default=0), matrix.dtype)
        for to, source in self._turns():
            theirs = self._pieces(matrix[slice(*bounds[to])].reshape(-1), limit)
            for i in range(max(len(mine), len(theirs))):
                into = [received[: len(piece)] for piece in mine[i : i + 1]]
                self._send_and_receive(theirs[i : i + 1], to, into, source)
                for piece, more in zip(mine[i : i + 1], into, strict=True):
                    piece += more
            self.sent[purpose] += sum(piece.nbytes for piece in theirs)

    def allgather_rows(self, matrix: NDArray[Any], bounds: Bounds, purpose: str = "other") -> None:
        """Give every rank the rows of all ranks, in place (MPI_Allgatherv)."""
        mine = matrix[slice(*bounds[self.rank])].reshape(-1)
        for to, source in self._turns():
            theirs = matrix[slice(*bounds[source])].reshape(-1)
            self._send_and_receive(self._pieces(mine), to, self._pieces(theirs), source)
            self.sent[purpose] += mine.nbytes

    def _turns(self) -> Iterator[tuple[int, int]]:
        """Give the ranks to send to and receive from, turn by turn: in each turn, every rank sends and receives once.

        MPICH's collective calls take more than twice as long.
        """
        for turn in range(1, self.size):
            yield (self.rank + turn) % self.size, (self.rank - turn) % self.size

    def _send_and_receive(self, pieces: list[NDArray[Any]], to: int, into: list[NDArray[Any]], source: int) -> None:
        requests = [self._comm.Irecv(piece, source=source) for piece in into]
        requests += [self._comm.Isend(piece, dest=to) for piece in pieces]
        for request in requests:
            self._wait(request)

    def allreduce_max(self, *values: int) -> list[int]:
        """Return the largest of each value over the ranks (MPI_Allreduce with MPI_MAX)."""
        array = np.array(values, np.int64)
        self._wait(self._comm.Iallreduce(MPI.IN_PLACE, array, MPI.MAX))
        return [int(value) for value in array]

    def gather(self, array: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the arrays of all ranks, of any lengths, at rank 0; an empty list elsewhere (MPI_Gatherv)."""
        lengths = np.zeros(self.size, np.int64)
        lengths[self.rank] = len(array)
        self.allreduce_sum(lengths)
        if self.rank > 0:
            for piece in self._pieces(np.ascontiguousarray(array).reshape(-1)):
                self._wait(self._comm.Isend(piece, dest=0))
                self.sent["other"] += piece.nbytes
            return []
        arrays = [array]
        for source in range(1, self.size):
            received = np.empty((int(lengths[source]), *array.shape[1:]), array.dtype)
            for piece in self._pieces(received.reshape(-1)):
                self._wait(self._comm.Irecv(piece, source=source))
            arrays.append(received)
        return arrays

    def broadcast(self, data: bytes) -> bytes:
        """Return rank 0's bytes on every rank (MPI_Bcast)."""
        (length,) = self.allreduce_max(len(data) if self.rank == 0 else 0)
        array = np.frombuffer(data, np.uint8).copy() if self.rank == 0 else np.empty(length, np.uint8)
        for piece in self._pieces(array):
            self._wait(self._comm.Ibcast(piece, root=0))
        return array.tobytes()

    def barrier(self) -> None:
        """Wait until every rank has called this (MPI_Barrier)."""
        self._wait(self._comm.Ibarrier())

    def poll_often(self, often: bool) -> None:
        """Test for messages as often as possible; or rarely, to leave the core to threads that draw documents."""
        self._pauses = PAUSES if often else PAUSES_BESIDE

    def duplicate(self) -> MPICommunicator:
        """Return the same ranks on a channel of their own, for another thread (MPI_Comm_dup)."""
        other = MPICommunicator(self._comm, watchdog=self.watchdog, max_elements=self.max_elements)
        other.sent = self.sent
        other._is_training = self._is_training
        return other

    def allgather_bytes(self, header: NDArray[Any], payload: NDArray[Any], through_first: bool = False) -> Received:
        """Return header and payload of every rank (MPI_Allgather, then MPI_Allgatherv).

        Headers have one shape; payloads are bytes of any length. Payloads go to all ranks directly, or
        ``through_first``: to rank 0, and from there to all (MPI_Gatherv, then MPI_Bcast).
        """
        head = np.append(header, len(payload)).astype(np.int64).view(np.uint8)
        first = np.zeros(len(head) + SMALL, np.uint8)
        first[: len(head)] = head
        first[len(head) : len(head) + len(payload)] = payload[:SMALL]
        gathered = np.empty((self.size, len(first)), np.uint8)
        self._wait(self._comm.Iallgather(first, gathered))
        self.sent["rapid"] += first.nbytes * (self.size - 1)
        headers = np.ascontiguousarray(gathered[:, : len(head)]).view(np.int64)
        lengths = headers[:, -1]
        if lengths.max() <= SMALL and not through_first:
            parts = [row[len(head) : len(head) + n] for row, n in zip(gathered, lengths.tolist(), strict=True)]
        else:
            parts = self._gather_payloads(payload, lengths, through_first)
        return list(zip(headers[:, :-1], parts, strict=True))

    def _gather_payloads(
        self, payload: NDArray[Any], lengths: NDArray[np.int64], through_first: bool
    ) -> list[NDArray[Any]]:
        ends = np.cumsum(lengths)
        received = np.empty(int(ends[-1]), np.uint8)
        parts = [received[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        parts[self.rank][:] = payload
        if through_first:
            self._through_first(received, parts)
        else:
            self._to_all(received, parts, lengths)
        return parts

    def _to_all(self, received: NDArray[Any], parts: list[NDArray[Any]], lengths: NDArray[np.int64]) -> None:
        self.sent["rapid"] += parts[self.rank].nbytes * (self.size - 1)
        if len(received) <= self.max_elements:
            counts = (lengths, np.cumsum(lengths) - lengths)
            self._wait(self._comm.Iallgatherv(MPI.IN_PLACE, [received, counts, MPI.BYTE]))
            return
        for owner, part in enumerate(parts):
            for piece in self._pieces(part):
                self._wait(self._comm.Ibcast(piece, root=owner))

    def _through_first(self, received: NDArray[Any], parts: list[NDArray[Any]]) -> None:
        for source, part in enumerate(parts[1:], start=1):
            for piece in self._pieces(part):
                if self.rank == 0:
                    self._wait(self._comm.Irecv(piece, source=source))
                elif self.rank == source:
                    self._wait(self._comm.Isend(piece, dest=0))
                    self.sent["rapid"] += piece.nbytes
        for piece in self._pieces(received):
            self._wait(self._comm.Ibcast(piece, root=0))
            self.sent["rapid"] += piece.nbytes * (self.size - 1) if self.rank == 0 else 0

    @contextmanager
    def training(self) -> Iterator[None]:
        """Require every rank to answer within the watchdog's time inside the block.

        Outside, file access may take longer.
        """
        self._is_training.set()
        try:
            yield
        finally:
            self._is_training.clear()

    def abort(self, error: BaseException) -> None:
        """Report an error of this rank alone, and end all ranks (MPI_Abort)."""
        if self.size == 1:
            return
        code = self._show(error) if self.report is None else self.report(error)
        sys.stdout.flush()
        time.sleep(LAST_WORDS)
        threading.Timer(PATIENCE, os._exit, [code]).start()
        MPI.COMM_WORLD.Abort(code)
        os._exit(code)  # Abort may return.

    def _end_job_if_uncaught(self) -> None:
        """End the whole job when an uncaught exception ends this process: the others would wait in vain."""
        shown_by = sys.excepthook

        def end(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
            if not is_agreed(error):
                self.abort(error)
            shown_by(kind, error, where)

        sys.excepthook = end

    def _show(self, error: BaseException) -> int:
        """Print an error as Python does, and a summary in one line; return the exit code."""
        traceback.print_exception(error)
        what = ", ".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
        print(f"topicgrove: error: rank {self.rank} on {self.host}: {what}", file=sys.stderr, flush=True)
        return PEER_LOST if isinstance(error, PeerLostError) else 1

    def _duplicate(self, comm: MPI.Comm) -> MPI.Comm:
        other, request = comm.Idup()
        self._wait(request)
        other.Set_errhandler(MPI.ERRORS_RETURN)  # Dup would have done that.
        return other

    def _processes(self) -> list[Process]:
        """Return where the ranks run."""
        names = np.zeros((self.size, HOST_BYTES), np.uint8)
        name = self.host.encode()[:HOST_BYTES]
        names[self.rank, : len(name)] = np.frombuffer(name, np.uint8)
        self._wait(self._comm.Iallgather(MPI.IN_PLACE, names))
        pids = np.zeros(self.size, np.int64)
        pids[self.rank] = os.getpid()
        self._wait(self._comm.Iallgather(MPI.IN_PLACE, pids))
        hosts = [row.tobytes().rstrip(b"\0").decode(errors="replace") for row in names]
        return list(map(Process, hosts, pids.tolist()))

    def _pieces(self, flat: NDArray[Any], limit: int | None = None) -> list[NDArray[Any]]:
        size = limit or self.max_elements
        return [flat[i : i + size] for i in range(0, len(flat), size)]

    def _wait(self, request: MPI.Request) -> None:
        """Wait for a request; raise PeerLostError if a peer has died or takes longer than the watchdog allows."""
        looks = 0
        started = time.monotonic()
        try:
            while not request.Test():
                looks += 1
                _rest(self._pauses[min(looks // LOOKS, len(self._pauses) - 1)])
                if looks % LOOKS == 0:
                    self._look_around(time.monotonic() - started)
        except MPI.Exception as error:
            raise PeerLostError(f"a peer is gone ({error})") from error

    def _look_around(self, waited: float) -> None:
        if self._peers is not None:
            self._peers.attend(waited if self._is_training.is_set() else max(0.0, waited - READING))
        elif waited > self.watchdog:
            raise PeerLostError(f"a peer has been silent for {self.watchdog:g} s, from the start on")


def _rest(seconds: float) -> None:
    """Sleep; for 0 seconds, only yield the core to other ranks that share it."""
    if seconds == 0 and hasattr(os, "sched_yield"):
        os.sched_yield()
    else:
        time.sleep(seconds)
