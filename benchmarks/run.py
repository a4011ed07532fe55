"""Run all benchmarks, or the named ones: ``make bench ARGS="speed bandwidth"``."""

from __future__ import annotations

import importlib
import sys

NAMES = (
    "footprint",
    "bandwidth",
    "threads",
    "speed",
    "corpus_build",
    "placing",
    "quality",
    "labels",
    "words",
    "trees",
    "start",
    "seeds",
    "several_paths",
    "threshold",
    "explorer",
    "ranks",
    "scaling",
)


def main(names: list[str]) -> None:
    unknown = set(names) - set(NAMES)
    if unknown:
        raise SystemExit(f"unknown benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in names or NAMES:
        print(f"== {name}", flush=True)
        importlib.import_module(name).main()


if __name__ == "__main__":
    main(sys.argv[1:])
