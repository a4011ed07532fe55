"""Corpora drawn from the model: their shape, their seeds, and frequencies that follow from the priors."""

import numpy as np
import pytest

from topicgrove import synthetic
from topicgrove.synthetic import generate


def test_corpus_tree_and_levels_agree():
    made = generate(300, 40, 3, gamma=2.0, length=25, seed=4)
    made.tree.check()
    corpus, paths = made.corpus, made.paths
    document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
    counts = np.zeros((len(made.tree), corpus.n_words), np.int64)
    np.add.at(counts, (paths[document, made.token_levels], corpus.words), 1)
    np.testing.assert_array_equal(made.tree.word_counts.toarray(), counts)
    np.testing.assert_array_equal(np.bincount(paths.ravel(), minlength=len(made.tree)), made.tree.n_docs)
    np.testing.assert_array_equal(made.tree.parent[paths[:, 1:]], paths[:, :-1])
    level_counts = made.tree.documents.level_counts
    np.testing.assert_array_equal(level_counts.sum(axis=1), corpus.document_lengths)


def test_the_same_seed_gives_the_same_corpus_and_another_seed_another():
    first, again, other = (generate(50, 30, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.corpus.words, again.corpus.words)
    np.testing.assert_array_equal(first.paths, again.paths)
    np.testing.assert_array_equal(first.token_levels, again.token_levels)
    assert not np.array_equal(first.corpus.words[:100], other.corpus.words[:100])


def test_blocks_do_not_change_the_corpus(monkeypatch):
    whole = generate(60, 30, branching=(2, 1, 2), seed=3)
    monkeypatch.setattr(synthetic, "BLOCK_TOKENS", 64)
    cut = generate(60, 30, branching=(2, 1, 2), seed=3)
    np.testing.assert_array_equal(whole.corpus.words, cut.corpus.words)
    np.testing.assert_array_equal(whole.token_levels, cut.token_levels)


def test_branching_gives_every_topic_its_children():
    made = generate(2_000, 10, 4, branching=(3, 2, 4), length=2, seed=0)
    assert made.tree.n_topics_per_level == [1, 3, 6, 24]
    assert {len(made.tree.children[topic]) for topic in range(1, 4)} == {2}
    # Documents take children with equal probability: 2000 / 24 = 83 a leaf, standard deviation 9.
    leaves = made.tree.n_docs[made.tree.level == 3]
    assert 83 - 45 < leaves.min() <= leaves.max() < 83 + 45


def test_siblings_come_by_documents_as_in_trained_trees():
    made = generate(500, 10, 3, gamma=3.0, length=2, seed=1)
    for children in made.tree.children:
        assert np.all(np.diff(made.tree.n_docs[children]) <= 0)


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_number_of_tables_is_that_of_the_chinese_restaurant_process(gamma):
    rng = np.random.default_rng(0)
    n, repeats = 100, 2_000
    tables = [len(np.unique(synthetic._choose_tables(n, gamma, rng))) for _ in range(repeats)]
    expected = (gamma / (gamma + np.arange(n))).sum()
    assert abs(np.mean(tables) - expected) < 4 * np.std(tables) / np.sqrt(repeats)


def test_share_of_the_largest_table_of_two_documents_is_right():
    rng = np.random.default_rng(1)
    together = [len(set(synthetic._choose_tables(2, 3.0, rng).tolist())) == 1 for _ in range(4_000)]
    assert abs(np.mean(together) - 1 / 4) < 0.03


def test_words_are_alike_without_zipf_and_fall_with_it():
    flat = generate(400, 50, 2, branching=(40,), beta=1e4, length=200, seed=0)
    frequency = np.bincount(flat.corpus.words, minlength=50) / flat.corpus.n_tokens
    # About 1,600 tokens a word: a standard deviation of 2.5 %.
    assert np.abs(frequency * 50 - 1).max() < 0.12
    falling = generate(400, 50, 2, branching=(40,), beta=1e4, zipf=1.0, length=200, seed=0)
    frequency = np.bincount(falling.corpus.words, minlength=50) / falling.corpus.n_tokens
    expected = 1 / np.arange(1, 51) / (1 / np.arange(1, 51)).sum()
    np.testing.assert_allclose(frequency, expected, rtol=0.25)


def test_levels_follow_alpha():
    made = generate(4_000, 20, 3, branching=(1, 1), alpha=[4, 2, 2], length=50, seed=0)
    shares = np.bincount(made.token_levels, minlength=3) / made.corpus.n_tokens
    np.testing.assert_allclose(shares, [0.5, 0.25, 0.25], atol=0.02)


def test_small_beta_gives_topics_few_words():
    fine, coarse = (generate(500, 200, 2, branching=(5,), beta=beta, seed=0) for beta in (0.01, 1.0))
    assert np.diff(fine.tree.word_counts.indptr).max() < np.diff(coarse.tree.word_counts.indptr).min()


def test_lengths_are_poisson_or_those_given():
    made = generate(3_000, 10, 2, length=40.0, seed=0)
    assert abs(made.corpus.document_lengths.mean() - 40) < 0.5
    lengths = np.array([0, 3, 7])
    np.testing.assert_array_equal(generate(3, 10, 2, length=lengths).corpus.document_lengths, lengths)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_docs": 0}, "n_docs must be at least 1"),
        ({"n_words": 0}, "n_words must be at least 1"),
        ({"n_levels": 1}, "n_levels must be between 2 and 64"),
        ({"branching": (2,)}, "branching must have n_levels - 1 = 3 numbers"),
        ({"branching": (2, 0, 1)}, r"branching\[1\] must be at least 1"),
        ({"gamma": 0.0}, "gamma"),
        ({"beta": -1.0}, "beta"),
        ({"zipf": -1.0}, "zipf must be a finite number of at least 0"),
        ({"zipf": float("nan")}, "zipf"),
        ({"length": 0.0}, "length must be a positive number"),
        ({"length": [1, 2]}, "length must be a positive number or an array of 5"),
        ({"length": [1, 2, 3, 4, -5]}, "none negative"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        generate(**{"n_docs": 5, "n_words": 10, **arguments})
