"""Checkpoints of several ranks: nothing is lost, any number of ranks can resume, and foreign parts are refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove import HierarchicalLDA
from topicgrove.communication.communicator import PeerLostError
from topicgrove.persistence import checkpoints
from topicgrove.persistence.sealed import CorruptModelError

from .thread_ranks import ThreadCommunicator, run_ranks

OPTIONS: dict[str, Any] = {
    "init": "monte_carlo",
    "beta": [0.5, 0.1, 0.05],
    "gamma": 2.0,
    "collapse_below": 5,
    "init_iterations": 2,
    "random_state": 3,
}


def fit(n_ranks: int, counts: NDArray[np.int64], directory: Path, **options: Any) -> HierarchicalLDA:
    """The first rank's model."""

    def task(comm: ThreadCommunicator) -> HierarchicalLDA:
        model = HierarchicalLDA(3, **(OPTIONS | options), checkpoint=directory)
        return model.fit(counts, communicator=comm)

    return run_ranks(n_ranks, task)[0]


def resume(n_ranks: int, directory: Path, n_iter: int) -> HierarchicalLDA:
    """The first rank's model."""

    def task(comm: ThreadCommunicator) -> HierarchicalLDA:
        return HierarchicalLDA.resume(directory, n_iter=n_iter, communicator=comm)

    return run_ranks(n_ranks, task)[0]


def files(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("*.safetensors"))


def by_first_document(paths: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rename topics in paths by their first document: siblings with as many documents may change places."""
    _, first, inverse = np.unique(paths, return_index=True, return_inverse=True)
    return (first // paths.shape[1])[inverse].reshape(paths.shape)


def assert_same(model: HierarchicalLDA, other: HierarchicalLDA) -> None:
    assert_array_equal(by_first_document(model.paths_), by_first_document(other.paths_))
    assert_array_equal(model.token_levels_, other.token_levels_)
    assert_array_equal(np.sort(model.tree_.n_docs), np.sort(other.tree_.n_docs))
    assert model.log_joint_ == pytest.approx(other.log_joint_, rel=1e-12)


def assert_in_order(model: HierarchicalLDA, counts: NDArray[np.int64]) -> None:
    assert_array_equal(np.bincount(model.paths_.ravel(), minlength=len(model.tree_)), model.tree_.n_docs)
    assert_array_equal(model.topic_word_counts_.sum(axis=0), counts.sum(axis=0))


@pytest.mark.parametrize("sampler", ["pcgs", "cgs", "bgs"])
@pytest.mark.parametrize(("before", "after"), [(2, 2), (2, 3), (3, 1), (1, 2)])
def test_a_checkpoint_has_all_that_was_drawn_and_any_number_of_ranks_goes_on(
    counts: NDArray[np.int64], tmp_path: Path, sampler: str, before: int, after: int
) -> None:
    options = {"gamma": 1.0} if sampler == "bgs" else {}
    model = fit(before, counts, tmp_path, n_iter=5, sampler=sampler, **options)
    assert_same(resume(after, tmp_path, n_iter=5), model)
    more = resume(after, tmp_path, n_iter=8)
    assert [row["iteration"] for row in more.history_] == list(range(1, 9))
    assert more.history_[:5] == model.history_
    assert not np.array_equal(more.token_levels_, model.token_levels_)
    assert_in_order(more, counts)


def test_more_ranks_than_documents_checkpoint_and_resume(tmp_path: Path) -> None:
    counts = np.array([[3, 2, 0, 0], [0, 0, 2, 4]])
    model = fit(3, counts, tmp_path, n_iter=4)
    assert_same(resume(2, tmp_path, n_iter=4), model)
    assert_in_order(resume(4, tmp_path, n_iter=6), counts)


def test_parts_of_old_checkpoints_go(counts: NDArray[np.int64], tmp_path: Path) -> None:
    fit(3, counts, tmp_path, n_iter=9, checkpoint_every=2)
    assert files(tmp_path) == checkpoint_files(8, 9, n_parts=3)
    resume(2, tmp_path, n_iter=11)
    assert files(tmp_path) == checkpoint_files(10, 11, n_parts=2)
    resume(1, tmp_path, n_iter=13)
    assert files(tmp_path) == checkpoint_files(12, 13, n_parts=0)


def checkpoint_files(*iterations: int, n_parts: int) -> list[str]:
    trees = [f"checkpoint-{i:09d}.safetensors" for i in iterations]
    return trees + [f"part-{i:09d}-{rank:05d}.safetensors" for i in iterations for rank in range(n_parts)]


def test_parts_whose_checkpoint_was_never_finished_are_ignored(counts: NDArray[np.int64], tmp_path: Path) -> None:
    """As after a crash: two of three ranks wrote their parts of a newer iteration, and the first no tree."""
    model = fit(3, counts, tmp_path / "run", n_iter=4)
    fit(3, counts, tmp_path / "other", n_iter=6)
    for rank in (0, 2):
        name = f"part-000000006-{rank:05d}.safetensors"
        shutil.copy(tmp_path / "other" / name, tmp_path / "run" / name)
    (tmp_path / "run" / ".part-000000006-00001.safetensors.tmp").write_bytes(b"half")
    assert_same(resume(2, tmp_path / "run", n_iter=4), model)
    assert_in_order(resume(2, tmp_path / "run", n_iter=6), counts)
    assert_in_order(resume(3, tmp_path / "run", n_iter=7), counts)


@pytest.mark.parametrize("n_ranks", [1, 3])
def test_a_part_of_another_run_is_refused_by_name(counts: NDArray[np.int64], tmp_path: Path, n_ranks: int) -> None:
    for name in ("run", "other"):
        fit(2, counts, tmp_path / name, n_iter=3)
    name = "part-000000003-00001.safetensors"
    shutil.copy(tmp_path / "other" / name, tmp_path / "run" / name)
    with pytest.raises(CorruptModelError, match=f"{name}: belongs to another run"):
        resume(n_ranks, tmp_path / "run", n_iter=5)


def test_a_missing_part_is_named(counts: NDArray[np.int64], tmp_path: Path) -> None:
    fit(2, counts, tmp_path, n_iter=3)
    name = "part-000000003-00001.safetensors"
    (tmp_path / name).unlink()
    with pytest.raises(OSError, match=name):
        resume(2, tmp_path, n_iter=5)


@pytest.mark.parametrize("place", [0.0, 0.3, 0.99])
def test_a_damaged_part_is_named(counts: NDArray[np.int64], tmp_path: Path, place: float) -> None:
    fit(2, counts, tmp_path, n_iter=3)
    path = tmp_path / "part-000000003-00001.safetensors"
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1
    path.write_bytes(data)
    with pytest.raises(CorruptModelError, match=path.name):
        resume(1, tmp_path, n_iter=5)


def test_a_rank_lost_while_a_checkpoint_ends_costs_nothing(
    counts: NDArray[np.int64], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_together = checkpoints.together

    def losing_one(comm: ThreadCommunicator, step: Callable[[], object]) -> object:
        result = really_together(comm, step)
        if any(tmp_path.glob("checkpoint-000000002*")):
            raise PeerLostError("rank 1 is silent")
        return result

    monkeypatch.setattr(checkpoints, "together", losing_one)
    with pytest.raises(PeerLostError) as lost:
        fit(2, counts, tmp_path, n_iter=4, checkpoint_every=2)
    monkeypatch.undo()
    assert f"go on from the checkpoint of iteration 2 in {tmp_path}" in "".join(lost.value.__notes__)
    assert files(tmp_path) == ["checkpoint-000000002.safetensors"] + [
        f"part-000000002-{rank:05d}.safetensors" for rank in range(2)
    ]
    assert_in_order(resume(2, tmp_path, n_iter=4), counts)
