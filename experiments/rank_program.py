"""One of the processes of a run that ``scalability.py`` starts with mpiexec; the first writes the result as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from experiments.fits import fit, load, model_of, score, split
from topicgrove.communication import launch

WATCHDOG = 3600.0


def main(task: dict[str, Any]) -> None:
    """Train with the others; the first process scores the model."""
    comm = launch.communicator(WATCHDOG)
    train, test = split(load(task["corpus"]))
    if comm.size == 1:
        model, row = fit(train, **task["parameters"])
    else:
        model, row = model_of(**task["parameters"]).fit(train, communicator=comm), {}
    if comm.rank == 0:
        row |= {"n_topics": len(model.tree_), "topics_per_level": model.tree_.n_topics_per_level}
        row["sweep_seconds"] = round(sum(sweep["seconds"] for sweep in model.history_), 4)
        row["perplexity"] = score(model, test)
        Path(task["out"]).write_text(json.dumps(row), encoding="utf-8")
    comm.barrier()  # the others sleep here; in MPI's finalization, each would keep a core busy


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
