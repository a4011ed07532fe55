"""Figure 4: the threshold M between slow and rapid topics: perplexity, split of time, documents in slow topics.

beta = beta_0 (1, .5, .25, .125). The paper tunes gamma to about 500 topics on its 290,000 documents of NYTimes; here
gamma stays the same for all M, and the number of topics is shown.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments import time_split
from experiments.figures import chosen, curve, label, mean_and_error, panels, values
from experiments.fits import beta_0, fit, load, score, split
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options
from topicgrove import SweepEvent
from topicgrove.plotting.palette import HUES
from topicgrove.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POWERS = (0, 2, 4, 6, 8, 10, 12, 14, 16, None)
"""Powers: M = 2^power; None means M = infinity, which is CGS."""

LOG_GAMMA = -20.0
PARTS = {"f_i_seconds": "f_I", "f_c_seconds": "f_C", "z_seconds": "z"}
INFINITY_AT = 18
"""Position of M = infinity in the plot."""


def plan(options: Options) -> list[Settings]:
    """Return the settings: every M, then the next seed."""
    return [
        {"corpus": corpus, "log2_m": power, "n_iter": options.n_iter, "seed": seed}
        for seed in range(1, options.seeds + 1)
        for corpus in EXPERIMENT.corpora_of(options)
        for power in options.thinned(POWERS)
    ]


def measure(settings: Settings) -> Row:
    """Train, score, and time the parts of a sweep on the last state."""
    train, test = split(load(settings["corpus"]))
    power = settings["log2_m"]
    events: list[SweepEvent] = []
    model, row = fit(
        train,
        alpha=0.2,
        beta=[beta_0(settings["corpus"]) * share for share in (1, 0.5, 0.25, 0.125)],
        gamma=math.exp(LOG_GAMMA),
        collapse_below=math.inf if power is None else 2**power,
        n_iter=settings["n_iter"],
        random_state=settings["seed"],
        callbacks=[events.append],
    )
    late = [sweep["seconds"] for sweep in model.history_[-5:]]
    return {
        **row,
        **_of_last_state(events[-1].state),
        "sweep_seconds": float(np.median(late)),
        "perplexity": score(model, test),
    }


def _of_last_state(state: State) -> Row:
    """Measure the split of time, and the share in slow topics."""
    parts = {name: round(seconds, 5) for name, seconds in time_split.split(state).items()}
    slow = float(np.mean(state.docs.leaf < state.topics.n_slow))
    return {**parts, "n_slow_topics": state.topics.n_slow_topics, "share_in_slow_leaves": round(slow, 4)}


def draw(rows: list[Row]) -> Figure:
    """Draw perplexity, split of time, and documents in slow topics against M, for the first corpus."""
    rows = [{**row, "at": INFINITY_AT if row["log2_m"] is None else row["log2_m"]} for row in rows]
    figure, (quality, split_plot, share) = panels(["perplexity", "time of a sweep", "documents in slow leaves"])
    for number, corpus in enumerate(values(rows, "corpus")):
        some = chosen(rows, corpus=corpus)
        curve(quality, some, "at", "perplexity", corpus, number)
        curve(share, some, "at", "share_in_slow_leaves", corpus, number)
    _stack(split_plot, chosen(rows, corpus=values(rows, "corpus")[0]))
    label(quality, "log2 M (last: infinity)", "held-out perplexity")
    label(split_plot, "log2 M (last: infinity)", f"processor seconds, {values(rows, 'corpus')[0]}")
    label(share, "log2 M (last: infinity)", "share of documents")
    return figure


def _stack(plot: Any, rows: list[Row]) -> None:
    """Draw stacked bars of the parts, with the error of their sum."""
    at = values(rows, "at")
    bottom = np.zeros(len(at))
    for number, (key, name) in enumerate(PARTS.items()):
        heights = np.array([mean_and_error(chosen(rows, at=value), key)[0] for value in at])
        plot.bar(at, heights, 1.2, bottom, label=name, color=HUES[number])
        bottom += heights
    sums = [{"at": row["at"], "sum": sum(row[key] for key in PARTS)} for row in rows]
    errors = [mean_and_error(chosen(sums, at=value), "sum")[1] for value in at]
    plot.errorbar(at, bottom, yerr=errors, linestyle="none", color="black", capsize=2)


EXPERIMENT = Experiment("threshold", "the threshold M (Figure 4)", ("nips", "news3k"), plan, measure, draw, True)
