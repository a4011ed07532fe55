"""Merging topics, compared with the divergences computed in full."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from topicgrove.bottleneck import merge_topics


def loss(a: np.ndarray, b: np.ndarray) -> float:
    """(n_a + n_b) JS(a, b) with weights by tokens, in nats."""
    together = a + b
    return together.sum() * entropy(together) - a.sum() * entropy(a) - b.sum() * entropy(b)


def merged_by_hand(counts: np.ndarray, size: int) -> list[set[int]]:
    groups = [({t}, row.astype(float)) for t, row in enumerate(counts)]
    while len(groups) > size:
        pairs = [(loss(groups[i][1], groups[j][1]), i, j) for i in range(len(groups)) for j in range(i)]
        _, i, j = min(pairs)
        groups[j] = (groups[j][0] | groups[i][0], groups[j][1] + groups[i][1])
        del groups[i]
    return sorted((members for members, _ in groups), key=min)


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_those_of_greedy_merging(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.3, 2, (25, 80)))
    counts[:, 0] += 1
    sizes = [20, 9, 2]
    for size, groups in zip(sizes, merge_topics(sparse.csr_array(counts), sizes), strict=True):
        members = [set(np.flatnonzero(groups == group)) for group in range(size)]
        assert sorted(members, key=min) == merged_by_hand(counts, size)


def test_the_loss_is_the_weighted_jensen_shannon_divergence():
    a, b = np.array([3, 5, 0, 2]), np.array([4, 0, 1, 5])
    assert loss(a, b) == pytest.approx(20 * jensenshannon(a / 10, b / 10) ** 2)


def test_partitions_are_nested():
    counts = np.random.default_rng(0).poisson(1.0, (30, 50))
    fine, coarse = merge_topics(sparse.csr_array(counts), [12, 4])
    assert all(len(set(coarse[fine == group])) == 1 for group in range(12))


def test_topics_without_words_and_more_groups_than_topics_are_fine():
    assert merge_topics(sparse.csr_array([[0, 0], [1, 0], [0, 2]]), [9, 1])[0].tolist() == [0, 1, 2]
