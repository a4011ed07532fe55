"""How far a chain in lockstep is from the exact posterior: n_iter, and optionally a mistake to make."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "statistics"))

from posterior import BURN_IN, FIXTURES, Frequencies, exact_posterior

from topicgrove.communication import Communicator
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.topics import Topics
from topicgrove.workers import Workers


def frequencies(comm: Communicator, n_iter: int, sync: str) -> Frequencies:
    """Those of this rank's documents."""
    problem = FIXTURES["C"]
    model = problem.model(sampler="cgs", n_iter=n_iter + BURN_IN, random_state=0, sync=sync)
    seen = Frequencies(BURN_IN)
    Run(make_plan(model, problem.corpus, comm.size), problem.corpus, Workers(1), comm=comm).go([seen], None)
    return seen


def merge_without_weights() -> None:
    """A mistake: m of other ranks' documents is added, and its logarithm, which paths are weighed by, is not."""
    add_documents, set_weights = Topics.add_documents, Topics.set_weights

    def add(*arguments: Any) -> None:
        Topics.set_weights = lambda *_: None  # type: ignore[method-assign]
        add_documents(*arguments)
        Topics.set_weights = set_weights  # type: ignore[method-assign]

    Topics.add_documents = add  # type: ignore[method-assign]


def main(n_iter: int, mistake: str = "none") -> None:
    from mpi4py import MPI

    from topicgrove.communication.mpi import MPICommunicator

    if mistake == "no weights":
        merge_without_weights()
    seen = frequencies(MPICommunicator(), n_iter, "bsp" if mistake == "once a sweep" else "lockstep")
    parts = MPI.COMM_WORLD.gather((np.array(seen._paths), np.array(seen._levels)))
    if parts is not None:
        seen._paths, seen._levels = (list(np.concatenate(arrays, axis=1)) for arrays in zip(*parts, strict=True))
        print(json.dumps(seen.distance(exact_posterior(FIXTURES["C"]))._asdict()))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
