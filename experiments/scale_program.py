"""The processes that ``scale.py`` starts: one writes the corpus to a store, the other trains on it."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.fits import warm_up
from experiments.records import Row
from topicgrove import Corpus, HierarchicalLDA, SweepEvent, open_store
from topicgrove.distributed.shards import gathered
from topicgrove.fitted import tree_of_state
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.synthetic import generate
from topicgrove.workers import Workers

ALPHA = (1.0, 0.5, 0.5, 0.5, 0.5)


def web_lengths(n_docs: int, seed: int) -> NDArray[np.int64]:
    """Draw lengths from 50 to 500, about 210 on average."""
    drawn = np.random.default_rng(seed).lognormal(np.log(192), 0.45, n_docs)
    return np.clip(drawn, 50, 500).astype(np.int64)


def make(settings: dict[str, Any], folder: Path) -> None:
    """Draw the corpus."""
    n_docs, n_levels = settings["n_docs"], len(settings["beta"])
    made = generate(
        n_docs,
        settings["n_words"],
        n_levels,
        branching=settings["branching"],
        alpha=ALPHA,
        beta=settings["beta"],
        zipf=1.0,
        length=web_lengths(n_docs, settings["seed"]),
        seed=settings["seed"],
    )
    made.corpus.save(folder / "store")
    (folder / "truth.json").write_text(json.dumps({"true_topics": len(made.tree)}), encoding="utf-8")


class Meter:
    """A callback that notes time, topics and the size of the topic matrices."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.topics: list[int] = []
        self.matrices = 0
        self.before = time.process_time()

    def __call__(self, event: SweepEvent) -> None:
        """Note a sweep."""
        self.cpu.append(round(time.process_time() - self.before, 4))
        self.matrices = max(self.matrices, event.state.topics.n_bytes)
        self.topics.append(len(event.nodes.slot))
        self.before = time.process_time()


def train(settings: dict[str, Any], folder: Path) -> None:
    """Train from the start, and record time and memory."""
    beta = np.array(settings["beta"])
    parameters = {
        "n_levels": len(beta),
        "beta": settings["training_beta_0"] / beta[0] * beta,
        "gamma": float(np.exp(settings["log_gamma"])),
        "collapse_below": settings["collapse_below"],
        "n_iter": settings["n_iter"],
        "init": "monte_carlo",
        "init_iterations": settings["init_iterations"],
        "min_docs": 1,
        "n_jobs": settings["n_threads"],
        "random_state": settings["seed"],
    }
    warm_up(**parameters)
    idle = peak()
    corpus = open_store(folder / "store")
    with Workers(settings["n_threads"]) as workers:
        training = Run(make_plan(HierarchicalLDA(**parameters), corpus), corpus, workers)
        meter = Meter()
        started = time.perf_counter()
        training.go([meter], None)
        seconds = time.perf_counter() - started
    row = facts(corpus, meter, seconds, settings)
    row |= {"peak_bytes_per_token": bytes_per_token(peak() - idle, meter, corpus)}
    drawn = gathered(training.state)
    assert drawn is not None
    tree_of_state(training.state, corpus, drawn)
    row |= {"peak_bytes_per_token_with_tree": bytes_per_token(peak() - idle, meter, corpus)}
    row |= json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    (folder / "row.json").write_text(json.dumps(row), encoding="utf-8")


def facts(corpus: Corpus, meter: Meter, seconds: float, settings: dict[str, Any]) -> Row:
    """Compute rates by processor time, which a busy machine disturbs less, and by the clock."""
    tokens = corpus.n_tokens * len(meter.cpu)
    early = slice(1, settings["init_iterations"])
    late = slice(settings["init_iterations"], None)
    return {
        "n_tokens": corpus.n_tokens,
        "n_topics": meter.topics[-1],
        "seconds": round(seconds, 2),
        "cpu_seconds": round(sum(meter.cpu), 2),
        "tokens_per_cpu_second": round(tokens / sum(meter.cpu)),
        "tokens_per_second_and_core": round(tokens / seconds / settings["n_threads"]),
        "first_tokens_per_cpu_second": round(corpus.n_tokens / meter.cpu[0]),
        "early_tokens_per_cpu_second": round(corpus.n_tokens / float(np.mean(meter.cpu[early]))),
        "late_tokens_per_cpu_second": round(corpus.n_tokens / float(np.mean(meter.cpu[late]))),
        "matrices_megabytes": round(meter.matrices / 1e6, 1),
        "cpu_seconds_of_sweeps": meter.cpu,
        "topics_of_sweeps": meter.topics,
    }


def peak() -> int:
    """Return the peak memory of this process, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def bytes_per_token(growth: int, meter: Meter, corpus: Corpus) -> float:
    """Return peak memory per token beyond the idle process and the topic matrices."""
    return round((growth - meter.matrices) / corpus.n_tokens, 2)


if __name__ == "__main__":
    step, task, home = sys.argv[1:]
    {"make": make, "train": train}[step](json.loads(task), Path(home))
