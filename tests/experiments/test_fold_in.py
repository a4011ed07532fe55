"""Benchmarks place documents in flat topics and in trees as the posterior of their walks says."""

import math

import numpy as np
import pytest
from fold_in import Walkers, flat_walkers, perplexity
from peers import Flat
from scipy import sparse

from topicgrove import Corpus

COUNTS = sparse.csr_array(np.array([[30, 10, 0], [0, 5, 25]]))


def documents(*words):
    """Make 2,000 identical documents of two tokens, of which either is held out by chance."""
    return Corpus.from_documents([list(words)] * 2_000, n_words=3)


def test_a_single_topic_predicts_by_its_words():
    flat = Flat(COUNTS[:1], np.array([0.5]), 0.1, 0.0, 0.0)
    phi = (np.array([30, 10, 0]) + 0.1) / 40.3
    assert perplexity(flat_walkers(flat), documents(1, 1)) == pytest.approx(1 / phi[1], rel=1e-6)


def test_flat_topics_predict_what_enumeration_says():
    alpha = np.array([0.3, 0.6])
    flat = Flat(COUNTS, alpha, 0.1, 0.0, 0.0)
    phi = (COUNTS.toarray() + 0.1) / (COUNTS.toarray() + 0.1).sum(axis=1, keepdims=True)
    of_first = alpha * phi[:, 1] / (alpha @ phi[:, 1])
    theta = sum(p * (alpha + np.eye(2)[t]) / (alpha.sum() + 1) for t, p in enumerate(of_first))
    expected = 1 / (theta @ phi[:, 1])
    assert perplexity(flat_walkers(flat), documents(1, 1)) == pytest.approx(expected, rel=0.01)


def test_a_tree_predicts_what_enumeration_says():
    """Root, two children, and a grandchild below the first; the second token is at t given that the first is at s."""
    parent, alpha, stop = [-1, 0, 0, 1], np.array([0.0, 0.4, 0.9, 0.7]), np.array([0.5, 0.3, 0.0, 0.0])
    phi = np.array([[0.2, 0.6, 0.2], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.05, 0.9, 0.05]])
    walkers = Walkers(np.array(parent, np.int32), phi.T.astype(np.float32).copy(), alpha, stop)

    def shares(s):
        """P(t) of one more token after one at s; after none if s is -1."""
        used = {s: 1.0}
        below = np.zeros(4)
        while s >= 0:
            below[s], s = 1.0, parent[s]
        at_root, at_one = below[0] + 1.8, below[1] + 1.0
        one, two = (below[1] + 0.4) / at_root, (below[2] + 0.9) / at_root
        root, stay = (used.get(0, 0.0) + 0.5) / at_root, (used.get(1, 0.0) + 0.3) / at_one
        return np.array([root, one * stay, two, one * (below[3] + 0.7) / at_one])

    first = shares(-1) * phi[:, 1]
    first /= first.sum()
    theta = sum(p * shares(s) for s, p in enumerate(first))
    assert math.isclose(theta.sum(), 1)
    assert perplexity(walkers, documents(1, 1)) == pytest.approx(1 / (theta @ phi[:, 1]), rel=0.01)
