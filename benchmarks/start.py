"""Cost of the default start: full fits with as many sweeps, in turns with version 0.3's defaults, in one thread.

``python benchmarks/start.py [CORPUS ...]`` runs some corpora. Times are processor times, which other programs disturb
less than wall-clock times.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from corpora import split
from trees import ARXIV, before, read

from topicgrove import Corpus, HierarchicalLDA

CORPORA = ("nips", "20news", ARXIV)
SEEDS = (1, 2, 3)
SOME = 200


def seconds(corpus: Corpus, seed: int, options: dict[str, Any]) -> tuple[float, int]:
    """Return the processor time of a fit, and its number of topics."""
    started = time.process_time()
    model = HierarchicalLDA(random_state=seed, **options).fit(corpus)
    return time.process_time() - started, len(model.tree_)


def main(names: Iterable[str] = CORPORA) -> None:
    """Print the seconds of every pair of fits, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            corpus = split(read(name, folder)[0])[0]
            both: list[dict[str, Any]] = [{}, before(corpus)]
            for options in both:  # compile first
                seconds(corpus.take(np.arange(SOME)), 0, options | {"n_iter": 2})
            ratios = []
            for seed in SEEDS:
                (ours, n_ours), (theirs, n_theirs) = (seconds(corpus, seed, options) for options in both)
                ratios.append(ours / theirs)
                print(f"{name}, seed {seed}: {ours:.1f} s, {n_ours} topics; 0.3: {theirs:.1f} s, {n_theirs} topics")
            print(f"{name}: {np.mean(ratios):.3f} times the seconds of 0.3", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or CORPORA)
