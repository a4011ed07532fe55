"""Top words against plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from topicgrove.tree import TopicTree
from topicgrove.words import TopicWords


def big_tree(seed, empty=()):
    """1-4-12-36 topics of 2,000 words; each has favourites, and some that its parent and siblings favour too."""
    rng = np.random.default_rng(seed)
    parent = np.concatenate([[-1], np.zeros(4, int), np.repeat(np.arange(1, 5), 3), np.repeat(np.arange(5, 17), 3)])
    level = np.repeat([0, 1, 2, 3], [1, 4, 12, 36])
    counts = rng.poisson(0.5, (53, 2000))
    for topic in range(53):
        counts[topic, topic * 30 : topic * 30 + 30] += rng.poisson(30, 30)
        counts[topic, parent[topic] * 30 : parent[topic] * 30 + 10] += rng.poisson(40, 10)
    counts[list(empty)] = 0
    n_docs = np.array([36, *[9] * 4, *[3] * 12, *[1] * 36]) * 50
    return TopicTree(parent, level, n_docs, counts.sum(axis=1), word_counts=sparse.csr_array(counts))


def test_distinctive_words_rank_by_the_formula():
    tree = big_tree(0)
    counts = tree.word_counts.toarray()
    shares = counts.sum(axis=0) / counts.sum() + 1e-4
    for topic in range(1, len(tree)):
        below = [t for t in range(len(tree)) if topic in tree.path(t)]
        weights = 2.0 ** (tree.level[topic] - tree.level[below])
        branch = weights @ counts[below]
        p = branch / branch.sum()
        with np.errstate(all="ignore"):
            expected = np.where(p > 0, p * np.log(p / shares), 0)
        found = [(int(word), score) for word, score in tree.top_words_with_scores(topic, 8)]
        np.testing.assert_allclose([score for _, score in found], [expected[word] for word, _ in found])
        before = tree.path(topic)[:-1] + [t for t in range(topic) if tree.parent[t] == tree.parent[topic]]
        expected[[int(word) for t in before for word in tree.top_words(t, 8)]] = 0
        np.testing.assert_allclose([score for _, score in found], -np.sort(-expected)[:8])


@pytest.mark.parametrize("n", [3, 8, 15])
def test_no_topic_repeats_a_word_of_an_ancestor_or_a_sibling(n):
    tree = big_tree(0)
    words = [set(tree.top_words(topic, n)) for topic in range(len(tree))]
    for topic in range(1, len(tree)):
        assert len(words[topic]) == n
        assert not any(words[topic] & words[above] for above in tree.path(topic)[:-1])
        assert not any(words[topic] & words[t] for t in tree.children[tree.parent[topic]] if t != topic)


@pytest.mark.parametrize("fewer", [3, 8, 15, 20])
def test_more_words_change_none(fewer):
    tree = big_tree(1)
    for topic in range(len(tree)):
        assert tree.top_words(topic, fewer) == tree.top_words(topic, 30)[:fewer]
        assert len(tree.top_words(topic, fewer)) == fewer


def test_scores_fall_from_round_to_round():
    tree = big_tree(1)
    for topic in range(len(tree)):
        scores = [score for _, score in tree.top_words_with_scores(topic, 30)]
        assert scores == sorted(scores, reverse=True)


def test_a_topic_without_tokens_shows_words_of_the_topics_below_it():
    tree = big_tree(2, empty=[1, 6])
    assert {int(word) // 30 for word in tree.top_words(1, 8)} <= {1, 5, 6, 7, *range(17, 26)}
    assert {int(word) // 30 for word in tree.top_words(6, 8)} <= {6, 20, 21, 22}
    assert tree.top_words(1, by="probability") == []


def test_a_leaf_without_tokens_shows_further_words_of_its_parent():
    tree = big_tree(3, empty=[17])
    words = tree.top_words(17, 8)
    assert {int(word) // 30 for word in words} <= {1, 5}
    assert not set(words) & set(tree.top_words(5, 8))


def test_a_topic_whose_words_are_all_shown_above_repeats_them():
    counts = sparse.csr_array([[0, 0], [0, 0], [4, 0], [0, 2]])
    words = TopicWords(counts, np.array([-1, 0, 1, 1]), np.zeros(4), np.array([6, 6, 4, 2]))
    assert [words.top(topic, 2, "distinctive")[0].tolist() for topic in range(4)] == [[0], [1], [0], [1]]


def test_topics_of_few_words_leave_some_to_those_below():
    counts = sparse.csr_array([[0] * 6, [9, 8, 7, 6, 5, 4]])
    words = TopicWords(counts, np.array([-1, 0]), np.zeros(2), np.array([9, 9]))
    assert [words.top(topic, 8, "distinctive")[0].tolist() for topic in range(2)] == [[0, 1, 2], [3, 4, 5]]


def test_the_root_shows_words_of_its_own_that_tell_its_children_apart():
    filler, common, special = range(3)
    counts = np.zeros((3, 12), int)
    counts[0, [filler, common]] = 90, 80
    counts[1:, filler] = 30
    counts[1, common], counts[2, common] = 60, 20
    counts[1, special], counts[2, special + 1] = 100, 100
    words = TopicWords(sparse.csr_array(counts), np.array([-1, 0, 0]), np.zeros(3), np.array([100, 50, 50]))
    assert words.top(0, 1, "distinctive")[0].tolist() == [common]
    assert words.top(0, 1, "probability")[0].tolist() == [filler]


def test_a_few_documents_that_repeat_a_word_do_not_name_a_branch():
    tree = big_tree(4)
    counts = tree.word_counts.toarray()
    counts[17, 1999] = 20_000
    n_docs = tree.n_docs.copy()
    assert "1999" in replace(tree, word_counts=sparse.csr_array(counts), n_docs=1000 * n_docs).top_words(1, 8)
    n_docs[17] = 2
    assert "1999" not in replace(tree, word_counts=sparse.csr_array(counts), n_docs=n_docs).top_words(1, 8)


def test_a_tree_of_one_topic_shows_its_most_frequent_words():
    words = TopicWords(sparse.csr_array([[1, 0, 3, 2]]), np.array([-1]), np.zeros(1), np.array([2]))
    assert words.top(0, 2, "distinctive")[0].tolist() == [2, 3]


def test_probabilities_are_posterior_means(tree):
    counts, beta = tree.word_counts.toarray(), tree.beta
    for topic in range(len(tree)):
        mean = (counts[topic] + beta[tree.level[topic]]) / (counts[topic].sum() + 8 * beta[tree.level[topic]])
        for word, probability in tree.top_words_with_scores(topic, 8, "probability"):
            assert probability == pytest.approx(mean[tree.vocabulary.index(word)])


def test_words_come_by_falling_score_and_equal_ones_by_id(make_tree):
    counts = np.zeros((7, 8), int)
    counts[0] = [2, 5, 2, 0, 5, 1, 0, 0]
    tree = make_tree(word_counts=sparse.csr_array(counts))
    assert tree.top_words(0, 3, "probability") == ["space", "game", "the"]


def test_words_without_tokens_are_never_probable(tree):
    assert set(tree.top_words(3, 100, by="probability")) == {"space", "moon"}
    assert set(tree.top_words(3, 100)) <= {"space", "moon"}


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


def test_words_that_are_shown_by_default_leave_out_what_siblings_and_ancestors_share(tree):
    assert tree.top_words(4, 2, by="probability") == ["orbit", "space"]
    assert tree.top_words(4, 2) == ["orbit"]


def test_words_without_a_vocabulary_are_their_ids(make_tree):
    assert make_tree(vocabulary=None).top_words(3, by="probability") == ["2", "1"]


def test_probabilities_without_a_prior_are_shares(make_tree):
    assert make_tree(beta=None).top_words_with_scores(3, 1, "probability") == [("moon", 8 / 9)]


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
