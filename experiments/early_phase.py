"""Figures 5 and 6: the early phase, whose paths are drawn with z summed out for I iterations by S samples.

In addition to the paper's figures, it compares keeping the drawn levels with restoring the old ones, and tries the
re-assignment of documents by a closed form (``refine``). beta = beta_0 (1, .5, .25, .25); gamma = 10^-40 for S, as in
the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.figures import chosen, cloud, curve, label, mean_and_error, panels, values
from experiments.fits import beta_0, clock, fit, load, model_of, score, split, warm_up
from experiments.levels_restored import restore_levels
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options
from topicgrove import Corpus
from topicgrove.distributed.shards import gathered
from topicgrove.evaluation.completion import completion_perplexity
from topicgrove.fitted import tree_of_state
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.workers import Workers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ITERATIONS = (0, 2, 8, 16, 32, 64)
SAMPLES = (1, 2, 5, 16, 32)
LOG10_GAMMAS = (-40.0, -5.0)
"""Values of gamma when I varies; the paper varies gamma without saying how."""

VARIANTS = ("levels kept", "levels restored", "refine")
N_ITER = 100
"""The longest early phase, plus the iterations that a usual run has after it."""


def plan(options: Options) -> list[Settings]:
    """Return settings for I, S and the variants, for a seed and corpus."""
    runs: list[Settings] = []
    for seed in range(1, options.seeds + 1):
        for corpus in EXPERIMENT.corpora_of(options):
            common = {"corpus": corpus, "n_iter": 6 if options.tiny else N_ITER, "seed": seed}
            usual = {"log10_gamma": -40.0, "init_iterations": 3 if options.tiny else 32, "init_samples": 1}
            runs += [{"part": "variants", "variant": variant, **common, **usual} for variant in VARIANTS]
            runs += [
                {"part": "I", **common, **usual, "log10_gamma": gamma, "init_iterations": n}
                for gamma in LOG10_GAMMAS
                for n in options.thinned(ITERATIONS[:3] if options.tiny else ITERATIONS)
            ]
            runs += [
                {"part": "S", **common, **usual, "init_samples": n}
                for n in options.thinned(SAMPLES[:3] if options.tiny else SAMPLES)
            ]
    return runs


def measure(settings: Settings) -> Row:
    """Train and score."""
    train, test = split(load(settings["corpus"]))
    parameters: dict[str, Any] = {
        "alpha": 0.2,
        "beta": [beta_0(settings["corpus"]) * share for share in (1, 0.5, 0.25, 0.25)],
        "gamma": 10.0 ** settings["log10_gamma"],
        "init_iterations": settings["init_iterations"],
        "init_samples": settings["init_samples"],
        "n_iter": settings["n_iter"],
        "random_state": settings["seed"],
        "refine": settings.get("variant") == "refine",
    }
    if settings.get("variant") == "levels restored":
        return _fit_restored(train, test, parameters)
    model, row = fit(train, **parameters)
    return {**row, "perplexity": score(model, test)}


def _fit_restored(train: Corpus, test: Corpus, parameters: dict[str, Any]) -> Row:
    """Do what ``fit`` and ``score`` do, restoring the old levels in the early phase."""
    warm_up(**parameters)
    run = Run(make_plan(model_of(**parameters), train), train, Workers(1))
    restore_levels(run.trainer)
    took = clock(lambda: run.go([], None))
    drawn = gathered(run.state)
    assert drawn is not None
    tree = tree_of_state(run.state, train, drawn)
    perplexity = completion_perplexity(
        tree, tree.word_counts, run.state.hyper, test, seed=0, n_samples=10, burn_in=20, n_threads=1
    )
    return {
        "n_topics": len(tree),
        "topics_per_level": tree.n_topics_per_level,
        "seconds": took.seconds,
        "cpu_seconds": took.cpu_seconds,
        "perplexity": round(perplexity, 3),
    }


def draw(rows: list[Row]) -> Figure:
    """Draw perplexity against I, against S, and for the variants."""
    figure, (iterations, samples, variants) = panels(["iterations I (Figure 5)", "samples S (Figure 6)", "variants"])
    number = 0
    for corpus in values(rows, "corpus"):
        for gamma in LOG10_GAMMAS:
            some = chosen(rows, part="I", corpus=corpus, log10_gamma=gamma)
            if some:
                curve(iterations, some, "init_iterations", "perplexity", f"{corpus}, gamma = 10^{gamma:.0f}", number)
            number += 1
    for number, corpus in enumerate(values(rows, "corpus")):
        some = chosen(rows, part="S", corpus=corpus)
        topics = mean_and_error(some, "n_topics")[0]
        curve(samples, some, "init_samples", "perplexity", f"{corpus}, {topics:.0f} topics in the mean", number)
    for number, variant in enumerate(VARIANTS):
        some = chosen(rows, part="variants", variant=variant)
        if some:
            cloud(variants, some, "n_topics", "perplexity", ("corpus",), variant, number)
    samples.set_xscale("log", base=2)
    label(iterations, "I, iterations with z summed out", "held-out perplexity")
    label(samples, "S, samples of z per document", "held-out perplexity")
    label(variants, "number of topics", "held-out perplexity, a point a corpus")
    return figure


EXPERIMENT = Experiment("early_phase", "the early phase (Figures 5 and 6)", ("nips", "news3k"), plan, measure, draw)
