"""The directory of checkpoints: what is written there and when, and what can go wrong."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove import Corpus, CorruptModelError, HierarchicalLDA, open_store
from topicgrove.persistence import checkpoints
from topicgrove.persistence.sealed import read_sealed, write_sealed

Counts = NDArray[np.int64]
Change = Callable[[NDArray[Any]], NDArray[Any]]


def make_model(directory: Path, **options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {
        "n_levels": 3, "beta": 0.2, "gamma": 0.5, "n_iter": 12, "init_iterations": 3, "collapse_below": 6,
        "checkpoint_every": 4, "random_state": 3,
    }  # fmt: skip
    return HierarchicalLDA(checkpoint=directory, **({"init": "monte_carlo"} | settings | options))


def iterations(directory: Path) -> list[int]:
    return sorted(int(path.stem.split("-")[1]) for path in directory.glob("checkpoint-*"))


class TestWhen:
    def test_the_two_newest_stay(self, counts: Counts, tmp_path: Path) -> None:
        make_model(tmp_path / "run").fit(counts)
        assert iterations(tmp_path / "run") == [8, 12]
        assert sorted(os.listdir(tmp_path / "run"))[2:] == ["corpus", "lock"]

    def test_the_last_sweep_has_one_whatever_the_rhythm(self, counts: Counts, tmp_path: Path) -> None:
        make_model(tmp_path / "run", checkpoint_every=5).fit(counts)
        assert iterations(tmp_path / "run") == [10, 12]

    def test_minutes_make_one_due(self, counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 1000.0
        seen: list[list[int]] = []

        def pass_time(event: Any) -> None:
            nonlocal now
            now += 60.0
            seen.append(iterations(tmp_path / "run"))

        monkeypatch.setattr(checkpoints.time, "monotonic", lambda: now)
        options: dict[str, Any] = {"checkpoint_every": 100, "callbacks": [pass_time], "n_iter": 9}
        make_model(tmp_path / "run", checkpoint_minutes=3, **options).fit(counts)
        assert seen == [[], [], [], [3], [3], [3], [3, 6], [3, 6], [3, 6]]
        assert iterations(tmp_path / "run") == [6, 9]

    @pytest.mark.parametrize(
        ("name", "value"),
        [("checkpoint_every", 0), ("checkpoint_every", 1.5), ("checkpoint_every", None), ("checkpoint_minutes", -1)]
        + [("checkpoint_minutes", value) for value in (float("nan"), "5", True, float("inf"))],
    )
    def test_a_bad_rhythm_is_refused(self, counts: Counts, tmp_path: Path, name: str, value: Any) -> None:
        with pytest.raises((ValueError, TypeError), match=name):
            make_model(tmp_path / "run", **{name: value}).fit(counts)
        assert not (tmp_path / "run").exists()


class TestCorpus:
    def test_it_is_kept_with_the_checkpoints(self, counts: Counts, tmp_path: Path) -> None:
        make_model(tmp_path / "run").fit(counts)
        assert_array_equal(open_store(tmp_path / "run" / "corpus").to_csr().toarray(), counts)

    def test_a_store_is_referred_to_and_not_copied(self, counts: Counts, tmp_path: Path) -> None:
        Corpus.from_matrix(counts).save(tmp_path / "store")
        model = make_model(tmp_path / "run").fit(open_store(tmp_path / "store"))
        assert not (tmp_path / "run" / "corpus").exists()
        assert_array_equal(HierarchicalLDA.resume(tmp_path / "run").paths_, model.paths_)

    @pytest.mark.filterwarnings("ignore:.*documents are empty")
    def test_a_part_of_a_store_is_copied(self, counts: Counts, tmp_path: Path) -> None:
        """Even if the documents that are left out have no words."""
        X = counts.copy()
        X[-2:] = 0
        Corpus.from_matrix(X).save(tmp_path / "store")
        store = open_store(tmp_path / "store")
        for n_docs in (20, len(X) - 1):
            directory = tmp_path / f"run-{n_docs}"
            model = make_model(directory).fit(store.take(slice(n_docs)))
            assert_array_equal(HierarchicalLDA.resume(directory).paths_, model.paths_)

    def test_words_of_a_mapped_file_that_is_no_store_are_copied(self, counts: Counts, tmp_path: Path) -> None:
        corpus = Corpus.from_matrix(counts)
        np.save(tmp_path / "words.npy", corpus.words)
        mapped = np.load(tmp_path / "words.npy", mmap_mode="c")
        model = make_model(tmp_path / "run").fit(Corpus(mapped, corpus.offsets, corpus.n_words))
        assert_array_equal(HierarchicalLDA.resume(tmp_path / "run").paths_, model.paths_)

    def test_another_one_is_refused(self, counts: Counts, tmp_path: Path) -> None:
        make_model(tmp_path / "run").fit(counts)
        other = counts.copy()
        other[0, 0] += 1
        with pytest.raises(ValueError, match="not the one"):
            HierarchicalLDA.resume(tmp_path / "run", other)
        with pytest.raises(ValueError, match="another corpus"):
            make_model(tmp_path / "run").fit(other)
        words = [f"word{i}" for i in range(counts.shape[1])]
        with pytest.raises(ValueError, match="not the one"):
            HierarchicalLDA.resume(tmp_path / "run", Corpus.from_matrix(counts, words))

    def test_the_same_one_may_be_given_again(self, counts: Counts, tmp_path: Path) -> None:
        model = make_model(tmp_path / "run").fit(counts)
        assert_array_equal(HierarchicalLDA.resume(tmp_path / "run", counts).paths_, model.paths_)

    def test_a_lost_one_is_asked_for(self, counts: Counts, tmp_path: Path) -> None:
        Corpus.from_matrix(counts).save(tmp_path / "store")
        make_model(tmp_path / "run").fit(open_store(tmp_path / "store"))
        (tmp_path / "store").rename(tmp_path / "elsewhere")
        with pytest.raises(FileNotFoundError, match="store"):
            HierarchicalLDA.resume(tmp_path / "run")
        HierarchicalLDA.resume(tmp_path / "run", open_store(tmp_path / "elsewhere"))


def put(place: Any, value: Any) -> Change:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array[place] = value
        return array

    return change


CHANGES: dict[str, tuple[str, Change]] = {
    "levels that begin inside of a line": ("layout.rapid_start", put(slice(None), [5, 16, 24, 48])),
    "levels without columns": ("layout.rapid_start", put(slice(None), 0)),
    "leaves at random": ("leaf", lambda a: np.random.default_rng(0).permutation(np.arange(len(a), dtype=a.dtype))),
    "one document elsewhere": ("leaf", lambda a: np.append(a[1:], a[:1]) if a[0] == a[1] else put(0, a[1])(a)),
    "parents at random": ("tree.parent", lambda a: np.random.default_rng(0).permutation(a)),
    "a root with a parent": ("tree.parent", put(0, 1)),
    "a topic on the free list": ("layout.free", put(slice(None), 0)),
    "a free list that is too short": ("layout.n_free", lambda a: np.maximum(a - 1, 0)),
    "more columns in use": ("layout.rapid_used", lambda a: a + 1),
    "weights that are NaN": ("tree.log_visits", put(0, np.nan)),
    "weights of other numbers": ("tree.log_docs", put(0, 1.0)),
    "a weight without a topic": ("tree.log_docs", lambda a: np.where(np.isinf(a), 0, a).astype(a.dtype)),
    "documents of another type": ("leaf", lambda a: a.astype(np.int64)),
    "parents as a column": ("tree.parent", lambda a: a[:, None]),
    "ids twice": ("tree.id", put(slice(None), 1)),
    "ids to come": ("n_ids", put(0, 1)),
    "more ids than births": ("n_ids", put(0, 10**6)),
    "refreshes of a longer run": ("refreshes", put(0, 10**6)),
    "a prior beyond its range": ("hyper.log_gamma", put(0, 1e4)),
}
"""Of a checkpoint, whatever else is in it."""


class TestDamage:
    def test_the_one_before_is_used(self, counts: Counts, tmp_path: Path) -> None:
        straight = make_model(tmp_path / "run").fit(counts)
        newest = tmp_path / "run" / "checkpoint-000000012.safetensors"
        for content in (newest.read_bytes()[:-5], b"", newest.read_bytes()[:1000] + b"!" + newest.read_bytes()[1001:]):
            newest.write_bytes(content)
            resumed = HierarchicalLDA.resume(tmp_path / "run")
            assert_array_equal(resumed.paths_, straight.paths_)
            assert iterations(tmp_path / "run") == [8, 12]

    def test_none_that_can_be_read_is_an_error(self, counts: Counts, tmp_path: Path) -> None:
        make_model(tmp_path / "run").fit(counts)
        for path in (tmp_path / "run").glob("checkpoint-*"):
            path.write_bytes(path.read_bytes()[:-5])
        with pytest.raises(CorruptModelError, match="checkpoint-000000008"):
            HierarchicalLDA.resume(tmp_path / "run")

    def test_none_at_all_is_an_error(self, tmp_path: Path) -> None:
        for place in (tmp_path, tmp_path / "missing"):
            with pytest.raises(FileNotFoundError, match="no checkpoint there"):
                HierarchicalLDA.resume(place)

    @pytest.mark.parametrize(
        ("name", "place", "value"),
        [
            ("leaf", 0, 10**6), ("leaf", 0, -2), ("leaf", 0, 0), ("levels", 0, 200), ("tree.parent", 0, 10**6),
            ("tree.parent", 1, -7), ("tree.n_docs", 0, 10**6), ("widths", 0, 10**5), ("widths", 1, -1),
            ("hyper.beta", 0, float("nan")), ("layout.free", 0, 10**6), ("layout.n_free", 0, 10**6),
            ("layout.rapid_start", -1, 10**6), ("layout.slow_start", 1, -5), ("layout.rapid_used", 0, 10**6),
        ],
    )  # fmt: skip
    def test_a_contradiction_is_refused(
        self, counts: Counts, tmp_path: Path, name: str, place: int, value: Any
    ) -> None:
        make_model(tmp_path / "run", n_iter=4).fit(counts)
        path = tmp_path / "run" / "checkpoint-000000004.safetensors"
        facts, arrays = read_sealed(path, checkpoints.KIND, checkpoints.VERSION)
        array = arrays[name].copy()
        array[place] = value
        write_sealed(path, checkpoints.KIND, checkpoints.VERSION, facts, arrays | {name: array})
        with pytest.raises(CorruptModelError, match="contradicts"):
            HierarchicalLDA.resume(tmp_path / "run", n_iter=8)

    @pytest.mark.parametrize("name", list(CHANGES))
    def test_a_state_that_cannot_be_is_refused(self, counts: Counts, tmp_path: Path, name: str) -> None:
        make_model(tmp_path / "run", n_iter=4).fit(counts)
        path = tmp_path / "run" / "checkpoint-000000004.safetensors"
        facts, arrays = read_sealed(path, checkpoints.KIND, checkpoints.VERSION)
        array, change = CHANGES[name]
        write_sealed(path, checkpoints.KIND, checkpoints.VERSION, facts, arrays | {array: change(arrays[array].copy())})
        with pytest.raises(CorruptModelError, match=r"000000004\.safetensors: the checkpoint contradicts itself"):
            HierarchicalLDA.resume(tmp_path / "run", n_iter=8)

    @pytest.mark.parametrize(
        "change",
        [
            {"seed": None}, {"seed": 2**70}, {"adjusters": [{}]}, {"adjusters": 3}, {"iteration": "x"},
            {"iteration": 3}, {"iteration": 2**70}, {"stopped": 1}, {"parameters": []}, {"parameters": {"n_levels": 4}},
            {"parameters": {"n_levels": 3, "checkpoint": "/elsewhere"}}, {"history": []}, {"history": {}},
            {"corpus": 3}, {"fingerprint": None}, {"run": []}, {"n_parts": -1}, {"n_parts": 2}, {"n_parts": 2**70},
        ],
        ids=str,
    )  # fmt: skip
    def test_facts_that_cannot_be_are_refused(self, counts: Counts, tmp_path: Path, change: dict[str, Any]) -> None:
        make_model(tmp_path / "run", n_iter=4).fit(counts)
        path = tmp_path / "run" / "checkpoint-000000004.safetensors"
        facts, arrays = read_sealed(path, checkpoints.KIND, checkpoints.VERSION)
        write_sealed(path, checkpoints.KIND, checkpoints.VERSION, facts | change, arrays)
        with pytest.raises(CorruptModelError, match="contradicts"):
            HierarchicalLDA.resume(tmp_path / "run", n_iter=8)

    def test_the_one_before_takes_the_place_of_one_that_contradicts_itself(
        self, counts: Counts, tmp_path: Path
    ) -> None:
        straight = make_model(tmp_path / "run").fit(counts)
        newest = tmp_path / "run" / "checkpoint-000000012.safetensors"
        facts, arrays = read_sealed(newest, checkpoints.KIND, checkpoints.VERSION)
        write_sealed(newest, checkpoints.KIND, checkpoints.VERSION, facts, arrays | {"leaf": arrays["leaf"][::-1] + 1})
        assert_array_equal(HierarchicalLDA.resume(tmp_path / "run").paths_, straight.paths_)

    @pytest.mark.parametrize(("before", "after"), [("bgs", "cgs"), ("cgs", "bgs"), ("bgs", "pcgs"), ("pcgs", "cgs")])
    def test_another_sampler_can_go_on(self, counts: Counts, tmp_path: Path, before: str, after: str) -> None:
        """The blocked sampler's weights and unused topics mean nothing to the others."""
        make_model(tmp_path / "run", sampler=before, n_iter=4).fit(counts)
        model = HierarchicalLDA.from_checkpoint(tmp_path / "run").set_params(sampler=after, n_iter=8).continue_fit()
        model.tree_.check()
        assert_array_equal(model.topic_word_counts_.sum(axis=0), counts.sum(axis=0))
        assert_array_equal(HierarchicalLDA.resume(tmp_path / "run").paths_, model.paths_)


class TestDirectory:
    def test_one_run_at_a_time_writes_there(self, counts: Counts, tmp_path: Path) -> None:
        refused = []

        def second(event: Any) -> None:
            for start in (lambda: make_model(tmp_path / "run").fit(counts), lambda: resume(tmp_path / "run")):
                with pytest.raises(BlockingIOError, match="another run") as caught:
                    start()
                assert caught.value.filename == str(tmp_path / "run")
                refused.append(event.iteration)

        resume = HierarchicalLDA.resume
        model = make_model(tmp_path / "run", n_iter=2, checkpoint_every=1)
        model.fit(counts)
        model.set_params(callbacks=[second]).fit(counts)
        assert refused == [1, 1, 2, 2]
        model.set_params(callbacks=()).fit(counts)

    def test_it_is_free_again_after_an_error(self, counts: Counts, tmp_path: Path) -> None:
        def fail(event: Any) -> None:
            raise RuntimeError("enough")

        with pytest.raises(RuntimeError, match="enough"):
            make_model(tmp_path / "run", callbacks=[fail]).fit(counts)
        make_model(tmp_path / "run").fit(counts)

    def test_a_new_run_takes_the_place_of_an_older_one(self, counts: Counts, tmp_path: Path) -> None:
        make_model(tmp_path / "run", n_iter=30).fit(counts)
        short = make_model(tmp_path / "run", n_iter=6, random_state=8).fit(counts)
        assert iterations(tmp_path / "run") == [4, 6]
        assert_array_equal(HierarchicalLDA.resume(tmp_path / "run").token_levels_, short.token_levels_)

    def test_an_older_run_is_kept_until_the_new_one_has_a_checkpoint(self, counts: Counts, tmp_path: Path) -> None:
        def fail(event: Any) -> None:
            raise RuntimeError("enough")

        make_model(tmp_path / "run").fit(counts)
        with pytest.raises(RuntimeError, match="enough"):
            make_model(tmp_path / "run", callbacks=[fail]).fit(counts)
        assert iterations(tmp_path / "run") == [8, 12]

    def test_what_a_killed_run_left_unfinished_goes(self, counts: Counts, tmp_path: Path) -> None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / ".checkpoint-000000004.safetensors.x1y2.tmp").write_bytes(b"half")
        make_model(tmp_path / "run").fit(counts)
        assert not list((tmp_path / "run").glob(".*"))

    def test_a_file_in_its_place_is_an_error(self, counts: Counts, tmp_path: Path) -> None:
        (tmp_path / "run").write_text("")
        with pytest.raises(OSError, match="run"):
            make_model(tmp_path / "run").fit(counts)


class TestWritingFails:
    @pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
    def test_the_error_is_raised_and_the_model_so_far_kept(
        self, counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sampler: str
    ) -> None:
        written = []

        def full(path: Path, *rest: Any) -> None:
            written.append(path)
            if len(written) == 2:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
            write_sealed(path, *rest)

        monkeypatch.setattr(checkpoints, "write_sealed", full)
        model = make_model(tmp_path / "run", sampler=sampler)
        with pytest.raises(OSError, match="No space left"):
            model.fit(counts)
        assert len(model.history_) == 8
        model.tree_.check()
        assert model.transform(counts).shape == (len(counts), len(model.tree_))
        assert iterations(tmp_path / "run") == [4]
        monkeypatch.undo()
        straight = make_model(tmp_path / "other", sampler=sampler).fit(counts)
        assert_array_equal(HierarchicalLDA.resume(tmp_path / "run").paths_, straight.paths_)
