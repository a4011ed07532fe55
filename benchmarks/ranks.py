"""Quality by ranks: held-out perplexity and topics when 1, 2 and 4 processes train together, means of three seeds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rank_jobs import Job, run_job

SEEDS = (1, 2, 3)
N_ITER = 70
CORPORA: dict[str, dict[str, Any]] = {
    "nips": {"collapse_below": 64, "beta": [1, 0.5, 0.25, 0.25], "gamma": math.exp(-100)},
    "20news": {"collapse_below": 64},
}
WAYS = ((1, "hybrid"), (2, "hybrid"), (4, "hybrid"), (2, "bsp"), (4, "bsp"))


def main() -> None:
    for name, settings in CORPORA.items():
        one: tuple[float, float] | None = None
        for n_ranks, sync in WAYS:
            jobs = [
                run_job(n_ranks, name, evaluate=True, sync=sync, random_state=seed, n_iter=N_ITER, n_jobs=1, **settings)
                for seed in SEEDS
            ]
            one = report(f"{name}  {n_ranks} x {sync}", jobs, one)


def report(label: str, jobs: list[Job], one: tuple[float, float] | None) -> tuple[float, float]:
    """Print the seeds and their mean next to that of one rank; return the mean of one rank, for the next call."""
    topics = float(np.mean([job.n_topics for job in jobs]))
    perplexity = float(np.mean([job.perplexity for job in jobs]))
    one = one or (topics, perplexity)
    of_seeds = ", ".join(f"{job.n_topics} {job.perplexity:.1f}" for job in jobs)
    print(
        f"{label}: mean {topics:.0f} topics ({topics / one[0] - 1:+.1%} of one rank's), perplexity {perplexity:.1f} "
        f"({perplexity / one[1] - 1:+.2%}); topics and perplexity of seeds: {of_seeds}",
        flush=True,
    )
    return one


if __name__ == "__main__":
    main()
