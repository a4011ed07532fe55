"""Peak memory of a fit with a large vocabulary; compilation on first use; warm import."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from corpora import FOLDER

FIT = """
import resource, sys
from topicgrove import HierarchicalLDA, read_uci
beta, gamma = [.08, .04, .015, .008], float(sys.argv[3])
model = HierarchicalLDA(4, sampler=sys.argv[2], collapse_below=64, beta=beta, gamma=gamma, n_iter=40, random_state=1)
model.fit(read_uci(sys.argv[1]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(f"news3k, {sys.argv[2]}: {len(model.tree_)} topics, peak {peak:.2f} GB")
"""

FIRST = """
import time
import numpy as np
from topicgrove import HierarchicalLDA
X = np.random.default_rng(0).poisson(1.0, (40, 30))
started = time.perf_counter()
HierarchicalLDA(n_iter=40, random_state=0).fit(X)
print(f"{time.perf_counter() - started:.1f}")
"""


def run(code: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> None:
    for sampler in ("pcgs", "cgs"):
        print(run(FIT, str(FOLDER / "news3k" / "docword.news3k.txt.gz"), sampler, "1e-5"), flush=True)
    with tempfile.TemporaryDirectory() as cache:
        cold = run(FIRST, TOPICGROVE_CACHE_DIR=cache)
        warm = run(FIRST, TOPICGROVE_CACHE_DIR=cache)
    print(f"first fit ever {cold} s, the same in a new process {warm} s: the difference is compilation")
    for statement in ("import topicgrove", "from topicgrove import HierarchicalLDA"):
        print(f"warm `{statement}`, the interpreter's start included: {fastest(statement):.2f} s")


def fastest(statement: str) -> float:
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        run(statement)
        seconds.append(time.perf_counter() - started)
    return min(seconds)


if __name__ == "__main__":
    main()
