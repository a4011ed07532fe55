"""Corpora, fits and scores, the same for all experiments."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from experiments.records import Row
from experiments.runs import UnavailableError
from topicgrove import Corpus, HierarchicalLDA, read_corpus
from topicgrove.evaluation.completion import completion_perplexity

FOLDER = Path(os.environ.get("TOPICGROVE_DATA", Path(__file__).parents[2] / "shared" / "data"))
"""One folder per corpus, with ``docword.<name>.txt.gz`` inside; set TOPICGROVE_DATA to use yours."""

BETA_0 = {"news3k": 0.08}
"""Replaces beta_0 = 1 here: with 100,000 words and a beta of 1 for each, these documents have hardly any tree."""

HELD_OUT = 7
"""Documents whose number ends in this digit are held out."""


def beta_0(corpus: str) -> float:
    """Return the beta of the root where the paper has 1; the levels below have the paper's shares of it."""
    return BETA_0.get(corpus, 1.0)


@cache
def load(name: str) -> Corpus:
    """Load a corpus by its name in the folder of corpora, or any file or folder that TopicGrove reads."""
    path = FOLDER / name / f"docword.{name}.txt.gz"
    path = path if path.exists() else Path(name)
    if not path.exists():
        raise UnavailableError(f"no corpus {name}: neither a file nor in {FOLDER}, which TOPICGROVE_DATA sets")
    return read_corpus(path)


def split(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Split off held-out documents; return nine tenths to train on, and the rest."""
    held = np.arange(corpus.n_docs) % 10 == HELD_OUT
    return corpus.take(~held), corpus.take(held)


@dataclass(frozen=True)
class Clocked:
    """The wall-clock and processor seconds of a task."""

    seconds: float
    cpu_seconds: float


def clock(task: Callable[[], object]) -> Clocked:
    """Time a task."""
    wall, cpu = time.perf_counter(), time.process_time()
    task()
    return Clocked(round(time.perf_counter() - wall, 4), round(time.process_time() - cpu, 4))


def model_of(**parameters: Any) -> HierarchicalLDA:
    """Make our model, with the paper's start and M = 64 unless others are given, and without tidying."""
    return HierarchicalLDA(**{"collapse_below": 64, "init": "monte_carlo", "min_docs": 1, **parameters})


def fit(train: Corpus, **parameters: Any) -> tuple[HierarchicalLDA, Row]:
    """Train in one thread unless ``n_jobs`` is given; return the model, its time and its topics."""
    warm_up(**parameters)
    model = model_of(**parameters)
    took = clock(lambda: model.fit(train))
    return model, {
        "n_topics": len(model.tree_),
        "topics_per_level": model.tree_.n_topics_per_level,
        "seconds": took.seconds,
        "cpu_seconds": took.cpu_seconds,
    }


def warm_up(**parameters: Any) -> None:
    """Compile the kernels that these parameters need, so that times exclude compilation."""
    few = Corpus.from_matrix(np.random.default_rng(0).poisson(0.5, (40, 30)) + np.eye(40, 30, dtype=np.int64))
    model_of(**{**parameters, "n_iter": 3, "init_iterations": 2, "callbacks": ()}).fit(few)


def score(model: HierarchicalLDA, test: Corpus) -> float:
    """Compute the perplexity of held-out halves of documents, with the same halves and chains for every model."""
    return round(model.perplexity(test, random_state=0), 3)


def fit_tomotopy(train: Corpus, test: Corpus | None, *, eta: float, gamma: float, n_iter: int, seed: int) -> Row:
    """Train tomotopy 0.13.0, scored by the same evaluator."""
    benchmarks = str(Path(__file__).parents[1] / "benchmarks")
    if benchmarks not in sys.path:
        sys.path.append(benchmarks)
    import peers

    try:
        fitted = peers.fit_tomotopy(train, eta=eta, gamma=gamma, n_iter=n_iter, seed=seed)
    except peers.PeerMissingError as error:
        raise UnavailableError(str(error)) from error
    row: Row = {
        "n_topics": len(fitted.tree),
        "topics_per_level": fitted.tree.n_topics_per_level,
        "seconds": round(fitted.seconds, 4),
        "cpu_seconds": round(fitted.cpu_seconds, 4),
        "peer_packages": peers.peer_packages(),
    }
    if test is not None:
        value = completion_perplexity(
            fitted.tree, fitted.counts, fitted.hyper, test, seed=0, n_samples=10, burn_in=20, n_threads=1
        )
        row["perplexity"] = round(value, 3)
    return row
