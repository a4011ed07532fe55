"""What all experiments share. Runs that the current kernels have already made are not repeated."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.provenance import Code, SourcesError, check_committed, code, provenance
from experiments.records import RESULTS, Record, Row, Settings, append, file_of, latest, read_records
from topicgrove.kernels.cache import sources_hash
from topicgrove.plotting.figures import save_figure
from topicgrove.whole_files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class UnavailableError(Exception):
    """A run needs a corpus, a package or a program that is missing."""


@dataclass(frozen=True)
class Options:
    """The user's choices: corpora instead of the experiment's own, seeds, and whether it is only a trial."""

    corpora: tuple[str, ...] = ()
    seeds: int = 2
    tiny: bool = False

    def thinned(self, grid: Sequence[Any]) -> list[Any]:
        """Return a grid, or its two ends in a trial.

        >>> Options(tiny=True).thinned([1, 2, 3])
        [1, 3]
        """
        return [grid[0], grid[-1]] if self.tiny and len(grid) > 2 else list(grid)

    @property
    def n_iter(self) -> int:
        """Iterations: the paper's 70, or just enough to see that it works."""
        return 6 if self.tiny else 70


@dataclass(frozen=True)
class Experiment:
    """A table or figure: the runs it needs, how to make one, and the picture of all.

    ``timed`` experiments run one at a time, so that they don't disturb each other.
    """

    name: str
    title: str
    corpora: tuple[str, ...]
    plan: Callable[[Options], list[Settings]]
    measure: Callable[[Settings], Row]
    draw: Callable[[list[Row]], Figure]
    timed: bool = False
    finish: Callable[[list[Row], Path], object] | None = None
    """Writes any further output, besides table and picture, into the folder of results."""

    def corpora_of(self, options: Options) -> tuple[str, ...]:
        """Return the corpora to use."""
        return options.corpora or self.corpora


def run(experiment: Experiment, options: Options, folder: Path = RESULTS, jobs: int = 1) -> list[Row]:
    """Make the runs that these kernels have not made yet, then the CSV file and the picture of all runs.

    Raises SourcesError if sources are not committed, except for a trial.
    """
    if not options.tiny:
        check_committed()
    folder.mkdir(parents=True, exist_ok=True)
    missing, n_older = _missing(experiment, options, folder)
    again = f", {n_older} of them again: other kernels made their results" if n_older else ""
    print(f"{experiment.name}: {experiment.title}; {len(missing)} runs to make{again}", flush=True)
    for done, message in enumerate(_make(experiment, missing, folder, jobs), 1):
        print(f"  {done} of {len(missing)}: {message}", flush=True)
    rows = read_rows(experiment.name, folder)
    if rows:
        write_whole(folder / f"{experiment.name}.csv", as_csv(rows))
        save_figure(experiment.draw(rows), folder / f"{experiment.name}.svg")
        if experiment.finish is not None:
            experiment.finish(rows, folder)
    return rows


def _missing(experiment: Experiment, options: Options, folder: Path) -> tuple[list[Settings], int]:
    """Return the settings to run, and how many of them have results of other kernels."""
    kernels = sources_hash()
    known = {record.name: record.is_of(kernels) for record in latest(read_records(experiment.name, folder), kernels)}
    names = {Record(settings, {}, {}).name: settings for settings in experiment.plan(options)}
    missing = [name for name in names if not known.get(name)]
    return [names[name] for name in missing], sum(name in known for name in missing)


def _make(experiment: Experiment, missing: list[Settings], folder: Path, jobs: int) -> Iterator[str]:
    path, of_code = file_of(experiment.name, folder), code()
    if jobs == 1 or experiment.timed or len(missing) < 2:
        yield from (_make_one(experiment.measure, settings, path, of_code) for settings in missing)
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(_make_one, experiment.measure, settings, path, of_code) for settings in missing]
        try:
            yield from (future.result() for future in as_completed(futures))
        finally:
            pool.shutdown(cancel_futures=True)


def _make_one(measure: Callable[[Settings], Row], settings: Settings, path: Path, of_code: Code) -> str:
    """Make a run and add it to the file; if it cannot be made here, say why."""
    shown = ", ".join(f"{key} {value}" for key, value in settings.items())
    try:
        result = measure(settings)
    except UnavailableError as reason:
        return f"left out ({reason}): {shown}"
    if code() != of_code:
        raise SourcesError(f"sources or the commit changed during a run, whose result is not kept: {shown}")
    append(path, Record(settings, result, provenance(of_code)))
    return shown


def read_rows(name: str, folder: Path = RESULTS) -> list[Row]:
    """Read settings and results of all runs of an experiment, preferring runs of the current kernels."""
    return [record.row for record in latest(read_records(name, folder), sources_hash())]


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Format rows as CSV; lists become numbers separated by spaces, and nested values are left out.

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
