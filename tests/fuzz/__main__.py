"""``python -m tests.fuzz``, or ``make fuzz``: run cases for a given time, or repeat some cases."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .cases import Case, Target, all_targets, draw_cases
from .harness import run_cases


def main() -> int:
    """Run cases; the exit code says whether any failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=None, help="of the first case (default: drawn, and printed)")
    parser.add_argument("--only", default="", help="targets whose names start like this, such as readers or models.raw")
    parser.add_argument("--case", type=Case.of, action="append", help="run this case again, such as readers.uci:7")
    parser.add_argument("--keep", type=Path, default=None, help="folder for inputs of cases that fail")
    options = parser.parse_args()
    targets = {name: target for name, target in all_targets().items() if name.startswith(options.only)}
    kept = options.keep or Path(tempfile.mkdtemp(prefix="topicgrove-fuzz-kept-"))
    seed = secrets.randbelow(2**40) if options.seed is None else options.seed
    cases = options.case or until(time.monotonic() + 60 * options.minutes, targets, seed)
    if not options.case:
        print(f"seed {seed}, {len(targets)} targets, {options.minutes:g} minutes; inputs that fail are kept in {kept}")
    report = run_cases(cases, kept, on_failure=lambda failure: print(f"\n{failure}", flush=True))
    print(f"\n{len(report.failures)} failures")
    print(report.table())
    return 1 if report.failures else 0


def until(end: float, targets: dict[str, Target], seed: int) -> Iterator[Case]:
    """Run rounds over all targets until the time is up."""
    while True:
        for case in draw_cases(targets, seed, 1):
            if time.monotonic() > end:
                return
            yield case
        seed += max(target.share for target in targets.values())


if __name__ == "__main__":
    sys.exit(main())
