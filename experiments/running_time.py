"""Table 2: seconds for 70 iterations in one thread, at about 300 topics; beta = beta_0 (1, .5, .25, .1).

gamma controls the number of topics, differently for each sampler, and the paper tunes it by hand. Here, several values
are run, and the one whose number of topics is nearest to 300 counts. Times are processor times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.figures import chosen, label, mean_and_error, panels, values
from experiments.fits import beta_0, fit, fit_tomotopy, load
from experiments.quality import NOT_BLOCKED
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options
from topicgrove.plotting.palette import HUES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_TOPICS = 300
LOG_GAMMAS = {"nips": (-300.0, -200.0, -100.0)}
USUAL_LOG_GAMMAS = (-40.0, -10.0, -1.0)
BLOCKED_LOG_GAMMAS = (0.0, 3.0, 6.0)
METHODS = ("CGS", "PCGS", "BGS")
PEER = "tomotopy"
PEER_ETAS = (0.3,)
"""Multiplies beta_0: tomotopy has one beta for all levels."""


def plan(options: Options) -> list[Settings]:
    """Return the settings, methods in turns, so that disturbances of the machine affect all methods alike."""
    runs: list[Settings] = []
    for seed in range(1, options.seeds + 1):
        for corpus in EXPERIMENT.corpora_of(options):
            common = {"corpus": corpus, "n_iter": options.n_iter, "seed": seed}
            for number in range(2 if options.tiny else 3):
                log_gamma = LOG_GAMMAS.get(corpus, USUAL_LOG_GAMMAS)[number]
                runs += [{"method": method, **common, "log_gamma": log_gamma} for method in ("CGS", "PCGS")]
                if corpus not in NOT_BLOCKED:
                    runs.append({"method": "BGS", **common, "log_gamma": BLOCKED_LOG_GAMMAS[number]})
            if seed == 1:
                runs += [{"method": PEER, **common, "log_gamma": -2.0, "eta": eta} for eta in PEER_ETAS]
    return runs


def measure(settings: Settings) -> Row:
    """Train on the whole corpus."""
    corpus, gamma = load(settings["corpus"]), float(np.exp(settings["log_gamma"]))
    n_iter, seed, scale = settings["n_iter"], settings["seed"], beta_0(settings["corpus"])
    if settings["method"] == PEER:
        return fit_tomotopy(corpus, None, eta=settings["eta"] * scale, gamma=gamma, n_iter=n_iter, seed=seed)
    sampler = settings["method"].lower()
    beta = [scale * share for share in (1, 0.5, 0.25, 0.1)]
    return fit(corpus, alpha=0.2, beta=beta, gamma=gamma, sampler=sampler, n_iter=n_iter, random_state=seed)[1]


def at_300(rows: list[Row], corpus: str, method: str) -> list[Row]:
    """Return the runs, one per seed, of the setting whose mean number of topics is nearest to 300 on a log scale."""
    some = chosen(rows, corpus=corpus, method=method)
    groups = [chosen(some, log_gamma=row["log_gamma"], eta=row.get("eta")) for row in some]
    return min(groups, key=lambda group: abs(np.log(mean_and_error(group, "n_topics")[0] / N_TOPICS)), default=[])


def seconds_ratio(rows: list[Row], corpus: str, slower: str, faster: str) -> float | None:
    """Return how many times as long one method takes as another, both at about 300 topics."""
    times = [mean_and_error(at_300(rows, corpus, method), "cpu_seconds")[0] for method in (slower, faster)]
    return None if np.isnan(times).any() else times[0] / times[1]


def draw(rows: list[Row]) -> Figure:
    """Draw bars, one plot per corpus."""
    corpora = values(rows, "corpus")
    figure, axes = panels(corpora)
    for plot, corpus in zip(axes, corpora, strict=True):
        for number, method in enumerate([*METHODS, PEER]):
            some = at_300(rows, corpus, method)
            if some:
                seconds, error = mean_and_error(some, "cpu_seconds")
                topics = mean_and_error(some, "n_topics")[0]
                plot.bar(f"{method}\n{topics:.0f} topics", seconds, yerr=error, color=HUES[number], capsize=3)
        label(plot, "sampler, in one thread", f"processor seconds for {rows[0]['n_iter']} iterations")
    return figure


EXPERIMENT = Experiment(
    "running_time", "time in one thread at about 300 topics (Table 2)", ("nips", "news3k"), plan, measure, draw, True
)
