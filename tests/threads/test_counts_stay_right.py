"""After every sweep, with any number of threads, the maintained counts equal a recount of the assignments."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus
from topicgrove.kernels.structures import ROOT
from topicgrove.state import State
from topicgrove.topics import Nodes, Topics
from topicgrove.training import Callback, SweepEvent

COLLAPSE_BELOW = 4


class Recount(NamedTuple):
    """Counts from the documents' leaves and levels, by slot."""

    paths: NDArray[np.int64]  # [D, L]
    n_docs: NDArray[np.int64]
    words: NDArray[np.int64]  # [V, slots]


def recount(state: State) -> Recount:
    """Count from the assignments in plain NumPy, without code of the package."""
    n_slots = len(state.topics.tree.parent)
    paths = np.empty((len(state.docs.leaf), state.n_levels), np.int64)
    here = state.docs.leaf.astype(np.int64)
    for level in reversed(range(state.n_levels)):
        paths[:, level] = here
        here = state.topics.tree.parent[here].astype(np.int64)
    n_docs = np.bincount(paths.ravel(), minlength=n_slots)
    document = np.repeat(np.arange(len(paths)), np.diff(state.docs.offsets))
    slots = paths[document, state.docs.levels]
    words = np.zeros((state.n_words, n_slots), np.int64)
    np.add.at(words, (state.docs.words, slots), 1)
    return Recount(paths, n_docs, words)


def level_ranges(state: State) -> list[tuple[range, range]]:
    """The slots that each level may use: slow and rapid."""
    slow, rapid = state.topics.layout.slow_start, state.topics.layout.rapid_start + state.topics.n_slow
    return [(range(slow[k], slow[k + 1]), range(rapid[k], rapid[k + 1])) for k in range(state.n_levels)]


def assert_paths_are_whole(state: State, true: Recount) -> None:
    assert (true.paths[:, 0] == ROOT).all()
    for level, (slow, rapid) in enumerate(level_ranges(state)):
        assert all(slot in slow or slot in rapid for slot in np.unique(true.paths[:, level]))


def assert_tree_is_right(state: State, true: Recount) -> None:
    tree, gamma = state.topics.tree, np.append(np.exp(state.hyper.log_gamma), 0)
    assert_array_equal(tree.n_docs, true.n_docs)
    assert state.topics.control.n_topics[0] == np.count_nonzero(true.n_docs)
    assert state.topics.control.tree_lock[0] == 0
    assert not state.topics.control.topic_locks.any()
    with np.errstate(divide="ignore"):
        assert_allclose(tree.log_weight, np.log(true.n_docs), rtol=1e-6)
    for level in range(state.n_levels):
        slots = np.unique(true.paths[:, level])
        assert_allclose(tree.log_visits[slots], np.log(true.n_docs[slots] + gamma[level]), rtol=1e-6)


def assert_rapid_counts_are_right(state: State, true: Recount) -> None:
    assert_array_equal(state.topics.words.rapid, true.words[:, state.topics.n_slow :])
    assert_array_equal(state.topics.words.totals, true.words[:, state.topics.n_slow :].sum(axis=0))


def assert_free_columns_are_free(state: State, true: Recount) -> None:
    """Every column that ever held a topic holds one now or is free, once, and empty."""
    layout = state.topics.layout
    for level in range(state.n_levels):
        start = layout.rapid_start[level]
        free = layout.free[start : start + layout.n_free[level]]
        used = np.arange(start, start + layout.rapid_used[level])
        alive = used[true.n_docs[state.topics.n_slow + used] > 0]
        assert_array_equal(np.sort(np.append(free, alive)), used)
        assert not state.topics.words.rapid[:, free].any()
        assert not state.topics.words.totals[free].any()


def assert_phi_is_the_mean(state: State, true: Recount) -> None:
    for level in range(state.n_levels):
        slots = np.unique(true.paths[:, level])
        slots = slots[slots < state.topics.n_slow]
        beta = state.hyper.beta[level]
        norm = true.words[:, slots].sum(axis=0) + beta * state.n_words
        phi = np.exp(state.topics.words.log_phi[:, slots].astype(np.float64))
        assert_allclose(phi, (true.words[:, slots] + beta) / norm, rtol=1e-5)
        assert_array_equal(np.rint(phi * norm - beta), true.words[:, slots])


class Watch:
    """A callback that checks everything, and remembers what happened."""

    def __init__(self) -> None:
        self.n_topics: list[int] = []

    def __call__(self, event: SweepEvent) -> None:
        state = event.state
        true = recount(state)
        assert_paths_are_whole(state, true)
        assert_tree_is_right(state, true)
        assert_rapid_counts_are_right(state, true)
        assert_free_columns_are_free(state, true)
        assert_phi_is_the_mean(state, true)
        self.n_topics.append(int(np.count_nonzero(true.n_docs)))


@pytest.fixture
def growths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How wide the matrix was whenever it had to grow in the middle of a sweep."""
    widths: list[int] = []
    grow = Topics.grow

    def counted(topics: Topics, births: NDArray[np.int64] | int = 0) -> None:
        if np.ndim(births) == 0:
            widths.append(topics.words.rapid.shape[1])
        grow(topics, births)

    monkeypatch.setattr(Topics, "grow", counted)
    return widths


def fit(X: Any, callback: Callback, **options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {
        "beta": [0.5, 0.1, 0.05, 0.05],
        "gamma": 30.0,
        "n_iter": 12,
        "init": "monte_carlo",
        "init_iterations": 4,
        "phi": "mean",
        "random_state": 7,
        "collapse_below": COLLAPSE_BELOW,
    }
    return HierarchicalLDA(4, **(settings | options), callbacks=[callback]).fit(X)


@pytest.mark.parametrize("n_jobs", [1, 2, 4, 8])
@pytest.mark.parametrize("init", ["monte_carlo", "bottom_up", "progressive", "none"])
@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_counts_are_right_after_every_sweep_while_the_matrix_grows(
    mixture: Callable[..., NDArray[np.int64]], growths: list[int], sampler: str, init: str, n_jobs: int
) -> None:
    watch = Watch()
    fit(mixture(), watch, sampler=sampler, init=init, n_jobs=n_jobs)
    assert len(watch.n_topics) == 12
    assert max(watch.n_topics) > (60 if init == "bottom_up" else 100)
    assert len(growths) >= 3


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_counts_are_right_with_several_draws_of_the_levels(
    mixture: Callable[..., NDArray[np.int64]], growths: list[int], n_jobs: int
) -> None:
    watch = Watch()
    fit(mixture(), watch, sampler="pcgs", init_samples=3, n_jobs=n_jobs)
    assert max(watch.n_topics) > 100
    assert len(growths) >= 3


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize(("sampler", "collapse_below"), [("cgs", 64), ("pcgs", 4), ("pcgs", 1)])
def test_counts_are_right_after_documents_were_moved_to_better_paths(
    mixture: Callable[..., NDArray[np.int64]], sampler: str, collapse_below: int, n_jobs: int
) -> None:
    """With collapse_below=1, all topics stay slow, and nothing else recomputes the weights of paths."""
    options: dict[str, Any] = {"beta": [0.5, 0.3, 0.2, 0.1], "gamma": 1e-3, "refine": True, "n_iter": 16}
    fit(mixture(n_docs=100), Watch(), sampler=sampler, collapse_below=collapse_below, n_jobs=n_jobs, **options)


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_counts_are_right_with_seeds(mixture: Callable[..., NDArray[np.int64]], sampler: str, n_jobs: int) -> None:
    """They count what seeds add, too: pinned documents are documents."""
    seeds = {"a": [0, 1, 2], "b": {"words": [3], "c": [4, 5], "d": {"e": [6]}}}
    watch = Watch()
    fit(mixture(), watch, sampler=sampler, init="bottom_up", n_jobs=n_jobs, seeds=seeds)
    fit(mixture(n_docs=100), watch, sampler=sampler, n_jobs=n_jobs, seeds=seeds, refine=True)
    assert len(watch.n_topics) == 24


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_topics_with_enough_documents_and_only_they_are_slow(
    mixture: Callable[..., NDArray[np.int64]], n_jobs: int
) -> None:
    numbers_of_slow = set()

    def check(event: SweepEvent) -> None:
        slow = event.nodes.slot < event.state.topics.n_slow
        assert slow[ROOT]
        assert_array_equal(slow[1:], event.nodes.n_docs[1:] >= COLLAPSE_BELOW)
        numbers_of_slow.add(int(slow.sum()))

    fit(mixture(), check, sampler="pcgs", n_jobs=n_jobs)
    assert len(numbers_of_slow) >= 3


def test_topics_that_fall_below_the_threshold_are_counted_again(
    mixture: Callable[..., NDArray[np.int64]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The switch from slow to rapid does happen in these runs, and the checks above see its result."""
    recounted = 0
    count = Topics.count

    def counted(
        topics: Topics, slots: NDArray[np.int64], columns: NDArray[np.int64], matrix: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        nonlocal recounted
        recounted += len(slots) if np.all(slots >= topics.n_slow) else 0
        return count(topics, slots, columns, matrix)

    monkeypatch.setattr(Topics, "count", counted)
    watch = Watch()
    fit(mixture(), watch, sampler="pcgs", n_jobs=2)
    assert recounted > 10


def test_columns_stay_when_topics_change_sides_and_are_packed_at_times(
    mixture: Callable[..., NDArray[np.int64]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both happen in these runs, so the checks above see their results."""
    stayed = {True: 0, False: 0}
    lay_out = Topics.lay_out

    def watched(topics: Topics, nodes: Nodes, slow: NDArray[np.bool_], *, tidy: bool = True) -> None:
        before = topics.words.rapid
        was_rapid = nodes.slot >= topics.n_slow
        lay_out(topics, nodes, slow, tidy=tidy)
        stayed[topics.words.rapid is before] += int((slow & was_rapid).any() and (~slow & ~was_rapid).any())

    monkeypatch.setattr(Topics, "lay_out", watched)
    fit(mixture(), Watch(), sampler="pcgs", n_jobs=2, n_iter=80, gamma=0.3)
    assert min(stayed.values()) >= 1


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_counts_are_right_in_the_blocked_sampler(mixture: Callable[..., NDArray[np.int64]], n_jobs: int) -> None:
    def check(event: SweepEvent) -> None:
        true = recount(event.state)
        assert_paths_are_whole(event.state, true)
        assert_array_equal(event.state.topics.tree.n_docs, true.n_docs)
        assert_phi_is_the_mean(event.state, true)
        assert not event.state.topics.words.rapid.any()

    model = HierarchicalLDA(
        4, beta=0.1, gamma=1.0, sampler="bgs", phi="mean", n_iter=6, n_jobs=n_jobs, random_state=1, callbacks=[check]
    )
    model.fit(mixture(n_docs=150))


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_counts_are_right_on_news(reuters: Corpus, growths: list[int], sampler: str, n_jobs: int) -> None:
    watch = Watch()
    fit(reuters, watch, sampler=sampler, n_jobs=n_jobs, n_iter=5, init_iterations=2)
    assert max(watch.n_topics) > 100
    assert growths


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*documents are empty")
@pytest.mark.parametrize("seed", range(20))
def test_counts_are_right_under_many_births_and_deaths(
    mixture: Callable[..., NDArray[np.int64]], growths: list[int], seed: int
) -> None:
    """Short documents and a large gamma: most topics live for a sweep."""
    watch = Watch()
    X = mixture(n_docs=600, length=6, seed=seed)
    fit(X, watch, gamma=100.0, sampler="pcgs", collapse_below=3, n_jobs=8, n_iter=30, random_state=seed)
    assert growths
