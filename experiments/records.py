"""Results on disk: a JSON Lines file per experiment, with a line per run.

A run is identified by its settings and by the kernels' sources. Lines are only ever appended, each in one piece, so
that processes can append at the same time and a stopped experiment can resume.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"

Settings = dict[str, Any]
"""The settings of a run."""

Row = dict[str, Any]
"""Settings and results of a run together."""


@dataclass(frozen=True)
class Record:
    """A run: its settings, its result, and its provenance."""

    settings: Settings
    result: Row
    made_with: dict[str, Any]

    @property
    def row(self) -> Row:
        """Settings and results together."""
        return {**self.settings, **self.result}

    @property
    def name(self) -> str:
        """The settings as text, independent of their order."""
        return json.dumps(self.settings, sort_keys=True)

    def is_of(self, kernels: str) -> bool:
        """Whether kernels with this hash made it; False if the hash is unknown."""
        return bool(self.made_with.get("kernels") == kernels)


def file_of(name: str, folder: Path = RESULTS) -> Path:
    """Return the file with the runs of an experiment."""
    return folder / f"{name}.jsonl"


def append(path: Path, record: Record) -> None:
    """Append a line, whole or not at all, and sync it to disk; other processes wait their turn."""
    line = json.dumps(asdict(record), allow_nan=False).encode() + b"\n"
    with open(path, "ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(_end_of_lines(path))
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def _end_of_lines(path: Path) -> int:
    """Return the bytes up to the end of the last whole line: a killed process may have left part of a line."""
    return path.read_bytes().rfind(b"\n") + 1


def read_records(name: str, folder: Path = RESULTS) -> list[Record]:
    """Read all runs of an experiment ever made, in order."""
    path = file_of(name, folder)
    if not path.exists():
        return []
    lines = path.read_bytes()[: _end_of_lines(path)].splitlines()
    return [_record(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]


def _record(line: bytes, place: str) -> Record:
    try:
        return Record(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{place}: not a run with settings, result and made_with: {error}") from error


def latest(records: Iterable[Record], kernels: str) -> list[Record]:
    """Return one run per settings, in their order: a run by these kernels if it exists, or else the last one.

    >>> old, new, last = (Record({"seed": 1}, {"p": p}, {"kernels": of}) for p, of in ((1, "a"), (2, "b"), (3, "c")))
    >>> [record.result["p"] for record in latest([old, new, last], "b")]
    [2]
    >>> [record.result["p"] for record in latest([old, new, last], "d")]
    [3]
    """
    found: dict[str, Record] = {}
    for record in records:
        known = found.get(record.name)
        if known is None or record.is_of(kernels) or not known.is_of(kernels):
            found[record.name] = record
    return [found[name] for name in sorted(found)]
