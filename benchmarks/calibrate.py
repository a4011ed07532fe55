"""What the model of a cluster needs, measured here: ``experiments/calibration.json``.

Costs per token, per element of phi and per change; what two processes on one machine cost each other; latency and
bandwidth between two ranks; bytes by M; and seconds per iteration of 1 to 4 ranks, which the model is checked against.
Takes a quarter of an hour on a machine that does nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from corpora import load
from rank_jobs import Job, mpiexec_path, run_job
from scaling import EARLY, N_ITER, SETTINGS, threshold_jobs
from threads import SAMPLERS, common_tree

from topicgrove.distributed.changes import Changes, Recorder, pack, unpack
from topicgrove.distributed.ids import Ids
from topicgrove.kernels.changes import add_changes
from topicgrove.kernels.topics import counts_to_log_mean
from topicgrove.memory import aligned

OUT = Path(__file__).parents[1] / "experiments" / "calibration.json"
FINER = {**SETTINGS, "beta": [0.3, 0.15, 0.06, 0.06], "gamma": 1e-4}
ROUNDS = 2

PING_PONG = """
import json, time
import numpy as np
from mpi4py import MPI
world = MPI.COMM_WORLD
def seconds(n_bytes, turns):
    data = np.ones(n_bytes, np.uint8)
    world.Barrier()
    started = time.perf_counter()
    for _ in range(turns):
        if world.rank == 0:
            world.Send(data, 1), world.Recv(data, 1)
        else:
            world.Recv(data, 0), world.Send(data, 0)
    return (time.perf_counter() - started) / turns / 2
small, large = seconds(8, 5000), seconds(2**24, 50)
if world.rank == 0:
    print(json.dumps({"latency": small, "bandwidth": 2**24 / large}))
"""


def main() -> None:
    facts = {
        "corpus": sizes(),
        **kernel_costs(),
        **change_costs(),
        **network(),
        "ranks": ranks(),
        "beside": beside(),
        "finer": ranks_of([(1, 1)], FINER)[0],
        "thresholds": thresholds(),
    }
    OUT.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(f"{OUT.name}: written")


def sizes() -> dict[str, int]:
    corpus = load("20news")
    return {"n_docs": corpus.n_docs, "n_tokens": corpus.n_tokens, "n_words": corpus.n_words}


def best(task: Callable[[], object], turns: int = 5) -> float:
    """The least seconds of some turns, after one that compiles."""
    task()
    seconds = []
    for _ in range(turns):
        started = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def kernel_costs() -> dict[str, float]:
    """Seconds per element of phi: to clear it, and to make a logarithm of its count."""
    matrix = aligned((50_000, 400), np.float32)
    ones = np.ones(400, np.float32)
    return {
        "clear": best(lambda: matrix.fill(0)) / matrix.size,
        "logarithm": best(lambda: counts_to_log_mean(0, len(matrix), matrix, ones, ones)) / matrix.size,
    }


def change_costs() -> dict[str, float]:
    """Seconds to note and list a token, and to pack and to merge a change."""
    corpus = load("20news")
    one = common_tree(corpus, SAMPLERS["pcgs"])(1)
    for _ in range(3):
        one.step()
    state = one.state
    ids = Ids(state)
    ids.begin()
    recorder = Recorder(state, ids)
    order = np.arange(state.n_docs)

    def note_and_list() -> None:
        recorder.note(order)
        recorder.list()

    n, n_topics = 200_000, 100
    rng = np.random.default_rng(0)
    keys = rng.choice(n_topics * state.n_words, n, replace=False).astype(np.int64)
    changes = Changes(n, np.zeros(len(ids), np.int64), [2 * keys])
    batch = unpack(pack(changes, ids, state.n_words))
    counts, totals = np.zeros((state.n_words, n_topics), np.int32), np.zeros(n_topics, np.int32)
    columns = np.arange(n_topics)
    return {
        "record": best(note_and_list) / corpus.n_tokens,
        "pack": best(lambda: pack(changes, ids, state.n_words)) / n,
        "merge": best(lambda: add_changes(columns, batch.position, batch.word, batch.change, counts, totals)) / n,
    }


def network() -> dict[str, float]:
    """Latency in seconds and bandwidth in bytes per second between two ranks on this machine."""
    command = [mpiexec_path(), "-n", "2", sys.executable, "-c", PING_PONG]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def ranks() -> list[dict[str, Any]]:
    return ranks_of([(1, 1), (1, 2), (2, 1), (3, 1), (4, 1)], SETTINGS)


def beside() -> float:
    """Seconds of an iteration of one rank while another process does the same, with matrices of its own."""
    seconds = []
    with ThreadPoolExecutor(2) as pool:
        for _ in range(ROUNDS):
            jobs = pool.map(lambda _: run_job(1, "20news", n_iter=N_ITER, n_jobs=1, **SETTINGS), range(2))
            seconds.append(np.mean([later(job)["seconds"] for job in jobs]))
    return float(min(seconds))


def ranks_of(ways: list[tuple[int, int]], settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Median seconds of an iteration after the early phase, for ranks x threads; the best of some rounds in turns."""
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    for _ in range(ROUNDS):
        for way in ways:
            job = run_job(way[0], "20news", n_iter=N_ITER, n_jobs=way[1], **settings)
            row = {"n_ranks": way[0], "n_threads": way[1], "n_topics": job.n_topics, **later(job)}
            if way not in rows or row["seconds"] < rows[way]["seconds"]:
                rows[way] = row
            print(row, flush=True)
    return list(rows.values())


def thresholds() -> list[dict[str, Any]]:
    """What is sent and which share of the tokens is in rapid topics, by M."""
    rows = []
    for threshold, job in threshold_jobs():
        rows.append({"M": threshold, "n_topics": job.n_topics, **later(job)})
        print(rows[-1], flush=True)
    return rows


def later(job: Job) -> dict[str, float]:
    """What an iteration after the early phase took and sent; bytes are per token."""
    return {
        "seconds": float(np.median(job.seconds[EARLY:])),
        "slow_bytes": float(job.slow_bytes[EARLY:].mean() / job.n_tokens),
        "rapid_bytes": float(job.rapid_bytes[EARLY:].mean() / job.n_tokens),
        "rapid_share": job.rapid_share,
        "n_slow": job.n_slow,
    }


if __name__ == "__main__":
    main()
