"""Measure free memory, and refuse input that claims more."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import ctypes
else:
    import resource

# Control groups, versions 2 and 1: mount point, files of limit and use, entry of cached files in "stat".
_GROUPS = {
    "": ("sys/fs/cgroup", "memory.max", "memory.current", ("inactive_file", "active_file")),
    "memory": (
        "sys/fs/cgroup/memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
}


def check_fits(claim: str, n_bytes: float) -> None:
    """Raise ValueError if something takes more memory than is free.

    >>> check_fits("notes.txt:1: the header says 3 documents", 72)
    >>> check_fits("notes.txt:1: the header says 10 documents", 2**60)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: notes.txt:1: the header says 10 documents, which take 1073741824.0 GiB; ... GiB are free
    """
    free = free_memory()
    if n_bytes > free:
        raise ValueError(f"{claim}, which take {n_bytes / 2**30:.1f} GiB; {free / 2**30:.1f} GiB are free")


def free_memory(root: Path = Path("/")) -> float:
    """Return the bytes that this process can still get: what the machine, its control groups and its limit leave.

    Returns infinity where the system, whose files are below ``root``, does not say.
    """
    free = min(_of_machine(root), _of_address_space(root))
    return max(0, min((free, *_of_groups(root, free))))


def _of_machine(root: Path) -> float:
    if sys.platform == "win32":
        return _of_windows()
    if sys.platform == "darwin":
        # The whole memory: the system has no file that says how much is free.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _entries(root / "proc/meminfo").get("MemAvailable:", math.inf) * 1024


if sys.platform == "win32":

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX of the Windows API; sizes are in bytes."""

        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            ("physical", ctypes.c_uint64),
            ("available_physical", ctypes.c_uint64),
            ("page_file", ctypes.c_uint64),
            ("available_page_file", ctypes.c_uint64),
            ("virtual", ctypes.c_uint64),
            ("available_virtual", ctypes.c_uint64),
            ("available_extended_virtual", ctypes.c_uint64),
        )

    def _of_windows() -> float:
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
            return math.inf
        return float(min(status.available_physical, status.available_page_file))


def _of_address_space(root: Path) -> float:
    if sys.platform == "win32":
        return math.inf
    else:
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return math.inf
        pages = _text(root / "proc/self/statm").split()
        return limit - (int(pages[0]) if pages else 0) * os.sysconf("SC_PAGE_SIZE")


def _of_groups(root: Path, free: float) -> Iterator[float]:
    """Give what each control group of this process, and each above it, leaves if that is less than ``free``."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        name = "memory" if "memory" in controllers.split(",") else controllers
        if name not in _GROUPS:
            continue
        mount, limit_file, use_file, cached = _GROUPS[name]
        top = root / mount
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):
            limit, use = _text(folder / limit_file).strip(), _text(folder / use_file).strip()
            if limit.isdigit() and use.isdigit() and int(limit) - int(use) < free:
                entries = _entries(folder / "memory.stat")
                yield int(limit) - int(use) + sum(entries.get(entry, 0) for entry in cached)
            if folder == top:
                break


def _entries(path: Path) -> dict[str, float]:
    """Read the numbers of a file of lines "name number"."""
    fields = (line.split() for line in _text(path).splitlines())
    return {line[0]: int(line[1]) for line in fields if len(line) > 1 and line[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
