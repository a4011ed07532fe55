"""Origin of the default ``collapse_below``: perplexity, topics and time with everything collapsed and with M.

Real corpora have up to 19,000 documents; larger ones are drawn from the model. A tenth is held out; training takes one
thread.
"""

from __future__ import annotations

import math
import time
from typing import Any

from corpora import load, split

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.synthetic import generate

SEEDS = (1, 2)
THRESHOLDS = (math.inf, 64, 512)
N_ITER = 70
REAL = ("20news", "arxiv_dev")
DRAWN = (25_000, 50_000, 100_000)
"""Numbers of documents of the corpora drawn from the model."""

SHAPE: dict[str, Any] = {"n_words": 30_000, "branching": [6, 4, 4], "length": 120.0, "zipf": 1.0}
DRAWN_SETTINGS: dict[str, Any] = {"alpha": 0.2, "beta": [0.06, 0.03, 0.015, 0.015], "gamma": 1e-40}
N_ITER_DRAWN, EARLY_DRAWN = 40, 16


def main() -> None:
    for name in REAL:
        for seed in SEEDS:
            compare(f"{name}, seed {seed}", load(name), random_state=seed, n_iter=N_ITER)
    for n_docs in DRAWN:
        corpus = generate(n_docs, seed=1, beta=[0.5, 0.25, 0.1, 0.05], **SHAPE).corpus
        settings = {**DRAWN_SETTINGS, "n_iter": N_ITER_DRAWN, "init_iterations": EARLY_DRAWN, "random_state": 1}
        compare(f"drawn, {n_docs:,} documents", corpus, **settings)


def compare(title: str, corpus: Corpus, **settings: Any) -> None:
    train, test = split(corpus)
    for threshold in THRESHOLDS:
        started = time.process_time()
        model = HierarchicalLDA(collapse_below=threshold, n_jobs=1, **settings).fit(train)
        seconds = time.process_time() - started
        score = model.perplexity(test, random_state=0)
        print(
            f"{title}, M = {threshold}: {len(model.tree_)} topics, perplexity {score:.1f}, "
            f"{seconds:.1f} s of the processor",
            flush=True,
        )


if __name__ == "__main__":
    main()
