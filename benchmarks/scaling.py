"""Processes against threads on 20news and on a larger corpus, in turns; then the bytes that processes send.

Bytes are shown by sync strategy and by M.

``python scaling.py time`` or ``python scaling.py traffic`` does only one of the two.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from corpora import load
from rank_jobs import Job, run_job

from topicgrove import HierarchicalLDA
from topicgrove.synthetic import generate

CORPUS = "20news"
SETTINGS: dict[str, Any] = {
    "alpha": 0.2,
    "beta": [0.6, 0.3, 0.12, 0.12],
    "gamma": 6e-6,
    "collapse_below": 64,
    "random_state": 1,
}
EARLY = 32
TIMED = 12
"""Timed iterations, after the early phase."""

ROUNDS = 3
WAYS = ((1, 1), (2, 1), (1, 2))
"""Ranks and threads of each."""

N_ITER_TRAFFIC = 40

LARGE: dict[str, Any] = {"n_docs": 100_000, "n_words": 30_000, "branching": [6, 4, 4], "length": 120.0, "zipf": 1.0}
"""Drawn from the model: five times the tokens of 20news, and as many words."""

LARGE_SETTINGS: dict[str, Any] = {
    "alpha": 0.2,
    "beta": [0.06, 0.03, 0.015, 0.015],
    "gamma": 1e-40,
    "collapse_below": 64,
    "random_state": 1,
    "init_iterations": 6,
}


def main(parts: tuple[str, ...] = ("time", "traffic")) -> None:
    if "time" in parts:
        measure_time()
    if "traffic" in parts:
        compare_syncs()
        compare_thresholds()


def measure_time() -> None:
    """Time 20news, then a larger corpus."""
    time_ways(CORPUS, CORPUS, init_iterations=EARLY, **SETTINGS)
    with tempfile.TemporaryDirectory() as folder:
        generate(seed=1, beta=[0.5, 0.25, 0.1, 0.05], **LARGE).corpus.save(f"{folder}/store")
        time_ways(f"{folder}/store", "a synthetic corpus", **LARGE_SETTINGS)


def time_ways(corpus: str, title: str, *, init_iterations: int, **settings: Any) -> None:
    """Time iterations after the early phase: each way starts from the same tree, in turns."""
    settings |= {"init_iterations": init_iterations}
    jobs: dict[tuple[int, int], list[Job]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        HierarchicalLDA(n_iter=init_iterations + 2, checkpoint=folder, n_jobs=-1, **settings).fit(load(corpus))
        settings["n_iter"] = init_iterations + 2 + TIMED
        for _ in range(ROUNDS):
            for n_ranks, n_threads in WAYS:
                jobs[n_ranks, n_threads].append(run_job(n_ranks, corpus, start=folder, n_jobs=n_threads, **settings))
    print(f"{title}, {jobs[1, 1][0].n_tokens:,} tokens: median of {TIMED} iterations, best of {ROUNDS} rounds")
    seconds = {way: [float(np.median(job.seconds)) for job in runs] for way, runs in jobs.items()}
    for way in WAYS:
        rounds = ", ".join(f"{each:.3f}" for each in seconds[way])
        print(
            f"  {way[0]} rank(s) x {way[1]} thread(s): {jobs[way][0].n_topics} topics, {min(seconds[way]):.3f} s an "
            f"iteration ({min(seconds[1, 1]) / min(seconds[way]):.2f}x; rounds {rounds})",
            flush=True,
        )
    print(f"  two ranks take {min(seconds[2, 1]) / min(seconds[1, 2]):.2f} times as long as two threads")


def compare_syncs() -> None:
    """Print the bytes per token that all ranks send in an iteration, by sync strategy."""
    print("bytes per token and iteration, sent by all ranks together: early phase / after it (slow + rapid)")
    for n_ranks in (2, 4):
        for sync in ("hybrid", "bsp", "server"):
            job = traffic_job(n_ranks, sync=sync)
            early, later = (per_token(job, part) for part in (slice(1, EARLY), slice(EARLY, None)))
            print(
                f"  {n_ranks} ranks, {sync}: {early.sum():.2f} / {later.sum():.2f} "
                f"({later[0]:.2f} + {later[1]:.2f}); {job.n_topics} topics",
                flush=True,
            )


def compare_thresholds() -> None:
    """Print the bytes per token of slow and of rapid topics, as fewer and fewer topics are slow."""
    print("2 ranks, hybrid, by M (collapse_below): bytes per token after the early phase")
    for threshold, job in threshold_jobs():
        slow, rapid = per_token(job, slice(EARLY, None))
        print(
            f"  M = {threshold}: slow {slow:.2f}, rapid {rapid:.2f}; {job.n_slow} of {job.n_topics} topics are slow, "
            f"the others have {job.rapid_share:.1%} of the tokens",
            flush=True,
        )


def threshold_jobs() -> Iterator[tuple[int, Job]]:
    """Run two ranks with M from 2^0 to 2^16."""
    for power in range(0, 17, 2):
        yield 2**power, traffic_job(2, collapse_below=2**power)


def traffic_job(n_ranks: int, **settings: Any) -> Job:
    return run_job(n_ranks, CORPUS, n_iter=N_ITER_TRAFFIC, n_jobs=1, **{**SETTINGS, **settings})


def per_token(job: Job, iterations: slice) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the bytes of slow and of rapid topics per token and iteration."""
    means = [sent[iterations].mean() for sent in (job.slow_bytes, job.rapid_bytes)]
    return np.array(means) / job.n_tokens


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or ("time", "traffic"))
