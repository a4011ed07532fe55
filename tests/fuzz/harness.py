"""Runs cases in a worker process, and notices what happens to it.

A case fails if the worker dies, takes too long or too much memory, if an undocumented exception escapes, or if a result
differs from the oracle's. The input of a case that failed is kept.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from .cases import Case

ROOT = Path(__file__).parents[2]
CPU_SECONDS = 20
"""Processor time of a case."""

WAITING = 180
"""Wall-clock seconds, for cases that wait forever."""

PREPARING = 1800
"""Seconds for compiling, at most."""

_SHOWN = 4000


class Failure(NamedTuple):
    """A case that failed: how, and where its input is."""

    case: Case
    kind: str
    what: str
    folder: Path | None

    def __str__(self) -> str:
        kept = "" if self.folder is None else f"\n  input: {self.folder}"
        return f"{self.case}: {self.kind}\n{self.what[-_SHOWN:]}\n  again: {command(self.case)}{kept}"


class Report(NamedTuple):
    """Outcomes of some cases: how many were accepted and refused, by target, and which failed."""

    outcomes: dict[str, Counter[str]]
    failures: list[Failure]

    def table(self) -> str:
        """Format the outcomes, one line per target."""
        names = ("accepted", "refused", "failed")
        return "\n".join(
            "  ".join([f"{target:24}", *(f"{counts[name]:6} {name}" for name in names)])
            for target, counts in self.outcomes.items()
        )


def command(case: Case) -> str:
    """Return the command that repeats a case."""
    return f"python -m tests.fuzz --case {case}"


def run_cases(
    cases: Iterable[Case],
    kept: Path,
    *,
    cpu_seconds: int = CPU_SECONDS,
    waiting: float = WAITING,
    on_failure: Callable[[Failure], None] | None = None,
) -> Report:
    """Run cases; the input of each that fails goes to a folder below ``kept``."""
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    failures = []
    with Worker(cpu_seconds, waiting) as worker:
        for case in cases:
            answer = worker.run(case, kept)
            outcomes[case.target][answer["outcome"]] += 1
            if answer["outcome"] == "failed":
                failures.append(Failure(case, answer["kind"], answer["what"], answer["folder"]))
                if on_failure is not None:
                    on_failure(failures[-1])
    return Report(outcomes, failures)


class Worker:
    """A process that runs cases, replaced by another when it dies."""

    def __init__(self, cpu_seconds: int, waiting: float) -> None:
        self._cpu_seconds = cpu_seconds
        self._waiting = waiting
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="topicgrove-fuzz-"))
        self._log = self._folder / "stderr.txt"

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def run(self, case: Case, kept: Path) -> dict[str, Any]:
        """Run a case; return the worker's answer, or what happened to it."""
        process = self._process or self._start()
        assert process.stdin is not None
        folder = self._folder / "case"
        folder.mkdir()
        process.stdin.write(f"{case} {folder}\n".encode())
        answer = self._answer(PREPARING, "while preparing")
        if "started" in answer:
            answer = self._answer(self._waiting, "")
        if answer["outcome"] == "failed":
            answer["folder"] = _keep(folder, kept / str(case).replace(":", "-"), answer)
        shutil.rmtree(folder)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        log = open(self._log, "w", encoding="utf-8")  # noqa: SIM115 - the process has it
        with log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.worker", str(self._cpu_seconds)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,  # select would miss what is buffered here.
                # One temporary folder for whatever a case leaves behind when it dies.
                env=os.environ | {"TMPDIR": str(self._folder), "TOPICGROVE_DEBUG": ""},
                start_new_session=True,
            )
        return self._process

    def _answer(self, seconds: float, when: str) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self._end()
            return _failed("hang", f"no answer within {seconds} s {when}".strip())
        line = self._process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        code = self._process.wait()
        self._end()
        if code == -signal.SIGXCPU:
            return _failed("hang", f"more than {self._cpu_seconds} s of processor time {when}\n{self._tail()}")
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return _failed("crash", f"the process ended with {how} {when}\n{self._tail()}")

    def _tail(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-_SHOWN:]

    def _end(self) -> None:
        """End the process and those that it started."""
        if self._process is None:
            return
        process, self._process = self._process, None
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        with process:
            pass


def _failed(kind: str, what: str) -> dict[str, Any]:
    return {"outcome": "failed", "kind": kind, "what": what.strip()}


def _keep(folder: Path, place: Path, answer: dict[str, Any]) -> Path:
    """Keep the input of a failed case, and how it failed."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place, symlinks=True)
    (place / "failure.txt").write_text(f"{answer['kind']}\n{answer['what']}\n", encoding="utf-8")
    return place
