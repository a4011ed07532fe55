"""Whether ``mpiexec`` or ``srun`` started this process as one of several; and how such a job ends when one fails."""

from __future__ import annotations

import os
import threading
import time

from topicgrove.distributed.communicator import Communicator
from topicgrove.extras import needed

STARTED_BY = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PALS_NODEID")
"""Variables that MPICH and its kin, Open MPI, and PMIx set for the processes of a job."""

PATIENCE = 0.5
"""Seconds that MPI gets to end the job; then this process ends by itself, for a cut network may hold MPI up."""

LAST_WORDS = 0.3
"""Seconds that the launcher gets to pass on what this process has printed: ending the job, it would not wait for it."""

PEER_LOST = 75
"""Exit code of a job that lost a process; it can be resumed from its checkpoint."""

_current: Communicator | None = None


def is_started_by_mpi() -> bool:
    """Whether a launcher of MPI started this process, as one of several."""
    if any(os.environ.get(name) == "1" for name in STARTED_BY[:2]):
        return False
    return any(name in os.environ for name in STARTED_BY)


def communicator(watchdog: float | None = None) -> Communicator:
    """The processes that this one was started with, through MPI; alone otherwise, without touching MPI.

    Parameters
    ----------
    watchdog : float, default=None
        Seconds of silence after which a process counts as lost.

    Examples
    --------
    >>> communicator().size
    1
    """
    global _current
    if _current is None:
        _current = _of_mpi(watchdog) if is_started_by_mpi() else Communicator()
    return _current


def _of_mpi(watchdog: float | None) -> Communicator:
    with needed("mpi4py", "a process that is one of several (started by mpiexec or srun)"):
        from topicgrove.distributed.mpi import WATCHDOG, MPICommunicator
        from topicgrove.distributed.peers import hear_of_deaths
    hear_of_deaths()
    return MPICommunicator(watchdog=watchdog or WATCHDOG)


def is_shared() -> bool:
    """Whether several processes have been found to work together here."""
    return _current is not None and _current.size > 1


def who() -> str:
    """The name of this process among the others, for messages."""
    return "" if _current is None or _current.size == 1 else f"rank {_current.rank} on {_current.host}: "


def end_job(code: int) -> None:
    """End all processes of the job with an exit code, this one included."""
    assert _current is not None
    time.sleep(LAST_WORDS)
    threading.Timer(PATIENCE, os._exit, [code]).start()
    _current.abort(code)
