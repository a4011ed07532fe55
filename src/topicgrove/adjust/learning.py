"""Learning alpha, beta and gamma from the current assignments, by standard updates.

gamma: Escobar and West, Bayesian density estimation and inference using mixtures (1995), section 6, for several
restaurants with one gamma as in Teh et al., Hierarchical Dirichlet processes (2006), appendix A.
alpha, beta: the fixed point of Minka, Estimating a Dirichlet distribution (2000), equation 55.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

from topicgrove.communication import Communicator
from topicgrove.prior import HyperParameters
from topicgrove.state import State
from topicgrove.topics import Nodes
from topicgrove.training import Trainer
from topicgrove.validation import check_choice

GAMMA_SHAPE, GAMMA_RATE = 1.0, 1.0
"""The prior of gamma: Gamma(1, 1)."""

STEPS = 20
"""Fixed-point steps per update; the chain moves between updates anyway."""

ALPHA_LIMITS, BETA_LIMITS = (1e-4, 1e4), (1e-5, 1e3)
"""Bounds on learnt values: with an unused level, or a single topic, the likelihood may have no maximum."""

STREAM = 0x1EA2
"""Keeps these draws apart from others with the same seed."""


class LearnHyper:
    """An adjuster that learns some of alpha, beta and gamma while training.

    alpha and beta move to their maximum likelihood given the assignments, beta level by level. gamma is drawn from its
    posterior under a Gamma(1, 1) prior, level by level. The default gamma for real text, exp(-0.1 x document length),
    is not an estimate but a device against too many topics. Learning moves it to ordinary sizes, around 1, and gives
    finer trees, in which 5 to 25 % of the leaves have one document on news (``min_docs`` removes them). Learnt betas
    are smaller than the defaults and add topics, too.

    Parameters
    ----------
    which : sequence of "alpha", "beta", "gamma"
    every : int
        Sweeps between updates.
    start : int
        Sweeps before the first update: those of the early phase.
    symmetric : bool
        Whether all levels share one alpha; if not, each level has its own.

    Examples
    --------
    >>> LearnHyper(["alpha", "delta"])
    Traceback (most recent call last):
    ValueError: learn must be one of 'alpha', 'beta', 'gamma'; got 'delta'
    """

    def __init__(self, which: Sequence[str], every: int = 5, start: int = 0, symmetric: bool = True) -> None:
        self.which = tuple(check_choice("learn", name, ("alpha", "beta", "gamma")) for name in which)
        self.every = every
        self.start = start
        self.symmetric = symmetric

    def after_sweep(self, trainer: Trainer) -> None:
        """Update the chosen hyper-parameters every few sweeps."""
        since = trainer.iteration - self.start
        if since <= 0 or since % self.every:
            return
        state = trainer.state
        hyper, nodes = state.hyper, state.nodes()
        if "alpha" in self.which:
            level_counts = state.level_counts()
            hyper = hyper._replace(alpha=learn_alpha(hyper.alpha, level_counts, self.symmetric, state.comm))
        if "beta" in self.which:
            hyper = hyper._replace(beta=_learn_betas(state, nodes))
        if "gamma" in self.which:
            random = np.random.default_rng([int(state.seed), trainer.iteration, STREAM])
            hyper = hyper._replace(log_gamma=_draw_gammas(hyper, nodes, random))
        state.set_hyper(hyper)

    def to_dict(self) -> dict[str, Any]:
        """Return an empty dictionary: the state holds what was learnt, and draws depend only on seed and iteration."""
        return {}

    def restore(self, saved: dict[str, Any], hyper: HyperParameters) -> None:
        """Do nothing: there is no memory to restore."""


def learn_alpha(
    alpha: NDArray[np.float64], counts: NDArray[np.int64], symmetric: bool, comm: Communicator | None = None
) -> NDArray[np.float64]:
    """Fit the Dirichlet whose multinomials gave these rows of counts, by a few steps of Minka's fixed point.

    a_k <- a_k sum_d [psi(C_dk + a_k) - psi(a_k)] / sum_d [psi(C_d + a) - psi(a)], a = sum_k a_k; a symmetric Dirichlet
    averages the numerators over k. Each of several ranks has rows of its own.

    >>> counts = np.array([[9, 1], [1, 9], [10, 0], [0, 10]])
    >>> learn_alpha(np.array([2.0, 2.0]), counts, symmetric=True).round(1).tolist()
    [0.3, 0.3]
    """
    lengths = Histogram(counts.sum(axis=1), comm)
    if lengths.is_empty:
        return alpha
    columns = [Histogram(column, comm) for column in counts.T]
    for _ in range(STEPS):
        gains = np.array([column.psi_sum(a) for column, a in zip(columns, alpha, strict=True)])
        if symmetric:
            gains[:] = gains.mean()
        alpha = np.clip(alpha * gains / lengths.psi_sum(alpha.sum()), *ALPHA_LIMITS)
    return alpha


def learn_beta(beta: float, counts: Histogram, totals: Histogram, n_words: int) -> float:
    """Fit a symmetric Dirichlet over V words, from the counts and totals of a level's topics.

    beta <- beta sum_tv [psi(C_tv + beta) - psi(beta)] / (V sum_t [psi(C_t + V beta) - psi(V beta)])

    >>> counts = np.random.default_rng(0).multinomial(500, np.random.default_rng(1).dirichlet(np.full(100, 0.2), 50))
    >>> round(learn_beta(1.0, Histogram(counts), Histogram(counts.sum(axis=1)), 100), 1)
    0.2
    """
    if totals.is_empty:
        return beta
    for _ in range(STEPS):
        step = counts.psi_sum(beta) / (n_words * totals.psi_sum(n_words * beta))
        beta = float(np.clip(beta * step, *BETA_LIMITS))
    return beta


def draw_log_gamma(log_gamma: float, n_docs: NDArray[np.int64], n_children: int, random: np.random.Generator) -> float:
    """Draw log gamma for restaurants with these numbers of customers and ``n_children`` tables in total.

    eta_j ~ Beta(gamma + 1, m_j), s_j ~ Bernoulli(m_j / (m_j + gamma)), gamma ~ Gamma(a + K - sum s, b - sum log eta)

    >>> random = np.random.default_rng(0)
    >>> draws = [draw_log_gamma(0.0, np.array([1000]), 40, random) for _ in range(200)]
    >>> bool(1.5 < np.mean(draws) < 2.5)
    True
    """
    gamma = np.exp(log_gamma)
    eta = random.beta(gamma + 1, n_docs)
    joined = random.random(len(n_docs)) * (n_docs + gamma) < n_docs
    shape = GAMMA_SHAPE + n_children - int(joined.sum())
    rate = GAMMA_RATE - np.log(eta).sum()
    return float(np.log(random.gamma(shape)) - np.log(rate))


class Histogram:
    """The frequency of each positive number, over all ranks: psi is computed once for each."""

    def __init__(self, counts: NDArray[Any], comm: Communicator | None = None) -> None:
        self.values, self.times = np.unique(counts[counts > 0], return_counts=True)
        if comm is not None and comm.size > 1:
            times = np.zeros(comm.allreduce_max(int(self.values.max(initial=0)))[0] + 1, np.int64)
            times[self.values] = self.times
            comm.allreduce_sum(times)
            self.values = np.flatnonzero(times)
            self.times = times[self.values]

    @classmethod
    def of(cls, values: NDArray[np.int64], times: NDArray[np.int64]) -> Histogram:
        """Return the histogram of positive numbers whose frequencies are known."""
        histogram = cls(np.zeros(0, np.int64))
        histogram.values, histogram.times = values, times
        return histogram

    @property
    def is_empty(self) -> bool:
        """Whether all numbers were zero."""
        return len(self.values) == 0

    def psi_sum(self, a: float) -> float:
        """Return sum_i psi(n_i + a) - psi(a)."""
        return float(self.times @ (psi(self.values + a) - psi(a)))


def _learn_betas(state: State, nodes: Nodes) -> NDArray[np.float64]:
    beta = state.hyper.beta.copy()
    for level in range(state.n_levels):
        slots = nodes.slot[nodes.level == level]
        counts = np.zeros((state.n_words, len(slots)), np.int32)
        totals, _ = state.topics.count(slots, np.arange(len(slots)), counts)
        beta[level] = learn_beta(beta[level], Histogram(counts), Histogram(totals[slots]), state.n_words)
    return beta


def _draw_gammas(hyper: HyperParameters, nodes: Nodes, random: np.random.Generator) -> NDArray[np.float64]:
    log_gamma = hyper.log_gamma.copy()
    for level in range(len(log_gamma)):
        n_docs = nodes.n_docs[nodes.level == level]
        n_children = int((nodes.level == level + 1).sum())
        log_gamma[level] = draw_log_gamma(log_gamma[level], n_docs, n_children, random)
    return log_gamma
