"""Recovery: how much of a known tree is found, against the number of documents and the separation of topics.

Corpora are drawn from the model, with tree 1-4-16 and equally many documents in every leaf. The smaller beta, the fewer
words a topic has, and the better topics are separated. NMI is that of the documents' topics, true and found, by level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.metrics import normalized_mutual_info_score

from experiments.figures import chosen, curve, label, panels, values
from experiments.fits import fit
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options
from topicgrove.synthetic import generate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAMPLERS = ("cgs", "pcgs", "bgs")
N_DOCS = (100, 300, 1_000, 3_000)
BETAS = (0.02, 0.1, 0.5)
"""Well, fairly and badly separated topics."""

N_WORDS, LENGTH, BRANCHING = 1_000, 80, (4, 4)


def plan(options: Options) -> list[Settings]:
    """Return the settings, small corpora first."""
    return [
        {"sampler": sampler, "n_docs": n_docs, "beta": beta, "n_iter": options.n_iter, "seed": seed}
        for n_docs in options.thinned(N_DOCS[:2] if options.tiny else N_DOCS)
        for seed in range(1, options.seeds + 1)
        for beta in options.thinned(BETAS)
        for sampler in SAMPLERS
    ]


def measure(settings: Settings) -> Row:
    """Draw a corpus, train with the priors that it was drawn from, and compare."""
    beta, seed = settings["beta"], settings["seed"]
    made = generate(settings["n_docs"], N_WORDS, 3, branching=BRANCHING, alpha=1.0, beta=beta, length=LENGTH, seed=seed)
    gamma = 1.0 if settings["sampler"] == "bgs" else 1e-3
    model, row = fit(
        made.corpus,
        n_levels=3,
        alpha=1.0,
        beta=beta,
        gamma=gamma,
        sampler=settings["sampler"],
        n_iter=settings["n_iter"],
        random_state=seed,
    )
    for level in (1, 2):
        nmi = normalized_mutual_info_score(made.paths[:, level], model.paths_[:, level])
        row[f"nmi_level_{level}"] = round(float(nmi), 4)
    return row


def draw(rows: list[Row]) -> Figure:
    """Draw a plot for each separation, with levels 1 and 2 for each sampler."""
    betas = values(rows, "beta")
    figure, axes = panels([f"beta = {beta}" for beta in betas])
    for plot, beta in zip(axes, betas, strict=True):
        for number, sampler in enumerate(SAMPLERS):
            some = chosen(rows, beta=beta, sampler=sampler)
            for level in (1, 2):
                name = f"{sampler.upper()}, level {level}"
                curve(plot, some, "n_docs", f"nmi_level_{level}", name, number + 3 * (level - 1))
        plot.set_xscale("log")
        plot.set_ylim(-0.03, 1.03)
        label(plot, "documents", "NMI of true and found topics")
    return figure


EXPERIMENT = Experiment("recovery", "recovery of a known tree", (), plan, measure, draw)
