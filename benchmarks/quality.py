"""Held-out perplexity on nips against tomotopy 0.13.0, by one evaluator, and our samplers compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from corpora import load, split
from peers import Fitted, fit_tomotopy
from speed import fit_ours

from topicgrove import Corpus
from topicgrove.evaluation.completion import completion_perplexity

SEEDS = (1, 2, 3)
BETA = [1, 0.5, 0.25, 0.25]
LOG_GAMMA = -100.0
OURS: dict[str, dict[str, Any]] = {
    "PCGS": {},
    "CGS": {"sampler": "cgs"},
    "PCGS, phi drawn": {"phi": "draw"},
    "PCGS, refine": {"refine": True},
    "PCGS, default gamma": {"gamma": None},
    "PCGS, progressive start only": {"init": "progressive"},
    "PCGS, no initialisation": {"init": "none"},
    "BGS": {"sampler": "bgs", "gamma": 1.0},
}


def perplexity(fitted: Fitted, test: Corpus) -> float:
    return completion_perplexity(
        fitted.tree, fitted.counts, fitted.hyper, test, seed=0, n_samples=10, burn_in=20, n_threads=2
    )


def main() -> None:
    train, test = split(load("nips"))
    peers = [fit_tomotopy(train, eta=0.25, gamma=0.1, n_iter=70, seed=seed) for seed in SEEDS]
    reference = float(np.mean([report("tomotopy 0.13.0", peer, test) for peer in peers]))
    print(f"  mean {reference:.1f}", flush=True)
    for label, settings in OURS.items():
        merged: dict[str, Any] = {"beta": BETA, "gamma": float(np.exp(LOG_GAMMA)), **settings}
        scores = [report(label, fit_ours(train, seed=seed, n_jobs=1, **merged), test) for seed in SEEDS]
        mean = float(np.mean(scores))
        print(f"  mean {mean:.1f} = {mean / reference:.3f} x tomotopy's", flush=True)


def report(label: str, fitted: Fitted, test: Corpus) -> float:
    score = perplexity(fitted, test)
    levels = "-".join(map(str, fitted.tree.n_topics_per_level))
    print(f"{label}: {len(fitted.tree)} topics ({levels}), perplexity {score:.1f}, {fitted.seconds:.1f} s", flush=True)
    return score


if __name__ == "__main__":
    main()
