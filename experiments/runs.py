"""What all experiments share: every single run is one JSON file, and a run that is there is not repeated."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.plotting.figures import save_figure
from topicgrove.whole_files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("topicgrove", "numpy", "scipy", "numba", "scikit-learn", "mpi4py", "mpich")

Settings = dict[str, Any]
"""What a run is told; it names the run."""

Row = dict[str, Any]
"""Settings and results of a run together."""


class UnavailableError(Exception):
    """A run needs something that is not here: a corpus, a package or a program."""


@dataclass(frozen=True)
class Options:
    """What the user asked for: corpora in place of the experiment's own, seeds, and whether it is only a trial."""

    corpora: tuple[str, ...] = ()
    seeds: int = 2
    tiny: bool = False

    def thinned(self, grid: Sequence[Any]) -> list[Any]:
        """A grid, or its two ends in a trial.

        >>> Options(tiny=True).thinned([1, 2, 3])
        [1, 3]
        """
        return [grid[0], grid[-1]] if self.tiny and len(grid) > 2 else list(grid)

    @property
    def n_iter(self) -> int:
        """Iterations: the paper's 70, or enough to see that it works."""
        return 6 if self.tiny else 70


@dataclass(frozen=True)
class Experiment:
    """A table or figure: which runs it needs, how one is made, and the picture of all.

    ``timed`` experiments run one at a time, lest runs disturb each other.
    """

    name: str
    title: str
    corpora: tuple[str, ...]
    plan: Callable[[Options], list[Settings]]
    measure: Callable[[Settings], Row]
    draw: Callable[[list[Row]], Figure]
    timed: bool = False
    finish: Callable[[list[Row], Path], object] | None = None
    """Writes what there is besides table and picture into the folder of results."""

    def corpora_of(self, options: Options) -> tuple[str, ...]:
        """The corpora to use."""
        return options.corpora or self.corpora


def run(experiment: Experiment, options: Options, folder: Path = RESULTS, jobs: int = 1) -> list[Row]:
    """Make the runs that are not there yet, then the CSV file and the picture of all that are."""
    home = folder / experiment.name
    home.mkdir(parents=True, exist_ok=True)
    missing = [settings for settings in experiment.plan(options) if not _path(home, settings).exists()]
    print(f"{experiment.name}: {experiment.title}; {len(missing)} runs to make", flush=True)
    for done, message in enumerate(_make(experiment, missing, home, jobs), 1):
        print(f"  {done} of {len(missing)}: {message}", flush=True)
    rows = read_rows(experiment.name, folder)
    if rows:
        write_whole(folder / f"{experiment.name}.csv", as_csv(rows))
        save_figure(experiment.draw(rows), folder / f"{experiment.name}.svg")
        if experiment.finish is not None:
            experiment.finish(rows, folder)
    return rows


def _make(experiment: Experiment, missing: list[Settings], home: Path, jobs: int) -> Iterator[str]:
    if jobs == 1 or experiment.timed or len(missing) < 2:
        yield from (_make_one(experiment.measure, settings, home) for settings in missing)
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(_make_one, experiment.measure, settings, home) for settings in missing]
        yield from (future.result() for future in futures)


def _make_one(measure: Callable[[Settings], Row], settings: Settings, home: Path) -> str:
    """Make a run and write its file, whole or not at all; a run that cannot be made here says why."""
    shown = ", ".join(f"{key} {value}" for key, value in settings.items())
    try:
        result = measure(settings)
    except UnavailableError as reason:
        return f"left out ({reason}): {shown}"
    record = {"settings": settings, "result": result, "made_with": provenance()}
    write_whole(_path(home, settings), json.dumps(record, indent=1, allow_nan=False) + "\n")
    return shown


def _path(home: Path, settings: Settings) -> Path:
    """A name that people can read, made unique by a hash of all settings."""
    text = json.dumps(settings, sort_keys=True)
    shown = re.sub(r"[^A-Za-z0-9.^+-]+", "-", "-".join(str(value) for value in settings.values())).strip("-")
    return home / f"{shown[:80]}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"


def read_rows(name: str, folder: Path = RESULTS) -> list[Row]:
    """Settings and results of all runs of an experiment that are there."""
    records = (json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / name).glob("*.json")))
    return [{**record["settings"], **record["result"]} for record in records]


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; lists become numbers with spaces between them, and what has parts of its own is left out.

    >>> print(as_csv([{"seed": 1, "levels": [1, 4]}, {"seed": 2, "perplexity": 9.5}]).strip())
    seed,levels,perplexity
    1,1 4,
    2,,9.5
    """
    text = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key, value in row.items() if not isinstance(value, dict)))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = {key: row.get(key) for key in columns}
        writer.writerow({key: " ".join(map(str, v)) if isinstance(v, list) else v for key, v in cells.items()})
    return text.getvalue()


def provenance() -> dict[str, Any]:
    """The machine and the versions that a run was made with."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_average": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "packages": {name: known for name in PACKAGES if (known := _version(name))},
        "commit": _commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # another system than Linux
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The commit of the sources, marked if they were changed since; None where git does not know them."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
