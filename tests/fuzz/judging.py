"""Judge mutations one by one in a separate process, since one that no check finds could end or block it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

PATIENCE = 600
ROOT = Path(__file__).parents[2]


class Target(Protocol):
    """Something on disk that can be changed in many places."""

    name: str

    def places(self) -> list[tuple[str, str]]:
        """List everything that can be changed, as (file, array or fact)."""

    def judge(self, file: str, name: str, rng: np.random.Generator) -> Iterator[str]:
        """Change it; yield what was done, then the verdict: refused, same, another, or what is wrong."""


def judge_all(targets: Iterable[Target], seed: int, n_mutations: int) -> None:
    """Print a line of JSON before and after every mutation; all places take turns, in a random order."""
    rng = np.random.default_rng(seed)
    places = [(target, *place) for target in targets for place in target.places()]
    order = rng.permutation(len(places))
    for number in range(n_mutations):
        target, file, name = places[order[number % len(places)]]
        verdicts = target.judge(file, name, rng)
        report = {"number": number, "target": target.name, "file": file, "name": name, "what": next(verdicts)}
        print(json.dumps(report), flush=True)
        try:
            report["verdict"] = next(verdicts)
        except Exception as error:
            report["verdict"] = f"{type(error).__name__}: {error}"
        print(json.dumps(report), flush=True)


def reports_of(program: str, folder: Path, n_mutations: int) -> list[dict[str, Any]]:
    """The reports of ``python -m tests.fuzz.PROGRAM``; AssertionError if it ended early, with what it was at."""
    output, errors = folder / "output", folder / "errors"
    command = [sys.executable, "-m", f"tests.fuzz.{program}", str(folder), "0", str(n_mutations)]
    with output.open("w") as out, errors.open("w") as err:
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=os.environ, stdout=out, stderr=err, timeout=PATIENCE, check=False
            )
            code = str(done.returncode)
        except subprocess.TimeoutExpired:
            code = "no end"
    reports = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert code == "0", f"ended with {code} in {reports[-1:]}: {errors.read_text()[-2000:]}"
    return [report for report in reports if "verdict" in report]


def assert_judged(reports: list[dict[str, Any]], n_mutations: int, *, most_others: float) -> None:
    """All were judged, none is wrong, most were refused, and not many are excused as something else that is legal."""
    assert [report for report in reports if report["verdict"] not in ("refused", "same", "another")] == []
    verdicts = [report["verdict"] for report in reports]
    assert len(verdicts) == n_mutations
    assert verdicts.count("refused") > 0.4 * n_mutations
    assert verdicts.count("another") < most_others * n_mutations
