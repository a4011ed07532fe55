"""Detection of lost ranks: a waiting rank calls the others, and names those that do not answer.

Calls go out early: libraries under MPI drop a silent connection after some seconds, and UCX crashes a process that
sends over a dropped one.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topicgrove.communication.communicator import PeerLostError

if TYPE_CHECKING:
    from mpi4py import MPI

CALL_AFTER = 5.0
"""Seconds that a rank waits, at most, before it calls the others."""

FIRST_WORD = 0.5
"""Seconds that ranks wait for those on the machine of a dead rank, which can name it."""

PAUSE = 0.02

NAMED = 4
"""The most ranks that a message names."""

CALL, HERE = 1, 2

_death = threading.Event()


class Process(NamedTuple):
    """Where a rank runs."""

    host: str
    pid: int


def hear_of_deaths() -> None:
    """Handle SIGUSR1, which MPICH's ``mpiexec -disable-auto-cleanup`` sends to the living ranks when one has died.

    Without a handler, it would end them before they report anything. A handler of the program is kept. Windows has no
    such signal.
    """
    if sys.platform == "win32":
        return
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
        signal.signal(signal.SIGUSR1, _on_death)


def _on_death(number: int, frame: FrameType | None) -> None:
    _death.set()


class Peers:
    """The ranks of a communicator that is used only for these calls.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    processes : list of Process
        By rank.
    watchdog : float
        Seconds after which a silent peer is lost.
    """

    def __init__(self, comm: MPI.Comm, processes: list[Process], watchdog: float) -> None:
        self._comm = comm
        self._rank = comm.Get_rank()
        self._processes = processes
        self._watchdog = watchdog
        self._call_after = min(CALL_AFTER, watchdog / 2)
        self._n_calls = 0
        self._has_called = False
        self._silent: set[int] = set()
        self._sent: list[MPI.Request] = []

    def attend(self, waited: float) -> None:
        """Answer calls, and call if needed; raise PeerLostError once waiting ``waited`` seconds is in vain."""
        if _death.is_set():
            raise PeerLostError(f"a process of the job has died ({self._dead()})")
        self._listen()
        if waited > self._watchdog:
            raise PeerLostError(f"a peer has been silent for {self._watchdog:g} s ({self._missing()})")
        if waited < self._call_after:
            self._has_called = False
        elif not self._has_called:
            self._call()

    def _call(self) -> None:
        self._has_called = True
        self._n_calls += 1
        self._silent = set(range(len(self._processes))) - {self._rank}
        for rank in self._silent:
            self._say(rank, CALL, self._n_calls)

    def _listen(self) -> None:
        from mpi4py import MPI

        status, number = MPI.Status(), np.zeros(1, np.int64)
        while self._comm.Iprobe(status=status):
            source, tag = status.Get_source(), status.Get_tag()
            self._comm.Recv(number, source=source, tag=tag)
            if tag == CALL:
                self._say(source, HERE, int(number[0]))
            elif number[0] == self._n_calls:
                self._silent.discard(source)

    def _say(self, rank: int, tag: int, number: int) -> None:
        # Requests hold what they send, so keep them until it is sent.
        self._sent = [request for request in self._sent if not request.Test()]
        self._sent.append(self._comm.Isend(np.array([number], np.int64), dest=rank, tag=tag))

    def _missing(self) -> str:
        return f"no answer from {self._names(self._silent)}" if self._silent else "all have answered, but are stuck"

    def _dead(self) -> str:
        here = self._processes[self._rank].host
        mine = {rank: process.pid for rank, process in enumerate(self._processes) if process.host == here}
        deadline = time.monotonic() + FIRST_WORD
        # The launcher may report a death before the process is gone.
        while time.monotonic() < deadline:
            if dead := {rank for rank, pid in mine.items() if not _is_alive(pid)}:
                return self._names(dead)
            time.sleep(PAUSE)
        return f"not one on {here}"

    def _names(self, ranks: set[int]) -> str:
        named = [f"rank {rank} on {self._processes[rank].host}" for rank in sorted(ranks)[:NAMED]]
        return ", ".join(named) + (f" and {len(ranks) - NAMED} more" if len(ranks) > NAMED else "")


def _is_alive(pid: int) -> bool:
    """Return whether a process of this machine runs; zombies do not.

    >>> _is_alive(1), _is_alive(2**30)
    (True, False)
    """
    if sys.platform != "linux":
        return _takes_signals(pid)
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        state = text.rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


def _takes_signals(pid: int) -> bool:
    """Return the same where there is no /proc; zombies count as running."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
