"""Plain Python gives the same results as machine code, and machine code that checks its indices finds no fault."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from topicgrove import HierarchicalLDA

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="these tests start the run without compilation themselves"
)

FIT = """
import sys
import numpy as np
from topicgrove import HierarchicalLDA
X = np.load(sys.argv[1])
model = HierarchicalLDA(3, beta=[1.0, 0.5, 0.2], gamma=1.0, sampler="cgs", n_iter=4, init_iterations=2, random_state=5)
model.fit(X)
np.savez(sys.argv[2], paths=model.paths_, levels=model.token_levels_, log_joint=model.log_joint_)
"""

CHECKED_FIT = """
import numpy as np
from topicgrove import HierarchicalLDA
from topicgrove.kernels.topics import move_columns

try:
    move_columns(0, 3, np.zeros((3, 3), np.int32), np.zeros((2, 1), np.int32), np.zeros((0, 3), np.int64))
except IndexError:
    print("indices are checked")
rng = np.random.default_rng(0)
topics = rng.dirichlet(np.full(40, 0.05), 12)
X = np.array([rng.multinomial(rng.integers(1, 30), topics[d % 12] * 0.7 + 0.3 / 40) for d in range(120)])
for sampler in ("cgs", "pcgs", "bgs"):
    for n_jobs in (1, 2):
        for init_samples in (1, 3):
            model = HierarchicalLDA(
                4, beta=0.1, gamma=2.0, sampler=sampler, collapse_below=4, n_iter=5, init_iterations=3,
                init_samples=init_samples, n_jobs=n_jobs, random_state=n_jobs,
            ).fit(X)
            model.perplexity(X, random_state=0, n_samples=2, burn_in=3)
            print(sampler, n_jobs, init_samples, int(model.topic_word_counts_.sum()) == X.sum())
"""


def run_python(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=900,
        cwd=Path(__file__).parents[2],
    )


def test_kernel_tests_pass_without_compilation() -> None:
    done = run_python("-m", "pytest", "-p", "no:cacheprovider", str(Path(__file__).parent), NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_a_fit_without_compilation_gives_the_same_paths_and_levels(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = rng.poisson(0.8, (12, 15))
    np.save(tmp_path / "X.npy", X)
    done = run_python(
        "-W", "error", "-c", FIT, str(tmp_path / "X.npy"), str(tmp_path / "model.npz"), NUMBA_DISABLE_JIT="1"
    )
    assert done.returncode == 0, done.stderr
    plain = np.load(tmp_path / "model.npz")
    compiled = HierarchicalLDA(
        3, beta=[1.0, 0.5, 0.2], gamma=1.0, sampler="cgs", n_iter=4, init_iterations=2, random_state=5
    ).fit(X)
    np.testing.assert_array_equal(plain["paths"], compiled.paths_)
    np.testing.assert_array_equal(plain["levels"], compiled.token_levels_)
    assert plain["log_joint"] == pytest.approx(compiled.log_joint_, rel=1e-9)


@pytest.mark.slow
def test_no_kernel_leaves_its_arrays(tmp_path: Path) -> None:
    """The machine code of this test checks every index; it has a separate cache, so that other tests don't use it."""
    done = run_python("-W", "error", "-c", CHECKED_FIT, NUMBA_BOUNDSCHECK="1", TOPICGROVE_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "indices are checked"
    assert len(lines) == 13
    assert all(line.endswith("True") for line in lines[1:])
