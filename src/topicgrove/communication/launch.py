"""Detect a start by ``mpiexec`` or ``srun`` as one of several processes, and end such a job when one fails."""

from __future__ import annotations

import os
from collections.abc import Callable

from topicgrove.communication.communicator import Communicator
from topicgrove.communication.together import is_agreed
from topicgrove.extras import needed

STARTED_BY = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PALS_NODEID")
"""Variables that MPICH and its relatives, Open MPI, and PMIx set for the processes of a job."""

_current: Communicator | None = None


def is_started_by_mpi() -> bool:
    """Return whether an MPI launcher started this process as one of several."""
    if any(os.environ.get(name) == "1" for name in STARTED_BY[:2]):
        return False
    return any(name in os.environ for name in STARTED_BY)


Report = Callable[[BaseException], int]


def communicator(watchdog: float | None = None, report: Report | None = None) -> Communicator:
    """Return the communicator of the processes started together; without MPI, that of this process alone.

    Parameters
    ----------
    watchdog : float, default=None
        Seconds of silence after which a process counts as lost.
    report : callable, default=None
        Prints an error that ends the job, and returns the exit code. None prints a traceback.

    Examples
    --------
    >>> communicator().size
    1
    """
    global _current
    if _current is None:
        _current = _of_mpi(watchdog, report) if is_started_by_mpi() else Communicator()
    return _current


def _of_mpi(watchdog: float | None, report: Report | None) -> Communicator:
    with needed("mpi4py", "a process that is one of several (started by mpiexec or srun)"):
        from topicgrove.communication.mpi import WATCHDOG, MPICommunicator
        from topicgrove.communication.peers import hear_of_deaths
    hear_of_deaths()
    return MPICommunicator(watchdog=watchdog or WATCHDOG, report=report)


def who() -> str:
    """Return this process's name among the others, as a prefix of messages."""
    return "" if _current is None or _current.size == 1 else f"rank {_current.rank} on {_current.host}: "


def is_first() -> bool:
    """Return whether this process is alone or the first of several."""
    return _current is None or _current.rank == 0


def abort(error: BaseException) -> None:
    """End the job if this process is one of several, unless all of them raise this error."""
    if _current is not None and not is_agreed(error):
        _current.abort(error)
