"""Nested groups and the vectors that they are made of."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from topicgrove import Corpus
from topicgrove.samplers.document_vectors import document_vectors, own_vectors, unit
from topicgrove.samplers.nested_groups import nested_groups
from topicgrove.samplers.two_levels import fit_all_leaves
from topicgrove.workers import Workers


def clouds(n: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    cloud = np.repeat(np.arange(6), n // 6)
    return (rng.normal(0, 0.1, (n, 5)) + 5 * rng.normal(size=(6, 5))[cloud]).astype(np.float32), cloud


def test_each_level_lies_within_the_one_before() -> None:
    vectors, _ = clouds()
    levels = nested_groups(vectors, [3, 9, 30], seed=1)
    for coarse, fine in pairwise(levels):
        assert_array_equal(np.unique(fine), np.arange(fine.max() + 1))
        assert all(len(set(coarse[fine == group])) == 1 for group in np.unique(fine))


def test_every_group_is_split() -> None:
    vectors, _ = clouds()
    coarse, fine = nested_groups(vectors, [6, 12], seed=1)
    assert all(len(set(fine[coarse == group])) >= 2 for group in np.unique(coarse))


def test_clouds_are_found() -> None:
    vectors, cloud = clouds()
    assert adjusted_rand_score(nested_groups(vectors, [6], seed=2)[0], cloud) == 1


def test_equal_vectors_are_one_group() -> None:
    levels = nested_groups(np.ones((7, 2), np.float32), [3, 5], seed=0)
    assert [groups.max() for groups in levels] == [0, 0]


@pytest.mark.parametrize("size", [5, 6])
def test_a_large_group_asks_for_more_groups(size: int) -> None:
    """With five groups for six clouds, one of them holds a third of the vectors."""
    vectors, cloud = clouds()
    assert nested_groups(vectors, [size, 12], seed=0)[0].max() + 1 == size
    even, fine = nested_groups(vectors, [size, 12], seed=0, even=True)
    assert adjusted_rand_score(even, cloud) == 1
    assert fine.max() + 1 == 12


def test_documents_about_the_same_are_close() -> None:
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(200, 0.05), 4)
    X = np.array([rng.multinomial(40, topics[d % 4]) for d in range(200)])
    corpus = Corpus.from_matrix(X)
    fits = fit_all_leaves(corpus, 3, 4, 0, Workers(1), lambda n_drawn: None)
    vectors = document_vectors(own_vectors(corpus, 0), fits, 0)
    assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    similar, same = vectors @ vectors.T, np.equal.outer(np.arange(200) % 4, np.arange(200) % 4)
    assert similar[same].mean() > similar[~same].mean() + 0.5


def test_empty_documents_have_no_direction() -> None:
    corpus = Corpus.from_matrix(np.vstack([np.eye(6, dtype=int) * 3, np.zeros((1, 6), int)]))
    assert not own_vectors(corpus, 0)[-1].any()
    assert not unit(np.zeros((2, 3))).any()
