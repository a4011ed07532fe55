"""Two threads against one: seconds per iteration, in turns, so that a noisy machine disturbs both alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from corpora import load

from topicgrove import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs, Sampler
from topicgrove.state import State
from topicgrove.training import Schedule, Trainer
from topicgrove.workers import Workers

WARM_UP, TURNS = 40, 25
SAMPLERS: dict[str, Callable[[], Sampler]] = {
    "cgs": CollapsedGibbs,
    "pcgs": lambda: PartiallyCollapsedGibbs(64, draw_phi=False),
}
"""CGS is what corpora of this size get by default."""


def trainer(corpus: Corpus, n_threads: int, sampler: str = "pcgs") -> Trainer:
    hyper = HyperParameters.of(4, n_docs=corpus.n_docs, mean_length=corpus.n_tokens / corpus.n_docs)
    state = State(corpus, hyper, 1, Workers(n_threads))
    schedule = Schedule(n_iter=10_000, init_iterations=32, init_samples=1, batch_size=None, max_topics=None)
    return Trainer(state, SAMPLERS[sampler](), schedule)


def main() -> None:
    for name in ("nips", "20news"):
        for sampler in SAMPLERS:
            compare(name, sampler)


def compare(name: str, sampler: str) -> None:
    corpus = load(name)
    trainers = [trainer(corpus, n, sampler) for n in (1, 2)]
    for each in trainers:
        for _ in range(WARM_UP):
            each.step()
    ratios = []
    for _ in range(TURNS):
        seconds = []
        for each in trainers:
            started = time.perf_counter()
            each.step()
            seconds.append(time.perf_counter() - started)
        ratios.append(seconds[0] / seconds[1])
    topics = [len(each.state.nodes().slot) for each in trainers]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    print(
        f"{name}, {sampler}: topics {topics}, one thread / two threads, whole iterations: median {middle:.2f}x "
        f"(quartiles {low:.2f}-{high:.2f}, best {max(ratios):.2f}, mean {statistics.mean(ratios):.2f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
