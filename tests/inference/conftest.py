"""Documents of a known tree: three branches with two leaves each, every topic with its own words."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from topicgrove import HierarchicalLDA

BRANCHES, LEAVES, WORDS = 3, 2, 6


class Known(NamedTuple):
    counts: NDArray[np.int64]
    branch: NDArray[np.int64]
    leaf: NDArray[np.int64]


def draw_known(n_docs: int, seed: int, length: int = 30) -> Known:
    """Counts over the root's words, then those of the branches, then those of the leaves."""
    rng = np.random.default_rng(seed)
    branch, leaf = rng.integers(BRANCHES, size=n_docs), rng.integers(LEAVES, size=n_docs)
    counts = np.zeros((n_docs, WORDS * (1 + BRANCHES + BRANCHES * LEAVES)), np.int64)
    for d in range(n_docs):
        blocks = (0, 1 + branch[d], 1 + BRANCHES + branch[d] * LEAVES + leaf[d])
        for block, n in zip(blocks, rng.multinomial(length, [0.2, 0.4, 0.4]), strict=True):
            np.add.at(counts[d], block * WORDS + rng.integers(WORDS, size=n), 1)
    return Known(counts, branch, branch * LEAVES + leaf)


@pytest.fixture(scope="session")
def train() -> Known:
    return draw_known(240, seed=1)


@pytest.fixture(scope="session")
def held_out() -> Known:
    return draw_known(60, seed=2)


@pytest.fixture(scope="session")
def models(train: Known) -> list[HierarchicalLDA]:
    """Fit models with several seeds; tests must not change them.

    Partially collapsed: fully collapsed ones find trees of higher probability, in which branches are one.
    """
    plain = HierarchicalLDA(
        3, beta=[1.0, 0.5, 0.5], gamma=[1e-20, 1.0], collapse_below=64, n_iter=60, init="monte_carlo"
    )
    return [clone(plain).set_params(random_state=seed).fit(train.counts) for seed in range(3)]


@pytest.fixture(scope="session")
def model(models: list[HierarchicalLDA]) -> HierarchicalLDA:
    """Return the most probable of them."""
    return max(models, key=lambda model: model.log_joint_)
