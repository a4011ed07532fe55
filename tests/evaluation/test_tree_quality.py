"""Diversity, specialisation and affinity: equal to the same means over dense topics."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from topicgrove.evaluation.hierarchy import hierarchy_quality
from topicgrove.evaluation.report import evaluate_tree, top_word_ids
from topicgrove.evaluation.tree_quality import hierarchical_affinity, specialisation, topic_diversity, tree_quality
from topicgrove.prior import HyperParameters
from topicgrove.tree import TopicTree

BETA = np.array([1.0, 0.5, 0.1])
SINGLE = TopicTree(np.array([-1]), np.array([0]), np.array([3]), np.array([6]))


def make_tree(parent, counts):
    parent = np.array(parent)
    level = np.zeros(len(parent), np.int64)
    for topic in range(1, len(parent)):
        level[topic] = level[parent[topic]] + 1
    return TopicTree(parent, level, np.ones(len(parent), np.int64), counts.sum(axis=1))


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    counts = rng.poisson(rng.gamma(0.2, 5, size=(10, 50)))
    counts[5] = 0
    return counts


@pytest.fixture
def tree(counts):
    # Topic 3 has no child, as in a pruned tree.
    return make_tree([-1, 0, 0, 0, 1, 1, 2, 2, 2, 2], counts)


def smoothed(tree, counts):
    phi = counts + BETA[tree.level][:, None]
    return phi / phi.sum(axis=1, keepdims=True)


def test_diversity_is_the_share_of_different_words():
    assert topic_diversity([[1, 2], [3, 4]]) == 1
    assert topic_diversity([[1, 2], [1, 2], [2, 1]]) == pytest.approx(1 / 3)
    assert topic_diversity([[1]]) == 1
    assert np.isnan(topic_diversity([]))
    assert np.isnan(topic_diversity([[]]))


def test_specialisation_is_the_mean_distance_from_the_corpus(tree, counts):
    distance = 1 - cosine_similarity(smoothed(tree, counts), counts.sum(axis=0, keepdims=True)).ravel()
    expected = [distance[tree.level == level].mean() for level in range(3)]
    np.testing.assert_allclose(specialisation(tree, sparse.csr_array(counts), BETA), expected, rtol=1e-12)


def test_affinity_is_the_mean_similarity_with_children_and_with_others(tree, counts):
    similarity = cosine_similarity(smoothed(tree, counts))
    nephews = {1: [6, 7, 8, 9], 2: [4, 5]}
    children = [similarity[0, 1:4].mean(), np.mean([similarity[t, tree.children[t]].mean() for t in (1, 2)])]
    others = [np.nan, np.mean([similarity[t, nephews[t]].mean() for t in (1, 2)])]
    affinity = hierarchical_affinity(tree, sparse.csr_array(counts), BETA)
    np.testing.assert_allclose(affinity.children, children, rtol=1e-12)
    np.testing.assert_allclose(affinity.non_children, others, rtol=1e-12)
    assert affinity.to_dict()["non_children"][0] is None


def test_children_like_their_parents_have_more_affinity_than_others():
    counts = np.array([[4, 4, 4, 4], [8, 8, 0, 0], [0, 0, 8, 8], [9, 0, 0, 0], [0, 0, 9, 0]])
    right = hierarchical_affinity(make_tree([-1, 0, 0, 1, 2], counts), counts, BETA / 10)
    swapped = counts[[0, 1, 2, 4, 3]]
    wrong = hierarchical_affinity(make_tree([-1, 0, 0, 1, 2], swapped), swapped, BETA / 10)
    assert right.children[1] > right.non_children[1]
    assert wrong.children[1] < wrong.non_children[1]


def test_one_topic_alone():
    counts = np.array([[1, 2, 3]])
    quality = tree_quality(SINGLE, counts, BETA, [[2, 1]])
    assert quality.specialisation[0] == pytest.approx(1 - cosine_similarity(counts + BETA[0], counts)[0, 0])
    assert quality.to_dict()["affinity"] == {"children": [], "non_children": []}


def test_many_topics_and_words_need_no_dense_matrix():
    n_topics, n_words = 2_000, 100_000
    counts = sparse.random_array((n_topics, n_words), density=1e-3, rng=np.random.default_rng(0), format="csr")
    counts.data = np.ceil(counts.data * 5)
    parent = np.concatenate([[-1], np.zeros(49, np.int64), 1 + np.sort(np.arange(n_topics - 50) % 49)])
    level = np.minimum(np.arange(n_topics), 1) + (np.arange(n_topics) >= 50)
    n_tokens = np.asarray(counts.sum(axis=1)).ravel()
    tree = TopicTree(parent, level, np.ones(n_topics, np.int64), n_tokens)
    tracemalloc.start()
    quality = tree_quality(tree, counts, BETA, [])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n_topics * n_words * 8 / 50
    assert np.all(np.isfinite(quality.specialisation))
    # Counts without any structure: children are like all others.
    assert quality.affinity.children[1] == pytest.approx(quality.affinity.non_children[1], rel=0.01)


@pytest.mark.parametrize("beta", [[1.0], [1.0, 0.0, 1.0], [1.0, np.nan, 1.0], 0.5])
def test_wrong_beta_is_refused(tree, counts, beta):
    with pytest.raises(ValueError, match="beta must have a positive number for each of 3 levels"):
        specialisation(tree, counts, beta)


def test_wrong_counts_are_refused(tree, counts):
    with pytest.raises(ValueError, match="word_counts has 9 rows; the tree has 10 topics"):
        hierarchical_affinity(tree, counts[:9], BETA)
    with pytest.raises(ValueError, match="word_counts has no tokens"):
        specialisation(tree, 0 * counts, BETA)


class TestReport:
    HYPER = HyperParameters.of(3, beta=BETA)

    def test_top_words_are_the_most_frequent(self, counts):
        for row, words in zip(counts, top_word_ids(sparse.csr_array(counts), 5), strict=True):
            expected = np.argsort(-row, kind="stable")[: min(5, np.count_nonzero(row))]
            assert words == expected.tolist()

    def test_stored_zeros_are_no_words_and_the_counts_are_left_alone(self):
        counts = sparse.csr_array((np.array([0, 3, 0]), np.array([0, 1, 2]), np.array([0, 2, 3])))
        assert top_word_ids(counts, 2) == [[1], []]
        assert counts.data.tolist() == [0, 3, 0]

    @pytest.mark.parametrize("n_words", [0, 2.0, True])
    def test_wrong_number_of_words_is_refused(self, counts, n_words):
        with pytest.raises(ValueError, match="n_words must be a whole number from 1"):
            top_word_ids(counts, n_words)

    def test_report_is_json(self, tree, counts):
        X = np.random.default_rng(1).poisson(0.3, size=(6, 50))
        paths = [[0, 1, 4], [0, 1, 5], [0, 2, 6], [0, 2, 7], [0, 2, 8], [0, 2, 9]]
        labels = [("a", "b"), ("a",), None, ("c", "d"), (), ("c", "d")]
        report = evaluate_tree(tree, counts, self.HYPER, X, labels, paths=paths)
        assert json.loads(json.dumps(report, allow_nan=False)) == report
        assert report["n_topics_by_level"] == [1, 3, 6]
        assert len(report["coherence"]["npmi_by_level"]) == 3
        assert report["classes"]["n_docs"] == [4, 3]
        assert report["labels"] == report["classes"]

    def test_the_hierarchy_is_judged_by_the_words_that_the_tree_shows(self, tree, counts):
        X = np.random.default_rng(1).poisson(0.3, size=(6, 50))
        with_words = replace(tree, word_counts=sparse.csr_array(counts))
        words = [[int(word) for word in with_words.top_words(topic, 15)] for topic in range(len(tree))]
        expected = hierarchy_quality(tree, words, X).to_dict()
        assert evaluate_tree(tree, counts, self.HYPER, X)["hierarchy"] == expected

    def test_single_topic_of_one_word_has_a_report(self):
        report = evaluate_tree(SINGLE, [[0, 6]], self.HYPER, [[0, 1], [0, 2]])
        assert report["coherence"] == {"npmi": None, "npmi_by_level": [None], "c_v": None, "c_v_by_level": [None]}
        assert not {"classes", "labels"} & set(report)
        json.dumps(report, allow_nan=False)

    def test_labels_without_paths_are_refused(self, tree, counts):
        with pytest.raises(ValueError, match="classes need paths"):
            evaluate_tree(tree, counts, self.HYPER, counts, [None] * 10)
