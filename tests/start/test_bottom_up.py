"""The bottom-up start: all documents are in, the tree is nested, and it finds the branches of the corpus."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from topicgrove import Corpus, HierarchicalLDA, load
from topicgrove.prior import HyperParameters
from topicgrove.samplers import bottom_up
from topicgrove.samplers.bottom_up import BottomUp, group_sizes, tree_of_groups, uniform_levels
from topicgrove.state import State
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers

Counts = NDArray[np.int64]


@pytest.fixture
def small_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bottom_up, "SAMPLE", 50)


def nested(n_docs: int, seed: int) -> tuple[Counts, NDArray[np.int64]]:
    """Documents of 4 branches with 3 leaves each; a branch and a leaf have 20 words of their own."""
    rng = np.random.default_rng(seed)
    leaf = rng.integers(0, 12, n_docs)
    counts = np.zeros((n_docs, 20 + 80 + 240), np.int64)
    for row, here in zip(counts, leaf, strict=True):
        starts = [0, 20 + 20 * (here // 3), 100 + 20 * here]
        np.add.at(row, np.repeat(starts, [15, 20, 25]) + rng.integers(0, 20, 60), 1)
    return counts, leaf // 3


SETTINGS = {"beta": 0.2, "gamma": 1e-4, "init": "bottom_up", "n_iter": 10, "random_state": 3}


def fitted(counts: Counts, **options: Any) -> HierarchicalLDA:
    return HierarchicalLDA(**(SETTINGS | options)).fit(counts)


def test_groups_of_the_first_tree_have_documents_of_one_branch() -> None:
    counts, branch = nested(300, seed=0)
    corpus = Corpus.from_matrix(counts)
    state = State(corpus, HyperParameters.of(4, beta=0.2, gamma=1e-4), 3, Workers(1))
    n_placed = BottomUp(corpus, n_fits=5).place(state, np.random.default_rng(0).permutation(300), lambda n_drawn: None)
    groups = state.paths(state.nodes())[:, 2]
    most = [np.bincount(branch[groups == group]).max() for group in np.unique(groups)]
    assert n_placed == 300
    assert len(most) >= 4
    assert sum(most) / 300 > 0.95


def test_one_seed_gives_one_result(small_sample: None) -> None:
    counts, _ = nested(120, seed=1)
    one, same, other = fitted(counts), fitted(counts), fitted(counts, random_state=4)
    assert_array_equal(one.paths_, same.paths_)
    assert_array_equal(one.token_levels_, same.token_levels_)
    assert not np.array_equal(one.token_levels_, other.token_levels_)


@pytest.mark.parametrize("n_levels", [2, 3, 5])
def test_any_depth_will_do(small_sample: None, n_levels: int) -> None:
    model = fitted(nested(80, seed=2)[0], n_levels=n_levels)
    model.tree_.check()
    assert model.tree_.n_levels == n_levels


def test_all_documents_are_in_after_the_first_sweep(small_sample: None) -> None:
    seen: list[int] = []

    def look(event: SweepEvent) -> None:
        seen.append(int((event.paths[:, -1] >= 0).sum()))

    fitted(nested(120, seed=1)[0], n_iter=2, callbacks=[look])
    assert seen == [120, 120]


def test_no_more_topics_are_made_than_may_be(small_sample: None) -> None:
    seen: list[int] = []
    look: Callable[[SweepEvent], None] = lambda event: seen.append(sum(event.n_topics_per_level))  # noqa: E731
    fitted(nested(120, seed=1)[0], max_topics=12, callbacks=[look])
    assert max(seen) <= 12


def test_sizes_fit_any_limit() -> None:
    for n_leaves in (1, 2, 7, 100):
        for n_levels in (2, 3, 4, 6):
            assert group_sizes(n_leaves, n_levels, most=n_levels) == [1] * (n_levels - 1)


@pytest.mark.parametrize("target", [20, 100, 700])
@pytest.mark.parametrize("n_levels", [2, 3, 4, 6])
def test_sizes_come_near_a_target(target: int, n_levels: int) -> None:
    assert target * 0.75 <= 1 + sum(group_sizes(50, n_levels, target=target)) <= target


def test_groups_become_parents() -> None:
    coarse, fine = np.array([1, 0, 1, 0]), np.array([2, 0, 1, 0])
    parent, level, last = tree_of_groups([coarse, fine, np.arange(4)])
    assert level.tolist() == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
    assert last.tolist() == [6, 7, 8, 9]
    assert parent[parent[last]].tolist() == (1 + coarse).tolist()


def test_the_start_does_not_depend_on_the_number_of_threads() -> None:
    corpus = Corpus.from_matrix(nested(150, seed=3)[0])
    paths = []
    for n_threads in (1, 3):
        with Workers(n_threads) as workers:
            state = State(corpus, HyperParameters.of(4), 3, workers)
            BottomUp(corpus, n_fits=3).place(state, np.arange(150), lambda n_drawn: None)
            paths.append(state.paths(state.nodes()))
    assert_array_equal(*paths)


@pytest.mark.parametrize("cuts", [[], [250], [7, 7, 99, 100, 101, 230]], ids=str)
def test_first_levels_do_not_depend_on_where_the_corpus_is_cut(
    monkeypatch: pytest.MonkeyPatch, cuts: list[int]
) -> None:
    monkeypatch.setattr(bottom_up, "BLOCK_TOKENS", 100)
    bounds = [0, *cuts, 330]
    parts = [uniform_levels(4, 5, first, last) for first, last in pairwise(bounds)]
    blocks = [np.random.default_rng([5, block]).integers(0, 4, 100, np.uint8) for block in range(4)]
    assert_array_equal(np.concatenate(parts), np.concatenate(blocks)[:330])


def test_fits_that_see_the_same_branches_agree() -> None:
    counts, _ = nested(300, seed=0)
    noise = np.random.default_rng(0).poisson(0.2, counts.shape)
    assert fitted(counts, n_iter=1).agreement_ > 0.8
    assert fitted(noise, n_iter=1).agreement_ < 0.5
    assert fitted(counts, n_iter=1, n_init=1).agreement_ is None
    assert fitted(counts, n_iter=1, init="none").agreement_ is None


def test_agreement_is_saved_with_the_model(tmp_path: Path) -> None:
    model = fitted(nested(80, seed=2)[0])
    model.save(tmp_path / "a.grove")
    assert load(tmp_path / "a.grove").agreement_ == model.agreement_


def test_level_one_has_the_branches_of_the_corpus() -> None:
    counts, branch = nested(400, seed=5)
    model = HierarchicalLDA(n_iter=20, random_state=0).fit(counts)
    assert adjusted_rand_score(branch, model.paths_[:, 1]) > 0.6
