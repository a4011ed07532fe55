"""Fits by all ranks, with a check after every iteration: number of threads, file of counts, "all" or "core" kinds."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from whole import assert_whole_after_sweep

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.communication import Communicator
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.samplers import bottom_up
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers

SETTINGS: dict[str, Any] = {
    "n_levels": 3,
    "beta": [0.5, 0.1, 0.05],
    "gamma": 5.0,
    "collapse_below": 4,
    "phi": "mean",
    "n_iter": 6,
    "init": "monte_carlo",
    "init_iterations": 2,
    "random_state": 7,
}

CORE: dict[str, dict[str, Any]] = {
    "cgs": {"sampler": "cgs"},
    "pcgs": {"sampler": "pcgs", "gamma": 30.0},
    "pcgs, all slow": {"sampler": "pcgs", "collapse_below": 1, "gamma": 30.0},
    "bgs": {"sampler": "bgs", "gamma": 1.0},
    "bsp": {"sync": "bsp"},
    "server": {"sync": "server"},
    "lockstep": {"sync": "lockstep", "n_iter": 2},
    "max topics": {"max_topics": 20, "gamma": 30.0},
}

OPTIONS: dict[str, dict[str, Any]] = {
    "no batches": {"init": "none"},
    "bottom up": {"init": "bottom_up"},
    "bottom up, pcgs": {"init": "bottom_up", "sampler": "pcgs", "gamma": 30.0},
    "several draws": {"init_samples": 3},
    "refine": {"refine": True, "gamma": 0.01, "n_iter": 9},
    "learn": {"learn": ["alpha", "beta", "gamma"], "n_iter": 8},
    "target": {"target_topics": 30, "beta": None, "gamma": None, "init_iterations": 5},
    "early stopping": {"early_stopping": 2, "n_iter": 200, "gamma": 0.1},
    "min docs": {"min_docs": 5},
    "max topics, bsp": {"max_topics": 20, "gamma": 30.0, "sync": "bsp"},
}

# So that documents also enter after those of the first tree.
bottom_up.SAMPLE = 30


class Checks:
    """Fits by all ranks of a communicator."""

    def __init__(self, comm: Communicator, everybody: Any, n_threads: int) -> None:
        self.comm = comm
        self.everybody = everybody
        self.n_threads = n_threads

    def fit(self, corpus: Corpus, **options: Any) -> dict[str, Any]:
        """Fit, checking after every iteration and at the end; return the result, the same on all ranks."""
        options = SETTINGS | options
        model = HierarchicalLDA(**options, n_jobs=self.n_threads)
        blocked = options.get("sampler") == "bgs"
        n_topics = []

        def check(event: SweepEvent) -> None:
            n_topics.append(self._check(event.state, blocked))

        with Workers(self.n_threads) as workers:
            plan = make_plan(model, corpus, self.comm.size)
            run = Run(plan, corpus, workers, comm=self.comm)
            run.go([check], None)
            self._check(run.state, blocked)
            keys = np.concatenate(self.everybody(run.state.docs.key))
            assert np.array_equal(keys, np.arange(corpus.n_docs)), "documents share a stream of random numbers"
            nodes = run.state.nodes()
            hyper = [part.tolist() for part in run.state.hyper]
            result = {
                "n_topics": n_topics,
                "smallest": int(nodes.n_docs.min()),
                "hyper": hyper,
                "shards": np.diff(run.state.assignments.starts[:, 0]).tolist(),
            }
        assert self.everybody(result) == [result] * self.comm.size, "the ranks differ"
        return result

    def _check(self, state: Any, blocked: bool) -> int:
        return assert_whole_after_sweep(state, self.everybody, mean_phi=True, blocked=blocked)

    def blocked(self, corpus: Corpus, phi: str) -> str:
        """Return a hash of a blocked run by the public estimator."""
        options = SETTINGS | {"sampler": "bgs", "gamma": 1.0, "phi": phi}
        model = HierarchicalLDA(**options, n_jobs=self.n_threads).fit(corpus, communicator=self.comm)
        assert hasattr(model, "tree_") == (self.comm.rank == 0)
        return fingerprint(model) if self.comm.rank == 0 else ""


def fingerprint(model: HierarchicalLDA) -> str:
    """Return a hash of everything that a fit decides."""
    digest = hashlib.sha256()
    for array in (model.paths_, model.token_levels_, model.tree_.parent, model.tree_.n_docs):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def odd_corpora() -> dict[str, Corpus]:
    """Fewer documents than ranks, and shards that cannot be even."""
    rng = np.random.default_rng(0)
    return {
        "one document": Corpus.from_documents([[0, 1, 1, 2]]),
        "two documents": Corpus.from_documents([[0, 1, 1, 2], [3, 3]]),
        "one long document": Corpus.from_documents([rng.integers(30, size=3000), *([k % 30] for k in range(40))]),
        "a long one at the end": Corpus.from_documents([*([k % 30] for k in range(40)), rng.integers(30, size=3000)]),
        "empty ones": Corpus.from_documents([[0, 1], *[[]] * 5, [2, 3], *[[]] * 20]),
    }


def main(n_threads: int, counts: str, kinds: str) -> None:
    from mpi4py import MPI

    from topicgrove.communication.mpi import MPICommunicator

    warnings.simplefilter("error")
    corpus = Corpus.from_matrix(np.load(counts))
    everybody = MPI.COMM_WORLD.allgather
    checks = Checks(MPICommunicator(), everybody, n_threads)
    in_pieces = Checks(MPICommunicator(max_elements=200), everybody, n_threads)
    results = {name: checks.fit(corpus, **options) for name, options in CORE.items()}
    for name, odd in odd_corpora().items():
        results[name] = checks.fit(odd)
    hashes = {phi: [checks.blocked(corpus, phi)] for phi in ("mean", "draw")}
    if kinds == "all":
        results |= {name: checks.fit(corpus, **options) for name, options in OPTIONS.items()}
        for name in ("pcgs", "server"):
            results[f"{name} in pieces"] = in_pieces.fit(corpus, **(CORE[name] | {"n_iter": 2}))
        hashes["draw"].append(in_pieces.blocked(corpus, "draw"))
    if checks.comm.rank == 0:
        print(json.dumps({"fits": results, "blocked": hashes}))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
