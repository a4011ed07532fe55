"""Two threads against one: seconds per iteration, in turns, so that a noisy machine disturbs both alike.

For comparison, it measures roughly what the machine allows in the same minutes: threads that only read the counts, as
the path step does, and share no written data.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from corpora import load
from numpy.typing import NDArray

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.scores import multiply_rows
from topicgrove.kernels.structures import LINE, Documents
from topicgrove.memory import aligned, floats
from topicgrove.persistence.checkpoints import read_checkpoint
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.training import Trainer
from topicgrove.workers import Workers

WARM_UP, ROUNDS, TURNS = 40, 5, 5
"""Iterations to train first; rounds, which all start from that tree; and iterations per round."""

SAMPLERS: dict[str, dict[str, Any]] = {"cgs": {}, "pcgs": {"collapse_below": 64}}
"""CGS is what corpora of this size get by default."""

Start = Callable[[int], Trainer]
"""Starts training with a number of threads, always from the same tree."""


def common_tree(corpus: Corpus, settings: dict[str, Any]) -> Start:
    """Train for a while, to make the tree from which the timed runs start."""
    with tempfile.TemporaryDirectory() as folder:
        HierarchicalLDA(n_iter=WARM_UP, checkpoint=folder, n_jobs=-1, random_state=1, **settings).fit(corpus)
        checkpoint = read_checkpoint(folder)
    plan = make_plan(HierarchicalLDA(n_iter=10_000, random_state=1, **settings), corpus)
    return lambda n_threads: Run(plan, corpus, Workers(n_threads), checkpoint).trainer


@kernel
def read_counts(
    first: int,
    last: int,
    docs: Documents,
    counts: NDArray[np.int32],
    offsets: NDArray[np.float32],
    mantissa: NDArray[np.float32],
    exponent: NDArray[np.int32],
) -> None:
    """Multiply the counts of all words of some documents, as for f_C, and discard the result."""
    for d in range(first, last):
        words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
        multiply_rows(counts, words, offsets, 0, len(words), 0, counts.shape[1], np.float32(0.1), mantissa, exponent)


def reading(trainer: Trainer) -> Callable[[], None]:
    """Read the counts of all documents: the same total work for any number of threads."""
    state = trainer.state
    columns = state.topics.words.rapid.shape[1] // LINE * LINE
    counts = aligned((state.n_words, columns), state.topics.count_type)
    counts[:] = state.topics.words.rapid[:, :columns]
    offsets = floats(state.assignments.longest)

    def read(first: int, last: int) -> None:
        read_counts(first, last, state.docs, counts, offsets, floats(columns), aligned((columns,)))

    return lambda: state.workers.ranges(state.n_docs, read, block=64)


def main() -> None:
    for name in ("nips", "20news"):
        for sampler in SAMPLERS:
            compare(name, sampler)


def compare(name: str, sampler: str) -> None:
    start = common_tree(load(name), SAMPLERS[sampler])
    topics: list[list[int]] = []
    seconds: list[list[float]] = []
    for _ in range(ROUNDS):
        both = [start(n_threads) for n_threads in (1, 2)]
        tasks = [each.step for each in both] + [reading(each) for each in both]
        for task in tasks:
            task()
        seconds += [[_seconds(task) for task in tasks] for _ in range(TURNS)]
        topics.append([len(each.state.nodes().slot) for each in both])
    one, two, read_by_one, read_by_two = np.array(seconds).T
    means = ", ".join(f"{mean:.0f}" for mean in np.mean(topics, axis=0))
    print(f"{name}, {sampler}: one thread / two threads ({means} topics at the end of a round)")
    print(f"  whole iterations: {_summary(one / two)}")
    print(f"  reading the counts alone: {_summary(read_by_one / read_by_two)}", flush=True)


def _seconds(task: Callable[[], object]) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def _summary(ratios: NDArray[np.float64]) -> str:
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return f"median {middle:.2f}x (quartiles {low:.2f}-{high:.2f}, best {ratios.max():.2f}, mean {ratios.mean():.2f})"


if __name__ == "__main__":
    main()
