"""Errors that all ranks raise: a program catches them and continues. Arguments: file of counts, folder."""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from topicgrove import HierarchicalLDA
from topicgrove.communication.mpi import MPICommunicator

SETTINGS: dict[str, Any] = {"n_levels": 3, "gamma": 1.0, "beta": 0.1, "n_iter": 6, "random_state": 1}


def error_of(task: Callable[[], object]) -> list[str]:
    """Return the type and text of the exception that a call raises."""
    try:
        task()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return []


def main(counts: str, folder: str) -> None:
    comm, X = MPICommunicator(), np.load(counts)
    last = comm.rank == comm.size - 1
    in_the_way = Path(folder, "file")
    in_the_way.touch()

    def fit(X: Any = X, **options: Any) -> HierarchicalLDA:
        return HierarchicalLDA(**(SETTINGS | options)).fit(X, communicator=comm)

    errors = {
        "argument": error_of(lambda: fit(alpha=-1)),
        "argument of one rank": error_of(lambda: fit(n_jobs=0 if last else 1)),
        "documents of one rank": error_of(lambda: fit(-X if last else X)),
        "task": error_of(lambda: fit(random_state=comm.rank)),
        "callbacks": error_of(lambda: fit(callbacks=[None])),
        "checkpoints": error_of(lambda: fit(checkpoint=in_the_way)),
        "interval": error_of(lambda: fit(checkpoint=f"{folder}/none", checkpoint_every=0)),
        "no checkpoint": error_of(lambda: HierarchicalLDA.resume(f"{folder}/none", communicator=comm)),
    }
    run = f"{folder}/run"
    fit(n_iter=2, checkpoint=run)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if last:
        # A full disk for one rank.
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    model = HierarchicalLDA.from_checkpoint(run).set_params(n_iter=9, checkpoint_every=2)
    errors["full disk"] = error_of(lambda: model.continue_fit(communicator=comm))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    left = sorted(path.name for path in Path(run).iterdir())
    n_kept = len(model.history_) if comm.rank == 0 else 0
    resumed = HierarchicalLDA.resume(run, n_iter=5, communicator=comm)
    all_errors = MPI.COMM_WORLD.allgather(errors)
    if comm.rank == 0:
        print(json.dumps({"errors": all_errors, "left": left, "kept": n_kept, "resumed": len(resumed.history_)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
