"""Run several processes by mpiexec: seconds, traffic, topics and perplexity of the run, as JSON.

Run as a program, this file is one of these processes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from corpora import load, split
from numpy.typing import NDArray

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.communication import Communicator, launch
from topicgrove.distributed.shards import gathered
from topicgrove.evaluation.completion import completion_perplexity
from topicgrove.fitted import tree_of_state
from topicgrove.persistence.checkpoints import Checkpoint, read_checkpoint
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers, available_cores

WATCHDOG = 3600.0


class Job(NamedTuple):
    """The result of a run. Arrays have an entry per iteration; bytes are the total that all ranks sent.

    ``n_slow`` topics were slow at the end; ``rapid_share`` of the tokens were in the others.
    """

    n_tokens: int
    n_topics: int
    n_slow: int
    rapid_share: float
    perplexity: float | None
    seconds: NDArray[np.float64]
    slow_bytes: NDArray[np.int64]
    rapid_bytes: NDArray[np.int64]


def run_job(n_ranks: int, corpus: str, *, evaluate: bool = False, start: str | None = None, **parameters: Any) -> Job:
    """Train on a corpus with this many ranks; with ``evaluate``, on nine tenths of it, and score the rest.

    ``start`` is the folder of a checkpoint to resume from. Ranks of one thread are pinned to a core each, if there are
    enough.
    """
    bound = parameters.get("n_jobs") == 1 and 1 < n_ranks <= available_cores()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "job.json"
        task = {"corpus": corpus, "evaluate": evaluate, "start": start, "parameters": parameters, "out": str(out)}
        launcher = [mpiexec_path(), "-n", str(n_ranks), *(["-bind-to", "core"] if bound else [])]
        subprocess.run([*launcher, sys.executable, __file__, json.dumps(task)], check=True)
        facts = json.loads(out.read_text(encoding="utf-8"))
    arrays = {name: np.array(facts[name]) for name in ("seconds", "slow_bytes", "rapid_bytes")}
    return Job(**{**facts, **arrays})


def mpiexec_path() -> str:
    """Return the interpreter's own launcher, which belongs to the library that mpi4py finds, or the system's."""
    found = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    if found is None:
        raise SystemExit("mpiexec is not there: pip install 'topicgrove[mpi]'")
    return found


def main(task: dict[str, Any]) -> None:
    comm = launch.communicator(WATCHDOG)
    corpus = load(task["corpus"])
    train, test = split(corpus) if task["evaluate"] else (corpus, None)
    checkpoint = None if task["start"] is None else read_checkpoint(task["start"])
    facts = fit(comm, train, test, task["parameters"], checkpoint)
    if comm.rank == 0:
        Path(task["out"]).write_text(json.dumps(facts), encoding="utf-8")
    comm.barrier()  # the others sleep here; in MPI's finalization, each would keep a core busy


def fit(
    comm: Communicator, train: Corpus, test: Corpus | None, parameters: dict[str, Any], checkpoint: Checkpoint | None
) -> dict[str, Any]:
    plan = make_plan(HierarchicalLDA(**parameters), train, comm.size)
    seconds: list[float] = []
    sent: list[tuple[int, int]] = []

    def note(event: SweepEvent) -> None:
        seconds.append(event.seconds)
        sent.append((event.traffic.slow_bytes, event.traffic.rapid_bytes) if event.traffic else (0, 0))

    with Workers(plan.n_threads) as workers:
        run = Run(plan, train, workers, checkpoint, comm)
        run.go([note], None)
    traffic = np.array(sent, np.int64).T.copy()
    comm.allreduce_sum(traffic)
    slow, rapid = traffic
    drawn = gathered(run.state)
    if drawn is None:
        return {}
    tree = tree_of_state(run.state, train, drawn)
    is_slow = run.state.nodes().slot < run.state.topics.n_slow
    perplexity = None
    if test is not None:
        assert tree.word_counts is not None
        perplexity = completion_perplexity(
            tree, tree.word_counts, run.state.hyper, test, seed=0, n_samples=10, burn_in=20, n_threads=2
        )
    return {
        "n_tokens": train.n_tokens,
        "n_topics": len(tree),
        "n_slow": int(is_slow.sum()),
        "rapid_share": float(tree.n_tokens[~is_slow].sum() / train.n_tokens),
        "perplexity": perplexity,
        "seconds": seconds,
        "slow_bytes": slow.tolist(),
        "rapid_bytes": rapid.tolist(),
    }


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
