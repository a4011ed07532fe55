"""Whole runs, initialisation included, against tomotopy 0.13.0 in one thread at equal numbers of topics."""

from __future__ import annotations

import time
from typing import Any

from corpora import load
from peers import Fitted, fit_tomotopy

from topicgrove import Corpus, HierarchicalLDA

N_ITER = 70
M = 64
"""For PCGS, as in the paper; by default, everything is collapsed for corpora of this size."""

ROUNDS = {"nips": 3, "20news, finer": 1, "20news": 1}
"""Rounds in which all programs take turns; on the larger corpus, one run takes minutes."""

SETTINGS: dict[str, tuple[dict[str, Any], dict[str, dict[str, Any]]]] = {
    # Chosen so that all end at about the same number of topics.
    "nips": (
        {"eta": 0.27, "gamma": 0.1},
        {
            "pcgs": {"beta": [1, 0.5, 0.25, 0.25], "gamma": 1e-13},
            "cgs": {"beta": [1, 0.5, 0.25, 0.25], "gamma": 1e-13},
        },
    ),
    "20news, finer": (
        {"eta": 0.02, "gamma": 0.1},
        {
            "pcgs": {"beta": [0.3, 0.15, 0.06, 0.06], "gamma": 1e-4},
            "cgs": {"beta": [0.28, 0.14, 0.055, 0.055], "gamma": 1e-4},
        },
    ),
    "20news": (
        {"eta": 0.05, "gamma": 0.1},
        {
            "pcgs": {"beta": [0.6, 0.3, 0.12, 0.12], "gamma": 6e-6},
            "cgs": {"beta": [0.5, 0.25, 0.1, 0.1], "gamma": 6e-6},
        },
    ),
}


def fit_ours(corpus: Corpus, *, seed: int, n_jobs: int = 1, **settings: Any) -> Fitted:
    paper: dict[str, Any] = {"init": "monte_carlo", "min_docs": 1, "collapse_below": M}
    model = HierarchicalLDA(4, alpha=0.2, n_iter=N_ITER, n_jobs=n_jobs, random_state=seed, **paper | settings)
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(corpus)
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    return Fitted(model.tree_, model.topic_word_counts_, model.hyper_parameters_, seconds, cpu_seconds)


def best(fits: list[Fitted]) -> Fitted:
    """Return the quickest of the runs that give the same tree: the others were disturbed."""
    return min(fits, key=lambda fit: fit.seconds)


def compare(corpus: Corpus, theirs: dict[str, Any], ours: dict[str, dict[str, Any]], rounds: int) -> None:
    """Run all programs in turns, and keep the best round of each."""
    peers: list[Fitted] = []
    fits: dict[tuple[str, int], list[Fitted]] = {}
    for sampler, settings in ours.items():
        fit_ours(corpus.take(range(50)), seed=0, sampler=sampler, **settings)  # machine code ready
    for _ in range(rounds):
        peers.append(fit_tomotopy(corpus, n_iter=N_ITER, seed=1, **theirs))
        for sampler, settings in ours.items():
            for n_jobs in (1, 2):
                fit = fit_ours(corpus, seed=1, sampler=sampler, n_jobs=n_jobs, **settings)
                fits.setdefault((sampler, n_jobs), []).append(fit)
    peer = best(peers)
    times = ", ".join(f"{fit.seconds:.1f}" for fit in peers)
    print(f"  tomotopy  {len(peer.tree)} topics, {peer.seconds:.1f} s (rounds: {times})", flush=True)
    for sampler in ours:
        one, two = best(fits[sampler, 1]), best(fits[sampler, 2])
        times = ", ".join(f"{fit.seconds:.1f}" for fit in fits[sampler, 1])
        print(
            f"  {sampler}  {len(one.tree)} topics ({len(one.tree) / len(peer.tree):.2f}x), {one.seconds:.1f} s "
            f"(rounds: {times}): {peer.seconds / one.seconds:.2f}x as fast; two threads {two.seconds:.1f} s: "
            f"{one.seconds / two.seconds:.2f}x one",
            flush=True,
        )


def main() -> None:
    print(f"whole runs of {N_ITER} iterations, depth 4; tomotopy 0.13.0 in one thread, TopicGrove in one and in two")
    for name, (theirs, ours) in SETTINGS.items():
        corpus = load(name.partition(",")[0])
        print(f"{name}: {corpus.n_docs} documents, {corpus.n_tokens} tokens, {corpus.n_words} words")
        compare(corpus, theirs, ours, ROUNDS[name])


if __name__ == "__main__":
    main()
