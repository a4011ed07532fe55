"""Ranks of one machine, and memory that they have in common.

A part of a machine's memory (NUMA node) counts as a machine where ranks are bound to its cores. One of a machine's
ranks makes a file without a name, and the others open it through ``/proc``: nothing is left behind, however a job ends.
Where that can't be done, every rank counts as a machine of its own.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from topicgrove.distributed.communicator import Communicator
    from topicgrove.distributed.peers import Process

Machines = list[list[int]]
"""The ranks of each machine."""

TRIAL = 8
"""Bytes by which it is tried."""


def find_machines(comm: Communicator, processes: Sequence[Process]) -> Machines:
    """The ranks that can have memory in common: they run on the same machine and node of it, and a trial succeeds.

    Containers on one machine, for instance, may not see each other's processes.
    """
    machines = by_machine([f"{process.node} {process.host}" for process in processes])
    first = next(ranks[0] for ranks in machines if comm.rank in ranks)
    facts = np.zeros((comm.size, 2), np.int64)
    facts[comm.rank, 0] = -1
    if comm.rank == first:
        with suppress(OSError):
            facts[first, 0], memory = create_memory(TRIAL)
            memory[:] = np.frombuffer(os.urandom(TRIAL), np.uint8)
            facts[first, 1] = memory.view(np.int64)[0]
    comm.sum(facts)
    descriptor, secret = facts[first].tolist()
    failed = np.zeros(comm.size, np.int64)
    failed[comm.rank] = 1
    with suppress(OSError):
        there = open_memory(processes[first].pid, descriptor, TRIAL).view(np.int64)[0]
        failed[comm.rank] = int(there != secret)
    comm.sum(failed)
    if comm.rank == first and descriptor >= 0:
        os.close(descriptor)
    return without(machines, set(np.flatnonzero(failed).tolist()))


def by_machine(names: list[str]) -> Machines:
    """Ranks by the name of their machine.

    >>> by_machine(["oak", "elm", "oak"])
    [[0, 2], [1]]
    """
    return [[rank for rank, name in enumerate(names) if name == machine] for machine in dict.fromkeys(names)]


def without(machines: Machines, failed: set[int]) -> Machines:
    """The same, but ranks of machines where one has ``failed`` are by themselves.

    >>> without([[0, 2], [1, 3]], {2})
    [[0], [1, 3], [2]]
    """
    parts = [[[rank] for rank in ranks] if failed.intersection(ranks) else [ranks] for ranks in machines]
    return sorted(part for some in parts for part in some)


def numa_node(folder: Path = Path("/sys/devices/system/node")) -> int:
    """Which part of the machine's memory is near to all cores that this process may run on; -1 if there is no such one.

    Ranks that are bound to one part each had better not have their matrices in common.
    """
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    for node in folder.glob("node[0-9]*"):
        with suppress(OSError, ValueError):
            if cores <= _numbers((node / "cpulist").read_text(encoding="utf-8")):
                return int(node.name.removeprefix("node"))
    return -1


def _numbers(ranges: str) -> set[int]:
    """The numbers in a list as the kernel writes it.

    >>> sorted(_numbers("0-2,7"))
    [0, 1, 2, 7]
    """
    ends = [[int(end) for end in part.split("-")] for part in ranges.split(",")]
    return {number for end in ends for number in range(end[0], end[-1] + 1)}


def create_memory(size: int) -> tuple[int, NDArray[np.uint8]]:
    """Memory of zeros, and the descriptor of its file, to be closed when others have opened it.

    OSError where the system has no such files.
    """
    if not hasattr(os, "memfd_create"):
        raise OSError("this system has no files without a name")
    descriptor = os.memfd_create("topicgrove", os.MFD_CLOEXEC)
    os.ftruncate(descriptor, size)
    return descriptor, _mapped(descriptor, size)


def open_memory(pid: int, descriptor: int, size: int) -> NDArray[np.uint8]:
    """The memory that another process has created.

    >>> descriptor, memory = create_memory(4)
    >>> open_memory(os.getpid(), descriptor, 4)[2] = 7
    >>> os.close(descriptor)
    >>> memory.tolist()
    [0, 0, 7, 0]
    """
    file = os.open(f"/proc/{pid}/fd/{descriptor}", os.O_RDWR)
    try:
        return _mapped(file, size)
    finally:
        os.close(file)


def _mapped(descriptor: int, size: int) -> NDArray[np.uint8]:
    memory = mmap.mmap(descriptor, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8)
