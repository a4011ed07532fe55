"""Limits on the number of children hold in trees of a real corpus, with seeds and without."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA, read_uci

SEEDS = {"a": [1, 2], "b": [3], "c": [4], "d": {"e": [5], "f": [6]}}


@pytest.fixture(scope="module")
def bbc() -> Corpus:
    """Every fifth article."""
    file = Path(__file__).parents[2].parent / "shared" / "data" / "bbc" / "docword.bbc.txt.gz"
    if not file.is_file():
        pytest.skip("the shared corpora are not here")
    return read_uci(file).take(np.arange(0, 2225, 5))


def fitted(corpus: Corpus, **options: Any) -> HierarchicalLDA:
    model = HierarchicalLDA(n_iter=5, random_state=1, n_init=2, **options).fit(corpus)
    model.tree_.check()
    assert model.tree_.n_docs[0] == corpus.n_docs
    return model


def n_children(model: HierarchicalLDA) -> np.ndarray:
    return np.bincount(model.tree_.parent[1:], minlength=len(model.tree_))


@pytest.mark.parametrize("most", [1, 3, 5])
@pytest.mark.parametrize("min_docs", [None, 1])
def test_no_topic_has_more_children(bbc: Corpus, most: int, min_docs: int | None) -> None:
    assert n_children(fitted(bbc, min_docs=min_docs)).max() > 5
    assert n_children(fitted(bbc, max_children=most, min_docs=min_docs)).max() == most


@pytest.mark.parametrize("least", [2, 4])
def test_only_the_largest_child_of_a_topic_may_have_fewer_children(bbc: Corpus, least: int) -> None:
    usual, model = fitted(bbc), fitted(bbc, min_children=least)
    few = [topic for topic in inner(model) if n_children(model)[topic] < least]
    parents = model.tree_.parent[few]
    assert len(set(parents.tolist())) == len(parents)
    assert (n_children(usual)[inner(usual)] < 4).sum() > 4
    assert len(few) <= 4


def inner(model: HierarchicalLDA) -> np.ndarray:
    level = model.tree_.level
    return np.flatnonzero((level > 0) & (level < model.tree_.n_levels - 1))


def test_seeded_topics_stay_and_count_first(bbc: Corpus) -> None:
    for most in (2, 4, 5):
        model = fitted(bbc, max_children=most, seeds=SEEDS)
        tree, topic = model.tree_, {name: topic for topic, name in model.tree_.names.items()}
        assert set(topic) == set("abcdef")
        assert n_children(model)[0] == max(4, most)
        assert tree.parent[topic["e"]] == topic["d"]
        assert np.delete(n_children(model), 0).max() <= most


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_children": 0}, "max_children must be at least 1; got 0"),
        ({"min_children": 0}, "min_children must be at least 1; got 0"),
        ({"min_children": 4, "max_children": 3}, r"max_children must be at least min_children \(4\); got 3"),
    ],
)
def test_other_limits_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HierarchicalLDA(**options).fit(np.eye(30, dtype=int))
