"""Paths scored with the levels summed out, against NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from topicgrove.kernels.mixture import Candidates, Scratch, best_paths, fitted_score, tabulate_mixture
from topicgrove.kernels.structures import Documents

N_WORDS, N_TOPICS, N_LEAVES, N_LEVELS = 30, 16, 9, 3
ALPHA = np.array([0.2, 0.5, 1.0])


@pytest.fixture
def log_phi(rng: np.random.Generator) -> NDArray[np.float32]:
    return np.log(rng.dirichlet(np.full(N_WORDS, 0.3), N_TOPICS).T + 1e-20).astype(np.float32)


@pytest.fixture
def paths(rng: np.random.Generator) -> NDArray[np.int64]:
    """The root, one of three topics, and a leaf of its own."""
    return np.column_stack([np.zeros(N_LEAVES, int), rng.integers(1, 4, N_LEAVES), np.arange(5, 5 + N_LEAVES)])


def mixture_of(log_phi: NDArray[np.float32], paths: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.log(np.exp(log_phi.astype(np.float64))[:, paths].mean(axis=2))


def slow_score(words: NDArray[np.int32], log_phi: NDArray[np.float32], path: NDArray[np.int64], n_steps: int) -> float:
    """EM for the proportions, with alpha as pseudo-counts."""
    phi = np.exp(log_phi.astype(np.float64))[words][:, path]
    theta = np.full(N_LEVELS, 1 / N_LEVELS)
    for _ in range(n_steps):
        share = theta * phi
        share /= share.sum(axis=1, keepdims=True)
        theta = (share.sum(axis=0) + ALPHA) / (len(words) + ALPHA.sum())
    return float(np.log(phi @ theta).sum())


def test_the_table_holds_means_over_the_levels(log_phi: NDArray[np.float32], paths: NDArray[np.int64]) -> None:
    table = np.full((N_WORDS, 16), 7, np.float32)
    tabulate_mixture(4, 20, log_phi, paths, table)
    assert_allclose(table[4:20, :N_LEAVES], mixture_of(log_phi, paths)[4:20], rtol=1e-5, atol=1e-6)
    assert (table[:4] == 7).all()
    assert (table[20:] == 7).all()


@pytest.mark.parametrize("n_steps", [0, 1, 4])
def test_fitted_proportions_are_those_of_em(
    rng: np.random.Generator, log_phi: NDArray[np.float32], paths: NDArray[np.int64], n_steps: int
) -> None:
    words = np.sort(rng.integers(0, N_WORDS, 50)).astype(np.int32)
    phi, theta, share = np.zeros((60, N_LEVELS)), np.zeros(N_LEVELS), np.zeros(N_LEVELS)
    score = fitted_score(words, log_phi, paths[2], ALPHA, n_steps, phi, theta, share)
    assert score == pytest.approx(slow_score(words, log_phi, paths[2], n_steps), rel=1e-5)


def test_documents_get_the_best_of_the_best_paths(
    rng: np.random.Generator, log_phi: NDArray[np.float32], paths: NDArray[np.int64]
) -> None:
    lengths = np.append(rng.integers(1, 25, 39), 0)
    docs = Documents(
        words=np.concatenate([np.sort(rng.integers(0, N_WORDS, n)) for n in lengths]).astype(np.int32),
        offsets=np.append(0, np.cumsum(lengths)),
        levels=np.zeros(lengths.sum(), np.uint8),
        leaf=np.full(40, -1, np.int32),
        key=np.arange(40, dtype=np.uint64),
    )
    log_prior = np.log(rng.dirichlet(np.ones(N_LEAVES)))
    table = np.zeros((N_WORDS, 16), np.float32)
    tabulate_mixture(0, N_WORDS, log_phi, paths, table)
    phi, theta, share = np.zeros((60, N_LEVELS)), np.zeros(N_LEVELS), np.zeros(N_LEVELS)
    scratch = Scratch(np.zeros(16, np.float32), np.ones(60, np.float32), phi, theta, share, best=np.zeros(4, np.int64))
    best_paths(3, 40, docs, log_phi, Candidates(paths, log_prior, table), ALPHA, 4, scratch)
    expected = []
    for d in range(3, 40):
        words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
        scores = mixture_of(log_phi, paths)[words].sum(axis=0) + log_prior
        finalists = np.argsort(-scores)[:4]
        fitted = [slow_score(words, log_phi, paths[leaf], 4) + log_prior[leaf] for leaf in finalists]
        expected.append(paths[finalists[int(np.argmax(fitted))], -1])
    assert_array_equal(docs.leaf[3:], expected)
    assert (docs.leaf[:3] == -1).all()
    assert len(np.unique(expected)) > 3
