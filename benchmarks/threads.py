"""Two threads against one: seconds per iteration, in turns, so that a noisy machine disturbs both alike."""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import Any

import numpy as np
from corpora import load

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.persistence.checkpoints import read_checkpoint
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.training import Trainer
from topicgrove.workers import Workers

WARM_UP, TURNS = 40, 25
SAMPLERS: dict[str, dict[str, Any]] = {"cgs": {}, "pcgs": {"collapse_below": 64}}
"""CGS is what corpora of this size get by default."""


def trainers(corpus: Corpus, settings: dict[str, Any], n_threads: tuple[int, ...]) -> list[Trainer]:
    """One for each number of threads, all with the same tree."""
    with tempfile.TemporaryDirectory() as folder:
        HierarchicalLDA(n_iter=WARM_UP, checkpoint=folder, n_jobs=-1, random_state=1, **settings).fit(corpus)
        checkpoint = read_checkpoint(folder)
    plan = make_plan(HierarchicalLDA(n_iter=10_000, random_state=1, **settings), corpus)
    return [Run(plan, corpus, Workers(n), checkpoint).trainer for n in n_threads]


def main() -> None:
    for name in ("nips", "20news"):
        for sampler in SAMPLERS:
            compare(name, sampler)


def compare(name: str, sampler: str) -> None:
    both = trainers(load(name), SAMPLERS[sampler], (1, 2))
    ratios = []
    for _ in range(TURNS):
        seconds = []
        for each in both:
            started = time.perf_counter()
            each.step()
            seconds.append(time.perf_counter() - started)
        ratios.append(seconds[0] / seconds[1])
    topics = [len(each.state.nodes().slot) for each in both]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    print(
        f"{name}, {sampler}: topics {topics}, one thread / two threads, whole iterations: median {middle:.2f}x "
        f"(quartiles {low:.2f}-{high:.2f}, best {max(ratios):.2f}, mean {statistics.mean(ratios):.2f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
