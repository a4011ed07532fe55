"""Run experiments: ``python experiments/run.py quality threshold --seeds 3``; without names, it runs all.

Runs that the current kernels have already made are not repeated, so that a stopped experiment resumes. Results are in
experiments/results. Sources must be committed, except for a trial.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.provenance import SourcesError
from experiments.records import RESULTS
from experiments.runs import Experiment, Options, run

NAMES = (
    "scale",
    "quality",
    "threshold",
    "running_time",
    "early_phase",
    "scalability",
    "tree_picture",
    "recovery",
)


def experiment_of(name: str) -> Experiment:
    """Return the experiment that the file of this name defines."""
    found = importlib.import_module(f"experiments.{name}").EXPERIMENT
    assert isinstance(found, Experiment)
    return found


def main(arguments: list[str] | None = None) -> None:
    """Run the requested experiments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    parser.add_argument("--corpus", action="append", default=[], help="file, or name of a corpus; may be repeated")
    parser.add_argument("--seeds", type=int, default=2, help="how many seeds (default 2)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once, of experiments that are not about time")
    parser.add_argument("--results", type=Path, help="folder for results")
    parser.add_argument("--tiny", action="store_true", help="a trial with few iterations, in a folder of its own")
    given = parser.parse_args(arguments)
    unknown = set(given.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown experiment {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for option in ("seeds", "jobs"):
        if getattr(given, option) < 1:
            parser.error(f"--{option} must be at least 1; got {getattr(given, option)}")
    options = Options(tuple(given.corpus), given.seeds, given.tiny)
    folder = given.results or (RESULTS / "tiny" if given.tiny else RESULTS)
    try:
        for name in given.names or NAMES:
            run(experiment_of(name), options, folder, given.jobs)
    except SourcesError as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    # Unlike the signal itself, an exit ends the processes that a run has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
