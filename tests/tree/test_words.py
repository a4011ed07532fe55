"""Top words against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from topicgrove.tree import TopicTree
from topicgrove.words import TopicWords


def distinctiveness(counts, parent, topic):
    """p log(p / q) for all words, dense; NaN for those that the topic does not have."""
    if topic == 0:
        around = range(len(parent))
    else:
        around = [t for t in range(1, len(parent)) if parent[t] == parent[topic]]
        while topic and parent[around[-1]] >= 0:
            around.append(parent[around[-1]])
    p = counts[topic] / counts[topic].sum()
    q = counts[around].sum(axis=0) / counts[around].sum()
    with np.errstate(all="ignore"):
        return np.where(p > 0, p * np.log(p / q), np.nan)


PARENTS = np.array([-1, 0, 0, 0, 1, 1, 2])


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.int32, (7, 6), elements=st.integers(0, 9) | st.just(0)), st.integers(0, 6))
def test_distinctive_words_are_those_of_the_formula(counts, topic):
    words, scores = TopicWords(sparse.csr_array(counts), PARENTS, np.zeros(7)).distinctiveness(topic)
    if counts[topic].sum() == 0:
        assert len(words) == 0
        return
    expected = distinctiveness(counts, PARENTS, topic)
    np.testing.assert_array_equal(words, np.flatnonzero(expected > 1e-12))
    np.testing.assert_allclose(scores, expected[words])


def test_probabilities_are_posterior_means(tree):
    counts, beta = tree.word_counts.toarray(), tree.beta
    for topic in range(len(tree)):
        mean = (counts[topic] + beta[tree.level[topic]]) / (counts[topic].sum() + 8 * beta[tree.level[topic]])
        for word, probability in tree.top_words_with_scores(topic, 8):
            assert probability == pytest.approx(mean[tree.vocabulary.index(word)])


def test_words_come_by_falling_score_and_equal_ones_by_id(make_tree):
    counts = np.zeros((7, 8), int)
    counts[0] = [2, 5, 2, 0, 5, 1, 0, 0]
    tree = make_tree(word_counts=sparse.csr_array(counts))
    assert tree.top_words(0, 3) == ["space", "game", "the"]


def test_words_without_tokens_are_never_listed(tree):
    assert set(tree.top_words(3, 100)) == {"space", "moon"}
    assert set(tree.top_words(3, 100, by="distinctive")) <= {"space", "moon"}


def test_stored_zeros_and_unsorted_words_change_nothing(make_tree, tree):
    counts = tree.word_counts.tocoo()
    order = np.random.default_rng(0).permutation(counts.nnz)
    row, column, data = counts.row[order], counts.col[order], counts.data[order]
    by_row = np.argsort(row, kind="stable")
    zeros = 7  # one in every row, at a word that the topic does not have
    missing = [int(np.flatnonzero(tree.word_counts.toarray()[t] == 0)[0]) for t in range(7)]
    indices = np.concatenate([np.append(column[by_row][row[by_row] == t], missing[t]) for t in range(7)])
    values = np.concatenate([np.append(data[by_row][row[by_row] == t], 0) for t in range(7)])
    starts = np.append(0, np.cumsum(np.bincount(row, minlength=7) + 1))
    messy = sparse.csr_array((values, indices, starts), shape=(7, 8))
    assert messy.nnz == counts.nnz + zeros
    for topic in range(7):
        for by in ("probability", "distinctive"):
            assert make_tree(word_counts=messy).top_words_with_scores(topic, 8, by) == tree.top_words_with_scores(
                topic, 8, by
            )


def test_distinctive_words_leave_out_what_siblings_and_ancestors_share(tree):
    assert tree.top_words(4, 2) == ["orbit", "space"]
    assert tree.top_words(4, 2, by="distinctive") == ["orbit"]


def test_words_without_a_vocabulary_are_their_ids(make_tree):
    assert make_tree(vocabulary=None).top_words(3) == ["2", "1"]


def test_probabilities_without_a_prior_are_shares(make_tree):
    assert make_tree(beta=None).top_words_with_scores(3, 1) == [("moon", 8 / 9)]


def test_a_tree_without_words_says_so():
    tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]))
    with pytest.raises(ValueError, match="made without word_counts"):
        tree.top_words(0)


@pytest.mark.parametrize("topic", [-1, 7, 10**9])
def test_topics_that_do_not_exist_are_refused(tree, topic):
    with pytest.raises(ValueError, match=f"topic must be between 0 and 6; got {topic}"):
        tree.top_words(topic)


@pytest.mark.parametrize("wrong", [{"n": 0}, {"n": 2.5}, {"by": "frequency"}, {"topic": 1.0}, {"topic": "1"}])
def test_wrong_arguments_are_named(tree, wrong):
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        tree.top_words(**({"topic": 0} | wrong))


def test_numpy_integers_are_topics(tree):
    assert tree.top_words(np.int32(3)) == tree.top_words(3)
