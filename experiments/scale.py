"""Scale on one machine: tokens per second and core, and bytes per token, on a synthetic corpus like ClueWeb12.

100,000 words by Zipf's law, five levels, about 1,700 topics, 50 to 500 tokens per document and 210 on average. The
paper's corpus has 131 million documents, so nearly all of its topics are slow; here, a small M has the same effect.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.figures import chosen, curve, label, panels
from experiments.provenance import PYTHONPATH
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options
from topicgrove.workers import available_cores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROGRAM = Path(__file__).parent / "scale_program.py"
ONE_THREAD: dict[str, Any] = {"n_docs": 60_000, "training_beta_0": 0.024, "log_gamma": -40.0, "collapse_below": 16}
ALL_CORES: dict[str, Any] = {"n_docs": 300_000, "training_beta_0": 0.042, "log_gamma": -140.0, "collapse_below": 64}
"""Chosen for about 1,700 topics. Words follow Zipf's law, which the symmetric beta of training ignores: the corpus's
own beta would be too small, and beta and gamma allow more topics the more documents there are."""

SHAPE: dict[str, Any] = {
    "n_words": 100_000,
    "branching": [12, 4, 4, 7],
    "beta": [0.01, 0.005, 0.002, 0.001, 0.001],
}
"""With five times these betas, topics are so similar that the tree shrinks to a few hundred topics in training."""

FEW: dict[str, Any] = {"n_docs": 200, "training_beta_0": 0.015, "log_gamma": -2.0, "collapse_below": 4}
TINY: dict[str, Any] = {**SHAPE, "n_words": 500, "branching": [2, 2, 1, 2], "beta": [0.5, 0.25, 0.1, 0.05, 0.05]}

PAPER_TOKENS, PAPER_ITERATIONS, PAPER_TOPICS = 2.8e10, 70, 1_722
PAPER_CORE_HOURS = 50 * 24 * 7.0
"""50 machines of 24 cores for 7 hours."""

BAR = PAPER_TOKENS * PAPER_ITERATIONS / (24 * 7 * 3600)
"""Tokens per second and core at which one machine with 24 cores does that job in 7 hours: 3.2 million."""


def plan(options: Options) -> list[Settings]:
    """Return the settings: one thread, then all cores and more documents; every seed draws its own corpus."""
    sizes = [(FEW, 1), (FEW, 2)] if options.tiny else [(ONE_THREAD, 1), (ALL_CORES, available_cores())]
    rest = {"n_iter": options.n_iter, "init_iterations": 3 if options.tiny else 32, **(TINY if options.tiny else SHAPE)}
    seeds = range(1, options.seeds + 1)
    return [{**size, "n_threads": n, "seed": seed, **rest} for seed in seeds for size, n in sizes]


def measure(settings: Settings) -> Row:
    """Make the corpus in one process and train in another, so that peak memory is that of training."""
    with tempfile.TemporaryDirectory() as folder:
        for step in ("make", "train"):
            _call(step, settings, folder)
        row: Row = json.loads((Path(folder) / "row.json").read_text(encoding="utf-8"))
    return row


def _call(step: str, settings: Settings, folder: str) -> None:
    command = [sys.executable, str(PROGRAM), step, json.dumps(settings), folder]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": PYTHONPATH})


def core_hours(rate: float) -> float:
    """Return the core-hours of the paper's job, 28 G tokens and 70 iterations, at a rate in tokens per second."""
    return PAPER_TOKENS * PAPER_ITERATIONS / rate / 3600


def draw(rows: list[Row]) -> Figure:
    """Draw rate and topics by iteration: means over seeds, with the standard deviation at every tenth."""
    figure, (rate, topics) = panels(["rate of training", "size of the tree"])
    for number, (n_docs, n_threads) in enumerate(sorted({(row["n_docs"], row["n_threads"]) for row in rows})):
        sweeps = [sweep for row in chosen(rows, n_docs=n_docs, n_threads=n_threads) for sweep in _sweeps(row)]
        name = f"{n_docs:,} documents, {n_threads} thread{'s' if n_threads > 1 else ''}"
        for plot, key in ((rate, "rate"), (topics, "topics")):
            curve(plot, sweeps, "iteration", key, name, number, errorevery=10)
    rate.axhline(BAR / 1e6, color="grey", linestyle=":", label="one machine of 24 cores, 7 hours")
    label(rate, "iteration", "million tokens per second of a core")
    label(topics, "iteration", "topics")
    return figure


def _sweeps(row: Row) -> list[Row]:
    """Return a row for each sweep of a run."""
    rates = [row["n_tokens"] / seconds / 1e6 for seconds in row["cpu_seconds_of_sweeps"]]
    sweeps = zip(rates, row["topics_of_sweeps"], strict=True)
    return [{"iteration": i, "rate": rate, "topics": topics} for i, (rate, topics) in enumerate(sweeps, 1)]


EXPERIMENT = Experiment("scale", "a corpus in ClueWeb12's shape on one machine", (), plan, measure, draw, True)
