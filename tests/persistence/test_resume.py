"""With one thread, a run that was killed and resumed ends bit for bit like an uninterrupted run."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove import HierarchicalLDA

Counts = NDArray[np.int64]

SETTINGS: dict[str, Any] = {
    "n_levels": 3, "beta": 0.2, "gamma": 0.5, "n_iter": 24, "init_iterations": 6, "collapse_below": 6,
    "checkpoint_every": 5, "random_state": 3,
}  # fmt: skip

RUNS: dict[str, dict[str, Any]] = {
    "cgs": {"sampler": "cgs"},
    "pcgs, drawn": {"phi": "draw"},
    "pcgs, mean": {"phi": "mean"},
    "bgs, drawn": {"sampler": "bgs", "phi": "draw"},
    "bgs, mean": {"sampler": "bgs", "phi": "mean"},
    "refine": {"refine": True},
    "target_topics": {"target_topics": 20, "beta": None, "gamma": None},
    "target_topics by gamma": {"target_topics": 20, "gamma": None},
    "learn everything": {"learn": ("alpha", "beta", "gamma")},
    "learn with cgs": {"learn": {"beta", "gamma"}, "sampler": "cgs"},
    "early stopping": {"early_stopping": 4, "n_iter": 60, "init": "monte_carlo"},
    "min_docs": {"min_docs": 4, "gamma": 3.0},
    "max_topics": {"max_topics": 9, "gamma": 3.0},
    "no early phase": {"init": "none"},
    "seeds": {"seeds": {"a": [0, 1], "b": {"words": [2], "c": [3]}}, "learn": ("alpha", "beta", "gamma")},
    "seeds with bgs": {"seeds": {"a": [0, 1], "b": [2]}, "sampler": "bgs"},
    "early phase": {"init": "monte_carlo"},
    "progressive, small batches": {"init": "progressive", "batch_size": 7},
    "several draws": {"init": "monte_carlo", "init_samples": 3},
    "all at once": {
        "refine": True, "target_topics": 15, "beta": None, "gamma": None, "learn": ("alpha", "beta", "gamma"),
        "early_stopping": 6, "min_docs": 2, "n_iter": 40,
    },
}  # fmt: skip


def draw_counts() -> Counts:
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(25, 0.1), 4)
    return np.array([rng.multinomial(20, topics[d % 4]) for d in range(48)])


@pytest.fixture
def counts() -> Counts:
    return draw_counts()


def assert_same_run(one: HierarchicalLDA, other: HierarchicalLDA) -> None:
    assert_array_equal(one.paths_, other.paths_)
    assert_array_equal(one.token_levels_, other.token_levels_)
    assert_array_equal(one.tree_.parent, other.tree_.parent)
    for mine, theirs in zip(one.hyper_parameters_, other.hyper_parameters_, strict=True):
        assert_array_equal(mine, theirs)
    assert one.log_joint_ == other.log_joint_
    assert without_seconds(one) == without_seconds(other)


def without_seconds(model: HierarchicalLDA) -> list[dict[str, Any]]:
    return [row | {"seconds": None} for row in model.history_]


def keep_checkpoints(directory: Path) -> Any:
    """A callback that copies every checkpoint aside: only the newest stay where they are."""

    def keep(event: Any) -> None:
        for path in directory.glob("checkpoint-*"):
            aside = directory.parent / f"at-{path.stem}"
            if not aside.exists():
                shutil.copytree(directory / "corpus", aside / "corpus")
                shutil.copy(path, aside)

    return keep


@pytest.mark.parametrize("name", list(RUNS))
def test_resume_is_bit_identical(counts: Counts, tmp_path: Path, name: str) -> None:
    directory = tmp_path / "run"
    options = SETTINGS | RUNS[name]
    straight = HierarchicalLDA(**options).fit(counts)
    watched = HierarchicalLDA(**options, checkpoint=directory, callbacks=[keep_checkpoints(directory)]).fit(counts)
    assert_same_run(watched, straight)
    early = sorted(tmp_path.glob("at-*"))
    assert len(early) >= 3
    for aside in early:
        assert_same_run(HierarchicalLDA.resume(aside), straight)
    assert_same_run(HierarchicalLDA.resume(directory), straight)


def test_a_stopped_run_stays_stopped(counts: Counts, tmp_path: Path) -> None:
    options = SETTINGS | {"early_stopping": 2, "n_iter": 200, "gamma": 1e-300}
    straight = HierarchicalLDA(**options, checkpoint=tmp_path / "run").fit(counts)
    assert len(straight.history_) < 200
    assert_same_run(HierarchicalLDA.resume(tmp_path / "run"), straight)


def test_more_sweeps_can_be_asked_for(counts: Counts, tmp_path: Path) -> None:
    HierarchicalLDA(**SETTINGS | {"n_iter": 10}, checkpoint=tmp_path / "run").fit(counts)
    longer = HierarchicalLDA.resume(tmp_path / "run", n_iter=24)
    assert longer.n_iter == 24
    straight = HierarchicalLDA(**SETTINGS).fit(counts)
    assert_array_equal(longer.token_levels_, straight.token_levels_)
    assert longer.log_joint_ == straight.log_joint_


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_any_number_of_threads_may_resume(counts: Counts, tmp_path: Path, sampler: str) -> None:
    """Bit for bit only in the blocked sampler; a whole model in the others."""
    options = SETTINGS | {"sampler": sampler}
    HierarchicalLDA(**options | {"n_iter": 10}, checkpoint=tmp_path / "run", n_jobs=2).fit(counts)
    model = HierarchicalLDA.resume(tmp_path / "run", n_iter=24, n_jobs=3)
    model.tree_.check()
    assert len(model.history_) == 24
    if sampler == "bgs":
        assert_array_equal(model.token_levels_, HierarchicalLDA(**options).fit(counts).token_levels_)


KILLED = """
import json, os, signal, sys
from pathlib import Path
import numpy as np
from topicgrove import HierarchicalLDA

def die(event):
    if event.iteration == 17:
        os.kill(os.getpid(), signal.SIGKILL)

folder = Path(sys.argv[1])
for name, options in json.loads(sys.argv[2]).items():
    child = os.fork()
    if child == 0:
        HierarchicalLDA(**options, checkpoint=folder / name, callbacks=[die]).fit(np.load(folder / "X.npy"))
    print(os.WTERMSIG(os.waitpid(child, 0)[1]))
"""

KILLED_RUNS = ["cgs", "pcgs, drawn", "pcgs, mean", "bgs, drawn", "refine", "target_topics", "learn everything"]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checkpoints of processes that were killed in their 17th sweep."""
    folder = tmp_path_factory.mktemp("killed")
    np.save(folder / "X.npy", draw_counts())
    command = [
        sys.executable,
        "-c",
        KILLED,
        str(folder),
        json.dumps({name: SETTINGS | RUNS[name] for name in KILLED_RUNS}),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == [str(int(signal.SIGKILL))] * len(KILLED_RUNS), done.stderr
    return folder


@pytest.mark.posix
@pytest.mark.parametrize("name", KILLED_RUNS)
def test_a_killed_process_can_be_resumed(killed: Path, name: str) -> None:
    names = sorted(os.listdir(killed / name))
    assert names == ["checkpoint-000000010.safetensors", "checkpoint-000000015.safetensors", "corpus", "lock"]
    resumed = HierarchicalLDA.resume(killed / name)
    assert_same_run(resumed, HierarchicalLDA(**SETTINGS | RUNS[name]).fit(np.load(killed / "X.npy")))
