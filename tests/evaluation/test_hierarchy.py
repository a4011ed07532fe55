"""Hierarchy quality, compared with the published definitions computed word by word."""

from itertools import product

import numpy as np
import pytest

from topicgrove.evaluation.hierarchy import EPSILON, hierarchy_quality
from topicgrove.tree import TopicTree

PARENT = np.array([-1, 0, 0, 1, 1, 2, 2, 2])
LEVEL = np.array([0, 1, 1, 2, 2, 2, 2, 2])
TREE = TopicTree(PARENT, LEVEL, n_docs=np.array([9, 5, 4, 3, 2, 2, 1, 1]), n_tokens=np.ones(8, int))


def random_words(seed: int, n_words: int = 40, n: int = 6) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.choice(n_words, n, replace=False).tolist() for _ in PARENT]


def npmi(X: np.ndarray, v: int, w: int) -> float:
    both = np.mean((X[:, v] > 0) & (X[:, w] > 0))
    if both == 1:
        return 1.0
    return np.log((both + EPSILON) / (np.mean(X[:, v] > 0) * np.mean(X[:, w] > 0))) / -np.log(both + EPSILON)


def coherence(X: np.ndarray, parent: list[int], child: list[int]) -> list[float]:
    common = set(parent) & set(child)
    pairs = product(set(parent) - common, set(child) - common)
    return [npmi(X, v, w) for v, w in pairs] + [-1.0] * len(common) ** 2


def once(*topics: list[int]) -> float:
    words = [word for topic in topics for word in topic]
    return sum(words.count(word) == 1 for word in words) / len(words)


@pytest.mark.parametrize("seed", range(3))
def test_all_four_are_those_of_the_definitions(seed):
    X = np.random.default_rng(seed).poisson(0.4, (60, 40))
    words = random_words(seed)
    quality = hierarchy_quality(TREE, words, X)
    children = [(p, c) for c, p in enumerate(PARENT) if p > 0]
    others = [(p, c) for p in (1, 2) for c in range(3, 8) if PARENT[c] != p]
    pcc = np.mean([npmi for p, c in children for npmi in coherence(X, words[p], words[c])])
    assert quality.parent_child_coherence == pytest.approx(pcc)
    assert quality.parent_child_diversity == pytest.approx(np.mean([once(words[p], words[c]) for p, c in children]))
    assert quality.parent_non_child_diversity == pytest.approx(np.mean([once(words[p], words[c]) for p, c in others]))
    families = [[1, 2]], [[3, 4], [5, 6, 7]]
    by_level = [np.mean([once(*(words[t] for t in family)) for family in level]) for level in families]
    assert quality.sibling_diversity == pytest.approx(np.mean(by_level))


def test_levels_weigh_the_same_however_many_topics_they_have():
    parent, level = np.array([-1, 0, 0, 1, 2, 3, 3]), np.array([0, 1, 1, 2, 2, 3, 3])
    tree = TopicTree(parent, level, n_docs=np.array([2, 1, 1, 1, 1, 1, 0]), n_tokens=np.ones(7, int))
    quality = hierarchy_quality(tree, [[0], [1], [2], [1], [3], [4], [5]], np.eye(6, dtype=int))
    assert quality.parent_child_diversity == np.mean([np.mean([0, 1]), 1])


def test_a_tree_of_two_levels_has_siblings_alone():
    tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([2, 1, 1]), np.ones(3, int))
    assert hierarchy_quality(tree, [[0], [1], [1]], np.eye(2, dtype=int)).to_dict() == {
        "parent_child_coherence": None,
        "parent_child_diversity": None,
        "sibling_diversity": 0.0,
        "parent_non_child_diversity": None,
    }


def test_topics_without_words_are_left_out():
    tree = TopicTree(np.array([-1, 0, 1, 1]), np.array([0, 1, 2, 2]), np.array([2, 2, 1, 1]), np.ones(4, int))
    quality = hierarchy_quality(tree, [[0], [], [], [1]], np.eye(2, dtype=int))
    assert quality.parent_child_diversity == 1
    assert np.isnan(quality.parent_child_coherence)
