"""Sticks: siblings' weights are those of the Dirichlet process's posterior."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from topicgrove.kernels.random import start_stream
from topicgrove.kernels.sticks import draw_sticks


def draw_pi(n_docs: list[int], gamma: float, n: int) -> NDArray[np.float64]:
    """n draws of the logarithms of the weights of siblings."""
    children = np.arange(len(n_docs))[::-1].copy() + 1
    draws = np.empty((n, len(n_docs)))
    stream, log_pi = np.zeros(2, np.uint64), np.zeros(len(n_docs) + 2, np.float32)
    for i in range(n):
        start_stream(stream, np.uint64(1), np.uint64(i), np.uint64(0))
        draw_sticks(stream, np.array(n_docs), gamma, log_pi, children)
        draws[i] = log_pi[children]
    assert log_pi[0] == log_pi[-1] == 0
    return draws


@pytest.mark.parametrize("gamma", [0.3, 1.0, 20.0])
def test_weights_of_topics_in_use_are_dirichlet(gamma: float, n_draws: int) -> None:
    """pi of topics in use and all others together ~ Dir(m_1, ..., m_K, gamma)."""
    n_docs = [5, 1, 12]
    n = n_draws // 4
    pi = np.exp(draw_pi([*n_docs, 0, 0], gamma, n))
    assert_allclose(pi.sum(axis=1), 1, rtol=1e-5)
    pi = np.column_stack([pi[:, :3], pi[:, 3:].sum(axis=1)])
    shape = np.array([*n_docs, gamma])
    mean = shape / shape.sum()
    variance = mean * (1 - mean) / (shape.sum() + 1)
    assert (np.abs(pi.mean(axis=0) - mean) < 5 * np.sqrt(variance / n)).all()
    assert_allclose(pi.var(axis=0), variance, rtol=0.1 if n > 1_000 else 0.5)


@pytest.mark.parametrize("gamma", [0.5, 3.0])
def test_free_topics_break_the_rest_by_beta_one_gamma(gamma: float, n_draws: int) -> None:
    n = n_draws // 4
    pi = np.exp(draw_pi([4, 0, 0, 0], gamma, n))
    share = pi[:, 1] / pi[:, 1:].sum(axis=1)
    mean, variance = 1 / (1 + gamma), gamma / ((1 + gamma) ** 2 * (2 + gamma))
    assert abs(share.mean() - mean) < 5 * np.sqrt(variance / n)
    assert share.var() == pytest.approx(variance, rel=0.1 if n > 1_000 else 0.4)


@pytest.mark.parametrize("gamma", [1e-3, 1e-30, 1e-300, 0.0])
@pytest.mark.parametrize("n_docs", [[3, 2, 0, 0], [0, 0], [1]])
def test_a_tiny_gamma_leaves_numbers_and_nothing_for_new_topics(n_docs: list[int], gamma: float) -> None:
    log_pi = draw_pi(n_docs, gamma, 200)
    assert not np.isnan(log_pi).any()
    assert (log_pi <= 0).all()
    assert_allclose(np.exp(log_pi).sum(axis=1), 1, rtol=1e-5)
    if n_docs[0] and gamma < 1e-3:
        assert (log_pi[:, np.array(n_docs) == 0] < -100).all()


def test_an_only_child_takes_all() -> None:
    assert (draw_pi([0], 1.0, 5) == 0).all()
