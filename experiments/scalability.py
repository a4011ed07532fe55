"""Figure 7: perplexity and speed-up against threads, and against processes that MPI connects, on this machine.

Speed-up is computed from the wall-clock seconds of all iterations, and is meaningful only on a quiet machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.figures import chosen, curve, label, mean_and_error, panels, values
from experiments.fits import fit, load, score, split
from experiments.provenance import PYTHONPATH
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options, UnavailableError
from topicgrove.workers import available_cores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARAMETERS: dict[str, Any] = {"alpha": 0.2, "beta": [0.6, 0.3, 0.12, 0.12], "gamma": 6e-6}
RANK_PROGRAM = Path(__file__).parent / "rank_program.py"
WAYS = ("threads", "ranks")


def plan(options: Options) -> list[Settings]:
    """Return settings for 1, 2, 4, ... threads, and as many ranks of one thread each, up to the number of cores."""
    cores = 2 if options.tiny else available_cores()
    counts = sorted({1, cores, *(2**k for k in range(1, cores.bit_length()) if 2**k <= cores)})
    return [
        {"corpus": corpus, "way": way, "n": n, "n_iter": options.n_iter, "seed": seed}
        for seed in range(1, options.seeds + 1)
        for corpus in EXPERIMENT.corpora_of(options)
        for way in WAYS
        for n in counts
    ]


def measure(settings: Settings) -> Row:
    """Train in the given number of threads or ranks, and score."""
    parameters = {**PARAMETERS, "n_iter": settings["n_iter"], "random_state": settings["seed"]}
    if settings["way"] == "ranks":
        return _measure_ranks(settings["corpus"], settings["n"], parameters)
    train, test = split(load(settings["corpus"]))
    model, row = fit(train, n_jobs=settings["n"], **parameters)
    sweeps = sum(sweep["seconds"] for sweep in model.history_)
    return {**row, "sweep_seconds": round(sweeps, 4), "perplexity": score(model, test)}


def _measure_ranks(corpus: str, n_ranks: int, parameters: dict[str, Any]) -> Row:
    # Prefer the interpreter's own mpiexec: it belongs to the library that mpi4py finds.
    mpiexec = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    if mpiexec is None:
        raise UnavailableError("mpiexec is not there: pip install 'topicgrove[mpi]'")
    load(corpus)  # fails here if the corpus is missing
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "row.json"
        task = json.dumps({"corpus": corpus, "parameters": parameters, "out": str(out)})
        command = [mpiexec, "-n", str(n_ranks), sys.executable, str(RANK_PROGRAM), task]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": PYTHONPATH})
        row: Row = json.loads(out.read_text(encoding="utf-8"))
    return row


def speed_up(rows: list[Row], corpus: str, way: str, n: int) -> float | None:
    """Return how many times as fast n threads or ranks are as one."""
    one, many = (chosen(rows, corpus=corpus, way=way, n=k) for k in (1, n))
    if not one or not many:
        return None
    return mean_and_error(one, "sweep_seconds")[0] / mean_and_error(many, "sweep_seconds")[0]


def draw(rows: list[Row]) -> Figure:
    """Draw perplexity and speed-up."""
    figure, (quality, speed) = panels(["perplexity", "speed-up"])
    number = 0
    for corpus in values(rows, "corpus"):
        for way in WAYS:
            some = chosen(rows, corpus=corpus, way=way)
            if not some:
                continue
            curve(quality, some, "n", "perplexity", f"{corpus}, {way}", number)
            one = mean_and_error(chosen(some, n=1), "sweep_seconds")[0]
            ratios = [{**row, "speed_up": one / row["sweep_seconds"]} for row in some]
            curve(speed, ratios, "n", "speed_up", f"{corpus}, {way}", number)
            number += 1
    most = max(values(rows, "n"))
    speed.plot([1, most], [1, most], color="grey", linestyle=":", label="perfect")
    label(quality, "threads or ranks", "held-out perplexity")
    label(speed, "threads or ranks", "times as fast as one")
    return figure


EXPERIMENT = Experiment("scalability", "threads and ranks (Figure 7)", ("20news",), plan, measure, draw, True)
