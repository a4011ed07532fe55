"""The process that runs cases, one after the other, under limits of time and memory.

It reads ``target:seed folder`` lines and writes two lines of JSON for each: one when everything is prepared, one with
the outcome. If it dies in between, the case is to blame.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Case, Target, find_target

MEMORY = 2**30
"""Bytes that the resident memory may grow by during a case."""

ADDRESSES = 4 * 2**30
"""Bytes that the address space may grow by: what asks for more gets a MemoryError."""


class TooMuchMemory(Exception):  # noqa: N818 - a limit, no mistake of the harness
    """A case used too much memory for its input."""


def run_case(target: Target, case: Case, folder: Path, cpu_seconds: int) -> dict[str, Any]:
    """Run a case: "accepted", "refused" or "failed", and why."""
    try:
        with limits(cpu_seconds):
            given = target.generate(case.rng(), folder)
            (folder / "input.txt").write_text(f"{given!r}\n", encoding="utf-8", errors="backslashreplace")
            return {"outcome": _outcome(target, given)}
    except BaseException as error:
        what = "".join(traceback.format_exception(error, limit=-12)).strip()
        return {"outcome": "failed", "kind": type(error).__name__, "what": what}


def _outcome(target: Target, given: Any) -> str:
    try:
        result = target.run(given)
    except target.refusals as error:
        target.check_refusal(given, error)
        return "refused"
    target.check(given, result)
    return "accepted"


@contextmanager
def limits(cpu_seconds: int) -> Iterator[None]:
    """Bound processor time, address space and resident memory.

    Time on the clock would depend on what else the machine does. The kernel ends the process at the limit.
    """
    used = time.process_time()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # The peak of the resident memory is that from here on.
    before = memory("VmRSS")
    _set_soft(resource.RLIMIT_CPU, int(used) + 1 + cpu_seconds)
    _set_soft(resource.RLIMIT_AS, memory("VmSize") + ADDRESSES)
    try:
        yield
    finally:
        _set_soft(resource.RLIMIT_CPU, resource.RLIM_INFINITY)
        _set_soft(resource.RLIMIT_AS, resource.RLIM_INFINITY)
    grown = memory("VmHWM") - before
    if grown > MEMORY:
        raise TooMuchMemory(f"the resident memory grew by {grown / 2**20:.0f} MiB; the limit is {MEMORY / 2**20:.0f}")


def memory(name: str) -> int:
    """One of the kernel's figures of this process's memory, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(f"{name}:"))


def _set_soft(what: int, limit: int) -> None:
    resource.setrlimit(what, (limit, resource.getrlimit(what)[1]))


def main() -> None:
    """Answer until there are no more cases."""
    cpu_seconds = int(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Output of the program must not be taken for an answer.
    os.fsync = lambda file: None  # Files need not survive a crash of the machine.
    faulthandler.enable()
    faulthandler.register(signal.SIGXCPU, chain=True)
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", message=r"\d+ of \d+ documents are empty")
    warnings.filterwarnings("ignore", message=r".*: \d+ documents have the id of an earlier one")
    np.set_printoptions(threshold=10_000)
    prepared: set[str] = set()

    def answer(value: dict[str, Any]) -> None:
        print(json.dumps(value), file=answers, flush=True)

    for line in sys.stdin:
        name, folder = line.rstrip("\n").split(" ", 1)
        case = Case.of(name)
        target = find_target(case.target)
        if case.target not in prepared:
            target.prepare()
            prepared.add(case.target)
        answer({"started": name})
        answer(run_case(target, case, Path(folder), cpu_seconds))


if __name__ == "__main__":
    main()
