"""Fits of walks by all ranks, with a check after every sweep: number of threads, file of counts, tokens of one process.

Each fit is compared with what all tokens amount to; the one in lockstep with the topics of a single process.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.several_paths.whole_walks import assert_walks_are_counted
from topicgrove import Corpus, NestedHDP
from topicgrove.communication import Communicator
from topicgrove.several_paths.plans import make_walk_plan
from topicgrove.several_paths.runs import WalkRun
from topicgrove.several_paths.starts import balanced_tree
from topicgrove.workers import Workers

SETTINGS: dict[str, Any] = {"n_iter": 5, "learn_after": 2, "grow_every": 2, "init": "none", "random_state": 0}


def fit(comm: Communicator, corpus: Corpus, everybody: Any, n_threads: int, sync: str, **options: Any) -> list[int]:
    """Return the numbers of topics after every sweep."""
    model = NestedHDP(3, **SETTINGS, sync=sync, n_jobs=n_threads, **options)
    n_topics: list[int] = []

    def check(event: Any) -> None:
        assert_walks_are_counted(event.state, everybody)
        n_topics.append(sum(event.n_topics_per_level))

    with Workers(n_threads) as workers:
        run = WalkRun(make_walk_plan(model, corpus, comm.size), corpus, workers, balanced_tree(3, 13), comm=comm)
        run.go([check])
        assert_walks_are_counted(run.state, everybody)
    return n_topics


def main(n_threads: int, counts: str, tokens: str) -> None:
    from mpi4py import MPI

    from topicgrove.communication.mpi import MPICommunicator

    warnings.simplefilter("error")
    corpus = Corpus.from_matrix(np.load(counts))
    comm, everybody = MPICommunicator(), MPI.COMM_WORLD.allgather
    fits = {sync: fit(comm, corpus, everybody, n_threads, sync) for sync in ("hybrid", "bsp", "server")}
    partially: dict[str, Any] = {"sampler": "pcgs", "collapse_below": 300}
    fits["pcgs"] = fit(comm, corpus, everybody, n_threads, "hybrid", **partially)
    few = Corpus.from_documents([[0, 1, 1, 2], [3, 3]])
    fits["two documents"] = fit(comm, few, everybody, n_threads, "hybrid")
    fits["in pieces"] = fit(MPICommunicator(max_elements=200), corpus, everybody, n_threads, "hybrid")
    model = NestedHDP(3, **SETTINGS, sync="lockstep").fit(corpus, communicator=comm)
    assert hasattr(model, "tree_") == (comm.rank == 0)
    if comm.rank == 0:
        assert (model.token_topics_ == np.load(tokens)).all(), "lockstep does not do what one process does"
        print(json.dumps(fits))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
