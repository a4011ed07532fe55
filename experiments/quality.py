"""Figure 3: perplexity against the number of topics, for three samplers with and without the initialisation.

L = 4, alpha = .2, beta = beta_0 (1, .5, .25, .25); the paper's grids are beta_0 in e^-4, e^-3.5, ..., e^2 and gamma in
e^-6, e^-5.5, ..., e^0; here they are thinned, and cut where trees have thousands of topics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.figures import chosen, cloud, label, panels, values
from experiments.fits import fit, fit_tomotopy, load, score, split
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = {
    "CGS": {"sampler": "cgs", "init": "none"},
    "CGS^i": {"sampler": "cgs", "init": "monte_carlo"},
    "PCGS": {"sampler": "pcgs", "init": "none"},
    "PCGS^i": {"sampler": "pcgs", "init": "monte_carlo"},
    "BGS": {"sampler": "bgs", "init": "none"},
    "BGS^i": {"sampler": "bgs", "init": "monte_carlo"},
}
"""The superscript i marks the initialisation, as in the paper."""

PEER = "tomotopy"
LOG_BETAS = {"news3k": (-4.0, -3.0, -2.0, -1.0)}
"""With 100,000 words, larger ones leave hardly any tree."""

USUAL_LOG_BETAS = (-1.0, 0.0, 1.0, 2.0)
LOG_GAMMAS = (-6.0, 0.0)
BLOCKED_LOG_GAMMAS = (0.0,)
"""BGS hardly branches with smaller ones."""

NOT_BLOCKED = ("news3k",)
"""Corpora without BGS: it draws phi of every word and topic; a run with initialisation takes over ten minutes."""

PEER_LOG_GAMMA = -2.0


def plan(options: Options) -> list[Settings]:
    """Return the settings, all methods for one beta_0 and gamma, then the next; the most informative first."""
    runs: list[Settings] = []
    for seed in range(1, options.seeds + 1):
        for corpus in EXPERIMENT.corpora_of(options):
            for log_beta in options.thinned(LOG_BETAS.get(corpus, USUAL_LOG_BETAS)):
                common = {"corpus": corpus, "log_beta": log_beta, "n_iter": options.n_iter, "seed": seed}
                for method, parameters in METHODS.items():
                    blocked = parameters["sampler"] == "bgs"
                    if not blocked or corpus not in NOT_BLOCKED:
                        log_gammas = BLOCKED_LOG_GAMMAS if blocked else LOG_GAMMAS
                        runs += [{"method": method, **common, "log_gamma": log_gamma} for log_gamma in log_gammas]
                # tomotopy takes as long as all the others together.
                if seed == 1:
                    runs.append({"method": PEER, **common, "log_gamma": PEER_LOG_GAMMA})
    return runs


def measure(settings: Settings) -> Row:
    """Train and score."""
    train, test = split(load(settings["corpus"]))
    beta, gamma = float(np.exp(settings["log_beta"])), float(np.exp(settings["log_gamma"]))
    n_iter, seed = settings["n_iter"], settings["seed"]
    if settings["method"] == PEER:
        return fit_tomotopy(train, test, eta=0.25 * beta, gamma=gamma, n_iter=n_iter, seed=seed)
    model, row = fit(
        train,
        n_levels=4,
        alpha=0.2,
        beta=[beta, 0.5 * beta, 0.25 * beta, 0.25 * beta],
        gamma=gamma,
        n_iter=n_iter,
        random_state=seed,
        **METHODS[settings["method"]],
    )
    return {**row, "perplexity": score(model, test)}


def draw(rows: list[Row]) -> Figure:
    """Draw one plot per corpus."""
    corpora = values(rows, "corpus")
    figure, axes = panels(corpora)
    for plot, corpus in zip(axes, corpora, strict=True):
        for number, method in enumerate([*METHODS, PEER]):
            some = chosen(rows, corpus=corpus, method=method)
            if some:
                cloud(plot, some, "n_topics", "perplexity", ("log_beta", "log_gamma"), method, number)
        plot.set_xscale("log")
        label(plot, "number of topics", "held-out perplexity")
    return figure


def relative_perplexity(rows: list[Row], method: str, other: str) -> float | None:
    """Return one method's perplexity over another's at equal numbers of topics, averaged over the first's runs.

    The other's perplexity is interpolated in the logarithm of the number of topics, and runs outside its range are left
    out. None if no run is left.
    """
    ratios = []
    for corpus in values(rows, "corpus"):
        others = chosen(rows, corpus=corpus, method=other)
        reference = sorted((np.log(row["n_topics"]), row["perplexity"]) for row in others)
        for row in chosen(rows, corpus=corpus, method=method):
            at = np.log(row["n_topics"])
            if len(reference) > 1 and reference[0][0] <= at <= reference[-1][0]:
                topics, perplexities = np.array(reference).T
                ratios.append(row["perplexity"] / np.interp(at, topics, perplexities))
    return float(np.mean(ratios)) if ratios else None


EXPERIMENT = Experiment(
    "quality", "perplexity against number of topics (Figure 3)", ("nips", "news3k"), plan, measure, draw
)
