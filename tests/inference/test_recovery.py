"""Documents find their true place."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from topicgrove import HierarchicalLDA, read_uci


def majority(topics: np.ndarray, truth: np.ndarray) -> dict[int, int]:
    """Return the most frequent true class in each topic."""
    return {int(t): int(np.bincount(truth[topics == t]).argmax()) for t in np.unique(topics)}


@pytest.mark.parametrize(("level", "truth"), [(1, "branch"), (2, "leaf")])
def test_held_out_documents_find_their_own_branch_and_leaf(
    model: HierarchicalLDA, train: Any, held_out: Any, level: int, truth: str
) -> None:
    class_of = majority(model.paths_[:, level], getattr(train, truth))
    found = [class_of[int(topic)] for topic in model.predict_paths(held_out.counts)[:, level]]
    assert np.mean(np.array(found) == getattr(held_out, truth)) >= 0.95


def test_the_trained_tree_is_the_known_one(model: HierarchicalLDA, train: Any) -> None:
    assert normalized_mutual_info_score(train.branch, model.paths_[:, 1]) > 0.9
    assert normalized_mutual_info_score(train.leaf, model.paths_[:, 2]) > 0.9


def test_shares_are_where_the_words_are(models: list[HierarchicalLDA], held_out: Any) -> None:
    """Nearly all along the one path, and by level about as in training, where documents use deep topics rather more.

    By how much depends on the seed: .06 on average of twelve, with a standard deviation of .02.
    """
    shares_by_level = []
    for model in models:
        shares, paths = model.transform(held_out.counts), model.predict_paths(held_out.counts)
        assert np.take_along_axis(shares, paths, axis=1).sum(axis=1).mean() > 0.95
        trained = np.bincount(model.token_levels_, minlength=3) / len(model.token_levels_)
        found = [shares[:, model.tree_.level == level].sum(axis=1).mean() for level in range(3)]
        shares_by_level.append((found, trained))
    found, trained = np.mean(shares_by_level, axis=0)
    assert np.abs(found - trained).max() < 0.06 + 3 * 0.02 / np.sqrt(len(models))


def test_training_documents_fed_back_stay_where_they_were(model: HierarchicalLDA, train: Any) -> None:
    paths = model.predict_paths(train.counts)
    assert (paths[:, 1] == model.paths_[:, 1]).mean() >= 0.98
    assert (paths[:, 2] == model.paths_[:, 2]).mean() >= 0.9


def test_a_document_of_one_topics_words_goes_through_that_topic(model: HierarchicalLDA) -> None:
    """Ten times the most probable words of a leaf and of those above it."""
    tree = model.tree_
    for leaf in np.flatnonzero(tree.level == 2):
        rows = model.topic_word_counts_[[tree.parent[leaf], leaf]].toarray()
        X = 10 * (rows >= np.sort(rows, axis=1)[:, [-3]]).sum(axis=0, keepdims=True)
        assert model.predict_paths(X)[0, -1] == leaf


@pytest.mark.slow
def test_news_fed_back_share_the_topic_below_the_root() -> None:
    path = Path(__file__).parents[2].parent / "shared" / "data" / "20news" / "docword.20news.txt.gz"
    if not path.exists():
        pytest.skip("the shared corpora are not here")
    corpus = read_uci(path)
    model = HierarchicalLDA(random_state=0, n_jobs=-1).fit(corpus)
    found = model.predict_paths(corpus)
    assert (found[:, 1] == model.paths_[:, 1]).mean() >= 0.9
