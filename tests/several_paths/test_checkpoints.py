"""Runs of NestedHDP go on from their checkpoints: with one thread, bit for bit like an uninterrupted run."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topicgrove import CorruptModelError, HierarchicalLDA, NestedHDP
from topicgrove.persistence import checkpoints, sealed
from topicgrove.persistence.checkpoints import read_checkpoint
from topicgrove.several_paths import samplers

SETTINGS: dict[str, Any] = {
    "n_levels": 3, "n_iter": 34, "init_iterations": 3, "learn_after": 6, "grow_every": 3, "gamma": 2.0, "min_tokens": 3,
    "checkpoint_every": 4, "random_state": 3,
}  # fmt: skip

TREE = [-1, 0, 0, *[1] * 20, *[2] * 20]

RUNS: dict[str, dict[str, Any]] = {
    "growing": {},
    "growing from a tree": {"tree": TREE},
    "a fixed tree": {"tree": TREE, "grow": False},
    "nothing learned": {"learn": (), "tree": TREE},
    "partially collapsed, drawn": {"sampler": "pcgs", "collapse_below": 60, "phi": "draw"},
    "partially collapsed, mean": {"sampler": "pcgs", "collapse_below": 60, "phi": "mean", "tree": TREE},
    "a balanced start": {"init": "none", "target_topics": 60},
}


def draw_counts() -> np.ndarray:
    """Above 1,000 tokens topics are proposed from tables, which is what must be restored."""
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(40, 0.1), 6)
    return np.array([rng.multinomial(40, topics[d % 6] / 2 + topics[(d + d // 6) % 6] / 2) for d in range(48)])


@pytest.fixture
def counts() -> np.ndarray:
    return draw_counts()


@pytest.fixture(autouse=True)
def rare_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables of earlier sweeps be in use after few sweeps."""
    monkeypatch.setattr(samplers, "EVERY_SWEEP", 3)


def assert_same_run(one: NestedHDP, other: NestedHDP) -> None:
    assert_array_equal(one.tree_.parent, other.tree_.parent)
    assert_array_equal(one.token_topics_, other.token_topics_)
    assert_array_equal(one.paths_, other.paths_)
    for mine, theirs in zip(one.hyper_parameters_[:3], other.hyper_parameters_[:3], strict=True):
        assert_array_equal(mine, theirs)
    assert [row | {"seconds": None} for row in one.history_] == [row | {"seconds": None} for row in other.history_]


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
def test_resume_is_bit_identical(counts: np.ndarray, tmp_path: Path, name: str) -> None:
    directory, options = tmp_path / "run", SETTINGS | RUNS[name]
    straight = NestedHDP(**options).fit(counts)
    watched = NestedHDP(**options, checkpoint=directory, callbacks=[keep_checkpoints(directory)]).fit(counts)
    assert_same_run(watched, straight)
    early = sorted(tmp_path.glob("at-*"))
    assert len(early) >= 6
    stale = 0
    for aside in early:
        stale += "refreshed" in read_checkpoint(aside).state
        assert_same_run(NestedHDP.resume(aside), straight)
    assert stale > 0, "no checkpoint has tables of an earlier sweep"
    assert_same_run(NestedHDP.resume(directory, counts), straight)


def test_more_sweeps_can_be_asked_for(counts: np.ndarray, tmp_path: Path) -> None:
    NestedHDP(**SETTINGS | {"n_iter": 10}, checkpoint=tmp_path).fit(counts)
    longer = NestedHDP.resume(tmp_path, n_iter=34)
    straight = NestedHDP(**SETTINGS).fit(counts)
    assert_array_equal(longer.token_topics_, straight.token_topics_)
    assert longer.n_iter == 34


def test_any_number_of_threads_may_resume(counts: np.ndarray, tmp_path: Path) -> None:
    NestedHDP(**SETTINGS | {"n_iter": 8}, checkpoint=tmp_path, n_jobs=2).fit(counts)
    model = NestedHDP.resume(tmp_path, n_iter=14, n_jobs=3)
    model.tree_.check()
    assert len(model.history_) == 14


def test_held_out_documents_stay_held_out(counts: np.ndarray, tmp_path: Path) -> None:
    straight = NestedHDP(**SETTINGS).fit(counts, held_out=0.2)
    NestedHDP(**SETTINGS | {"n_iter": 12}, checkpoint=tmp_path).fit(counts, held_out=0.2)
    resumed = NestedHDP.resume(tmp_path, n_iter=34)
    assert len(straight.held_out_) == 10
    assert len(straight.paths_) == 38
    assert_array_equal(resumed.held_out_, straight.held_out_)
    assert_array_equal(resumed.token_topics_, straight.token_topics_)
    assert straight.history_[24]["perplexity"] == resumed.history_[24]["perplexity"] < 40
    assert straight.history_[3]["perplexity"] is None


INTERRUPTED = """
import os, signal, sys
import numpy as np
from topicgrove import NestedHDP

def stop(event):
    if event.iteration == 13:
        os.kill(os.getpid(), int(sys.argv[3]))

options = eval(sys.argv[2])
NestedHDP(**options, checkpoint=sys.argv[1] + "/run", callbacks=[stop]).fit(np.load(sys.argv[1] + "/X.npy"))
"""


@pytest.mark.posix
@pytest.mark.parametrize(("stop", "last"), [(signal.SIGKILL, 12), (signal.SIGINT, 13)])
def test_a_stopped_process_can_be_resumed(
    counts: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: signal.Signals, last: int
) -> None:
    """A kill loses what came after the last checkpoint, and an interrupt nothing."""
    monkeypatch.undo()
    np.save(tmp_path / "X.npy", counts)
    arguments = [str(tmp_path), repr(SETTINGS), str(int(stop))]
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert read_checkpoint(tmp_path / "run").iteration == last, done.stderr
    assert_same_run(NestedHDP.resume(tmp_path / "run"), NestedHDP(**SETTINGS).fit(counts))


def test_an_interrupted_model_has_no_unused_topics(counts: np.ndarray, tmp_path: Path) -> None:
    def stop(event: Any) -> None:
        if event.iteration == 16:
            raise KeyboardInterrupt

    model = NestedHDP(**SETTINGS | RUNS["growing from a tree"], callbacks=[stop])
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    model.tree_.check()
    inside = np.zeros(len(model.tree_), int)
    np.add.at(inside, model.token_topics_, 1)
    for topic in range(len(inside) - 1, 0, -1):
        inside[model.tree_.parent[topic]] += inside[topic]
    assert inside.min() > 0


def test_a_checkpoint_of_the_other_model_is_refused_by_its_name(counts: np.ndarray, tmp_path: Path) -> None:
    NestedHDP(**SETTINGS | {"n_iter": 4}, checkpoint=tmp_path).fit(counts)
    with pytest.raises(ValueError, match="checkpoints of a NestedHDP, not of a HierarchicalLDA"):
        HierarchicalLDA.resume(tmp_path)
    with pytest.raises(ValueError, match="has those of another model, nhdp"):
        HierarchicalLDA(checkpoint=tmp_path).continue_fit()


Change = Any


def changed(name: str, change: Any) -> Change:
    def apply(facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        array = arrays[name].copy()
        result = change(array)
        arrays[name] = array if result is None else result

    return apply


def put(place: Any, value: Any) -> Any:
    return lambda array: array.__setitem__(place, value)


CHANGES: dict[str, Change] = {
    "a topic that is not there": changed("token_topics", put(0, 255)),
    "topics as floats": changed("token_topics", lambda a: a.astype(np.float64)),
    "a token too few now": changed("token_topics", lambda a: a[:-1]),
    "a token too few at the last refresh": changed("refreshed", lambda a: a[:-1]),
    "a topic that was not there": changed("refreshed", put(0, 255)),
    "a parent after its child": changed("parent", put(1, 5)),
    "an orphan": changed("parent", put(2, -1)),
    "a weight of nothing": changed("hyper.child_weight", put(1, 0.0)),
    "a rest below nothing": changed("hyper.rest_weight", put(0, -1.0)),
    "NaN in growth": changed("growth.tau", put(0, np.nan)),
    "too many levels in growth": changed("growth.stop", lambda a: np.append(a, 1.0)),
    "a refresh far away": changed("next_refresh", put(0, 10**9)),
    "no growth": lambda facts, arrays: (arrays.pop("growth.tau"), arrays.pop("growth.stop")),
    "no topics": lambda facts, arrays: arrays.pop("token_topics"),
    "another model": lambda facts, arrays: facts.update(model="hlda"),
    "a model of the future": lambda facts, arrays: facts.update(model="forest"),
    "another iteration": lambda facts, arrays: facts.update(iteration=3),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("saved")
    options = SETTINGS | {"n_iter": 26, "checkpoint_every": 26, "tree": TREE, "learn": (), "grow_every": 9}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samplers, "EVERY_SWEEP", 3)
        NestedHDP(**options, checkpoint=directory).fit(draw_counts())
    return directory


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_contradiction_is_refused(saved: Path, tmp_path: Path, name: str) -> None:
    directory = tmp_path / "changed"
    shutil.copytree(saved, directory)
    (path,) = directory.glob("checkpoint-*")
    facts, arrays = sealed.read_sealed(path, checkpoints.KIND, checkpoints.VERSION)
    assert "refreshed" in arrays
    CHANGES[name](facts, arrays)
    sealed.write_sealed(path, checkpoints.KIND, checkpoints.VERSION, facts, arrays)
    with pytest.raises(CorruptModelError):
        NestedHDP.resume(directory)
