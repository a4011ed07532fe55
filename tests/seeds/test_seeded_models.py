"""Seeded topics are there from the first sweep to the file, with their names, and no count shows what seeds added."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from topicgrove import Corpus, HierarchicalLDA, load
from topicgrove.plans import make_plan
from topicgrove.training import SweepEvent

SEEDS: dict[str, Any] = {
    "red": {"words": [20, 21, 22], "crimson": [100, 101, 102], "scarlet": [120, 121, 122]},
    "green": [40, 41, 42, 43],
    "never used": [60],
}
"""Branches 0 and 1 of the corpus, two leaves of branch 0, and a topic of a word in branch 2."""

SETTINGS: dict[str, Any] = {"beta": 0.2, "gamma": 1e-4, "n_iter": 10, "random_state": 3, "seeds": SEEDS}

RUNS: dict[str, dict[str, Any]] = {
    "cgs": {},
    "pcgs": {"sampler": "pcgs", "collapse_below": 20},
    "bgs": {"sampler": "bgs", "gamma": None, "n_levels": 3},
    "three levels": {"n_levels": 3},
    "monte carlo": {"init": "monte_carlo", "init_iterations": 4},
    "progressive": {"init": "progressive", "refine": True},
    "none": {"init": "none", "min_docs": 1, "learn": ("alpha", "beta", "gamma")},
    "min_docs": {"min_docs": 30},
    "max_topics": {"max_topics": 20},
    "two threads": {"n_jobs": 2},
    "target_topics": {"target_topics": 30, "beta": None, "gamma": None},
}


def counts_of(n_docs: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Documents of 4 branches with 3 leaves each, and their leaves; branches and leaves have 20 words of their own."""
    rng = np.random.default_rng(seed)
    leaf = rng.integers(0, 12, n_docs)
    counts = np.zeros((n_docs, 20 + 80 + 240), np.int64)
    for row, here in zip(counts, leaf, strict=True):
        starts = [0, 20 + 20 * (here // 3), 100 + 20 * here]
        np.add.at(row, np.repeat(starts, [15, 20, 25]) + rng.integers(0, 20, 60), 1)
    return counts, leaf


@pytest.fixture(scope="module")
def documents() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return counts_of(240, seed=0)


@pytest.fixture(scope="module", params=list(RUNS))
def model(request: pytest.FixtureRequest, documents: tuple[NDArray[np.int64], NDArray[np.int64]]) -> HierarchicalLDA:
    return HierarchicalLDA(**SETTINGS | RUNS[request.param]).fit(documents[0])


def topics_by_name(model: HierarchicalLDA) -> dict[str, int]:
    return {name: topic for topic, name in model.tree_.names.items()}


def assert_is_whole(model: HierarchicalLDA, counts: NDArray[np.int64]) -> None:
    """The tree is consistent, has every seed in its place, and counts the documents alone."""
    tree, topic = model.tree_, topics_by_name(model)
    tree.check()
    assert set(topic) == {"red", "crimson", "scarlet", "green", "never used"}
    assert [int(tree.level[topic[name]]) for name in ("red", "green", "never used")] == [1, 1, 1]
    assert [int(tree.parent[topic[name]]) for name in ("crimson", "scarlet")] == [topic["red"]] * 2
    assert_array_equal(model.topic_word_counts_.toarray().sum(axis=0), counts.sum(axis=0))
    assert model.paths_.shape == (len(counts), model.n_levels)
    assert tree.n_docs[0] == len(counts)
    for children in tree.children:
        assert (np.diff(tree.n_docs[children]) <= 0).all()
    empty = np.flatnonzero(tree.n_docs == 0)
    assert set(empty) <= {topic for leaf in topic.values() for topic in below(model, leaf)}


def below(model: HierarchicalLDA, topic: int) -> list[int]:
    found = [topic]
    for other in range(topic + 1, len(model.tree_)):
        if model.tree_.parent[other] in found:
            found.append(other)
    return found


def test_trees_have_all_seeds_and_count_the_documents_alone(
    model: HierarchicalLDA, documents: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> None:
    assert_is_whole(model, documents[0])


def test_documents_find_the_seeded_topics(documents: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    counts, leaf = documents
    model = HierarchicalLDA(**SETTINGS).fit(counts)
    topic = topics_by_name(model)
    assert (model.paths_[leaf // 3 == 0, 1] == topic["red"]).mean() > 0.95
    assert (model.paths_[leaf // 3 == 1, 1] == topic["green"]).mean() > 0.95
    assert (model.paths_[leaf == 0, 2] == topic["crimson"]).mean() > 0.9
    assert (model.paths_[leaf == 1, 2] == topic["scarlet"]).mean() > 0.9
    assert (model.paths_[leaf // 3 == 3, 1] == topic["never used"]).mean() < 0.05


def test_files_keep_seeds_and_what_they_add(
    model: HierarchicalLDA, documents: tuple[NDArray[np.int64], NDArray[np.int64]], tmp_path: Path
) -> None:
    model.save(tmp_path / "seeded.grove")
    again = load(tmp_path / "seeded.grove")
    assert (again.seeds, again.seed_weight) == (SEEDS, 20)
    assert again.tree_.names == model.tree_.names
    assert again.log_joint_ == model.log_joint_
    new = counts_of(20, seed=1)[0]
    assert_array_equal(again.transform(new), model.transform(new))
    assert again.tree_.seeds is not None
    assert again.tree_.seeds.counts.sum() == 20 * 14


def test_new_documents_join_seeded_topics(documents: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    counts, _ = documents
    new, leaf = counts_of(60, seed=1)
    model = HierarchicalLDA(**SETTINGS).fit(counts)
    before = model.tree_.seeds
    placed = model.predict_paths(new)
    assert (placed[leaf // 3 == 1, 1] == topics_by_name(model)["green"]).mean() > 0.9
    model.partial_fit(new)
    assert_is_whole(model, np.vstack([counts, new]))
    assert before is not None
    assert model.tree_.seeds is not None
    assert model.tree_.seeds.counts.sum() == before.counts.sum()
    green = topics_by_name(model)["green"]
    assert model.tree_.seeds.counts[[green]].toarray()[0].nonzero()[0].tolist() == SEEDS["green"]


@pytest.mark.parametrize("options", [{}, {"n_levels": 3, "sampler": "bgs", "gamma": None}], ids=["cgs", "bgs"])
def test_a_seeded_topic_without_documents_has_the_words_of_its_seeds(options: dict[str, Any]) -> None:
    """Word 5 occurs in no document of the new ones, and nothing but the seeds says where it belongs."""
    counts = counts_of(120, seed=2)[0]
    counts[:, [5, 6]] = 0
    counts[0, 5] = 1
    model = HierarchicalLDA(**SETTINGS | {"seeds": {"blue": [5]}, "seed_weight": 300} | options).fit(counts)
    new = np.zeros((1, counts.shape[1]), np.int64)
    new[0, 5] = 40
    assert model.predict_paths(new)[0, 1] == topics_by_name(model)["blue"]


def test_the_log_joint_of_a_state_is_that_of_its_tree(
    documents: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> None:
    """Both from the same assignments: without tidying, and without seeds whose place holds no document."""
    seeds = {"red": [20, 21, 22], "green": [40, 41, 42, 43]}
    model = HierarchicalLDA(**SETTINGS | {"seeds": seeds, "min_docs": 1}).fit(documents[0])
    assert_allclose(model.history_[-1]["log_joint"], model.log_joint_, rtol=1e-5)


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_seeded_topics_are_there_after_every_sweep(
    documents: tuple[NDArray[np.int64], NDArray[np.int64]], sampler: str
) -> None:
    seen: list[list[int]] = []

    def look(event: SweepEvent) -> None:
        nodes = event.nodes
        seeded = event.state.seeded(nodes)
        seen.append(nodes.level[seeded].tolist())
        assert_array_equal(nodes.parent[seeded[[1, 2]]], seeded[[0, 0]])
        assert event.paths.shape == (240, 3)
        assert len(event.token_levels) == documents[0].sum()

    options = {"n_levels": 3, "sampler": sampler, "gamma": None, "collapse_below": 20, "callbacks": [look]}
    HierarchicalLDA(**SETTINGS | options).fit(documents[0])
    assert seen == [[1, 2, 2, 1, 1]] * 10


def test_several_processes_are_refused() -> None:
    model = HierarchicalLDA(4, seeds={"a": [0]})
    with pytest.raises(ValueError, match="seeds cannot be used by several processes yet; train in one"):
        make_plan(model, Corpus.from_documents([[0]]), n_ranks=2)


def test_perplexity_of_held_out_documents_includes_the_seeds(
    documents: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> None:
    model = HierarchicalLDA(**SETTINGS).fit(documents[0], held_out=0.1)
    assert model.history_[-1]["perplexity"] < 340
    assert len(model.documents(topics_by_name(model)["green"], corpus=documents[0])) == 20


def test_a_run_without_seeds_has_none(documents: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    fit: Callable[..., HierarchicalLDA] = HierarchicalLDA(**SETTINGS | {"seeds": None}).fit
    assert fit(documents[0]).tree_.seeds is None
