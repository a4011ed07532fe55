"""Memory runs out during training: one line says what to do, and existing files stay."""

import subprocess
import sys

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA, load

LIMITED = """
import resource, sys
from topicgrove.cli import main
from topicgrove.training import Trainer

step = Trainer.step

def limited_step(trainer):
    if trainer.iteration == 2:
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**24, resource.RLIM_INFINITY))
    step(trainer)

Trainer.step = limited_step
main(sys.argv[1:])
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_that_runs_out_leaves_checkpoints_and_a_whole_model(tmp_path, threads):
    rng = np.random.default_rng(5)
    store, saved, checkpoints = (tmp_path / name for name in ("store", "m.grove", "checkpoints"))
    Corpus.from_documents([rng.integers(20_000, size=30) for _ in range(1000)]).save(store)
    saved.write_text("a model")
    options = ["--gamma", "100", "--beta", "0.01", "--iterations", "6", "--threads", str(threads), "--quiet"]
    places = [str(store), "-o", str(saved), "--checkpoint", str(checkpoints), "--checkpoint-every", "1"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "fit", *places, *options], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 74, done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("topicgrove: error: not enough memory: ")
    assert "fewer topics (--max-topics)" in line
    assert "Traceback" not in done.stderr
    assert saved.read_bytes() == b"a model" or load(saved).paths_.shape == (1000, 4)
    resumed = HierarchicalLDA.resume(checkpoints, n_iter=7)
    assert len(resumed.history_) == 7
