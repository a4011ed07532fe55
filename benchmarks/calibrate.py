"""Measure what the model of a cluster needs, and write ``experiments/calibration.json``.

Costs per token, per element of phi and per change; how much two processes on one machine slow each other down; latency
and bandwidth between two ranks; bytes by M; and seconds per iteration of 1 to 4 ranks, to check the model. Takes a
quarter of an hour on an idle machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from corpora import load
from rank_jobs import Job, mpiexec_path, run_job
from scaling import CORPUS, EARLY, SETTINGS, TIMED, threshold_jobs
from threads import SAMPLERS, common_tree

from topicgrove import HierarchicalLDA
from topicgrove.distributed.changes import Changes, Recorder, pack, unpack
from topicgrove.distributed.ids import Ids
from topicgrove.kernels.changes import add_changes
from topicgrove.kernels.topics import counts_to_log_mean
from topicgrove.memory import aligned

OUT = Path(__file__).parents[1] / "experiments" / "calibration.json"
FINER = {**SETTINGS, "beta": [0.3, 0.15, 0.06, 0.06], "gamma": 1e-4}
ROUNDS = 4

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
        **timed([(1, 1), (1, 2), (2, 1), (3, 1), (4, 1)], SETTINGS, pair=True),
        "finer": timed([(1, 1)], FINER)["ranks"][0],
        "thresholds": thresholds(),
    }
    OUT.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(f"{OUT.name}: written")


def sizes() -> dict[str, int]:
    corpus = load(CORPUS)
    return {"n_docs": corpus.n_docs, "n_tokens": corpus.n_tokens, "n_words": corpus.n_words}


def best(task: Callable[[], object], turns: int = 5) -> float:
    """Return the least seconds of several calls, after one that compiles."""
    task()
    seconds = []
    for _ in range(turns):
        started = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def kernel_costs() -> dict[str, float]:
    """Measure seconds per element of phi: to clear it, and to turn its count into a logarithm."""
    matrix = aligned((50_000, 400), np.float32)
    ones = np.ones(400, np.float32)
    return {
        "clear": best(lambda: matrix.fill(0)) / matrix.size,
        "logarithm": best(lambda: counts_to_log_mean(0, len(matrix), matrix, ones, ones)) / matrix.size,
    }


def change_costs() -> dict[str, float]:
    """Measure seconds to note and list a token, and to pack and to merge a change."""
    corpus = load(CORPUS)
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
    """Measure latency in seconds and bandwidth in bytes per second between two ranks on this machine."""
    command = [mpiexec_path(), "-n", "2", sys.executable, "-c", PING_PONG]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def timed(ways: list[tuple[int, int]], settings: dict[str, Any], *, pair: bool = False) -> dict[str, Any]:
    """Time iterations of ranks x threads and, if asked for, of two processes side by side, all from the same tree.

    Returns median seconds per iteration, the best of several rounds in turns. In each iteration, the pair is as fast as
    the slower of the two, as if one waited for the other.
    """
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    pairs = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        HierarchicalLDA(n_iter=EARLY + 2, checkpoint=folder, n_jobs=-1, **settings).fit(load(CORPUS))
        settings = {**settings, "start": folder, "n_iter": EARLY + 2 + TIMED}
        for _ in range(ROUNDS):
            for way in ways:
                job = run_job(way[0], CORPUS, n_jobs=way[1], **settings)
                row = {"n_ranks": way[0], "n_threads": way[1], "n_topics": job.n_topics, **means(job)}
                if way not in rows or row["seconds"] < rows[way]["seconds"]:
                    rows[way] = row
                print(row, flush=True)
            if pair:
                both = list(pool.map(lambda _: run_job(1, CORPUS, n_jobs=1, **settings).seconds, range(2)))
                pairs.append(float(np.median(np.maximum(*both))))
                print(f"slower of two processes: {pairs[-1]:.3f} s", flush=True)
    return {"ranks": list(rows.values()), **({"beside": min(pairs)} if pair else {})}


def thresholds() -> list[dict[str, Any]]:
    """Measure, by M, how much is sent and which share of the tokens is in rapid topics."""
    rows = []
    for threshold, job in threshold_jobs():
        rows.append({"M": threshold, "n_topics": job.n_topics, **means(job, EARLY)})
        print(rows[-1], flush=True)
    return rows


def means(job: Job, first: int = 0) -> dict[str, float]:
    """Average what iterations took and sent, from a given one on; bytes are per token."""
    return {
        "seconds": float(np.median(job.seconds[first:])),
        "slow_bytes": float(job.slow_bytes[first:].mean() / job.n_tokens),
        "rapid_bytes": float(job.rapid_bytes[first:].mean() / job.n_tokens),
        "rapid_share": job.rapid_share,
        "n_slow": job.n_slow,
    }


if __name__ == "__main__":
    main()
