"""Hyper-parameters: their checks, their defaults, and the tables that kernels read."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from topicgrove.kernels.structures import Prior

BETA_RANGE = (1e-9, 1e9)
"""Limits of beta: kernels multiply four factors that contain it, in float32."""

ALPHA_RANGE = (1e-30, 1e30)
"""What float32 holds with room for products."""

LOG_GAMMA_RANGE = (-1e30, math.log(sys.float_info.max))
"""Limits of log gamma: kernels subtract it in float32, and gamma itself must be finite."""

MAX_LEVELS = 64

WORD_TABLE = 1 << 10
TOTAL_TABLE = 1 << 16

LEAST_MASS, MASS_GROWTH = 7_000.0, 4.0
"""The default prior of the root adds max(7000, 4 sqrt(N)) tokens in all to the N tokens of a corpus."""

MOST_BETA = 1.0
"""The default beta of the root is at most this, whatever the vocabulary."""

BETA_RATIOS = (1.0, 0.5, 0.25, 0.17)
"""Default beta of the root, of level 1, of the levels between, and of the last level, as multiples of the root's."""

LOG_GAMMA_RATIOS = (-0.1, -0.2, -0.1)
"""Default log gamma of the root, of the levels between, and of the last but one, by mean document length."""


class HyperParameters(NamedTuple):
    """Checked hyper-parameters in full length: alpha and beta per level, log gamma per internal level.

    >>> HyperParameters.of(3, alpha=0.2, beta=[1, 0.5, 0.25], gamma=1e-100).log_gamma.round(2).tolist()
    [-230.26, -230.26]
    """

    alpha: NDArray[np.float64]
    beta: NDArray[np.float64]
    log_gamma: NDArray[np.float64]

    @property
    def n_levels(self) -> int:
        """L, the root's level included."""
        return len(self.alpha)

    @property
    def _log_gamma_by_level(self) -> NDArray[np.float64]:
        """Return log gamma with -inf for the last level, which has no children."""
        return np.append(self.log_gamma, -math.inf)

    @classmethod
    def of(
        cls,
        n_levels: int,
        alpha: ArrayLike | None = None,
        beta: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        n_words: int = 0,
        n_tokens: int = 0,
        mean_length: float = 100.0,
    ) -> HyperParameters:
        """Check the user's values, and fill in defaults for a corpus of that size."""
        if alpha is None:
            alpha = 0.2
        if beta is None:
            beta = root_beta(n_words, n_tokens) * default_ratios(BETA_RATIOS, n_levels)
        if gamma is None:
            log_gamma = mean_length * default_ratios(LOG_GAMMA_RATIOS, n_levels - 1)
        else:
            log_gamma = np.log(_positive("gamma", gamma, n_levels - 1, "internal level"))
        return cls(
            _positive("alpha", alpha, n_levels, "level", ALPHA_RANGE),
            _positive("beta", beta, n_levels, "level", BETA_RANGE),
            log_gamma,
        )

    def for_kernels(self, n_words: int) -> Prior:
        """Return the arrays and tables that kernels read, for a vocabulary of that size."""
        # Imported here, as trees have hyper-parameters, too, and are read without Numba.
        from topicgrove.kernels.logarithms import log_rising_table

        beta = self.beta.astype(np.float32)
        # Kernels add beta in float32, so tables and sums are made from the same rounded values.
        exact_beta = beta.astype(np.float64)
        log_gamma = self._log_gamma_by_level
        return Prior(
            alpha=self.alpha.astype(np.float32),
            beta=beta,
            beta_sum=exact_beta * n_words,
            gamma=np.exp(log_gamma),
            log_gamma=log_gamma,
            log_rising_word=log_rising_table(exact_beta, WORD_TABLE),
            log_rising_total=log_rising_table(exact_beta * n_words, TOTAL_TABLE),
        )

    def with_tables(self, prior: Prior) -> Prior:
        """Return the same as ``for_kernels``, with the tables of a prior of the same beta, which take milliseconds."""
        log_gamma = self._log_gamma_by_level
        return prior._replace(alpha=self.alpha.astype(np.float32), gamma=np.exp(log_gamma), log_gamma=log_gamma)

    def log_ncrp(self, parent: NDArray[np.int64], level: NDArray[np.int64], n_docs: NDArray[np.int64]) -> float:
        """Return log p(c_1, ..., c_D) of a tree whose topics have that many documents.

        A node with m documents and K children with m_k documents contributes gamma^K Gamma(gamma) / Gamma(gamma + m)
        prod_k Gamma(m_k).
        """
        internal = np.flatnonzero(level < self.n_levels - 1)
        visits = _log_rising(self.log_gamma[level[internal]], n_docs[internal])
        children = level > 0
        births = self.log_gamma[level[children] - 1] + gammaln(n_docs[children])
        return float(births.sum() - visits.sum())


def root_beta(n_words: int, n_tokens: int) -> float:
    """Return the default beta of the root, for a corpus of that size.

    The number of topics depends on the tokens that the prior adds to a topic in all, V beta, and hardly on beta itself.

    >>> root_beta(n_words=10_000, n_tokens=500_000), root_beta(100_000, 16_000_000), root_beta(100, 1_000)
    (0.7, 0.16, 1.0)
    """
    mass = max(LEAST_MASS, MASS_GROWTH * math.sqrt(n_tokens))
    return min(MOST_BETA, mass / max(n_words, 1))


def default_ratios(ratios: Sequence[float], length: int) -> NDArray[np.float64]:
    """Fit ratios to a number of levels: keep the first ones and the last, repeat or drop the one before the last.

    >>> [default_ratios((1, 2, 3, 4), length).tolist() for length in (1, 2, 3, 6)]
    [[1.0], [1.0, 4.0], [1.0, 2.0, 4.0], [1.0, 2.0, 3.0, 3.0, 3.0, 4.0]]
    """
    *first, between, last = ratios
    inner = [*first, *[between] * length][: length - 1]
    return np.array([*inner, last] if length > 1 else ratios[:1], np.float64)


def _log_rising(log_gamma: NDArray[np.float64], m: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return sum_{i<m} log(gamma + i), the logarithm of Gamma(gamma + m) / Gamma(gamma), for any size of gamma.

    >>> _log_rising(np.array([-1000.0, 0.0, 100.0]), np.array([3, 3, 2])).round(2).tolist()
    [-999.31, 1.79, 200.0]
    """
    tiny, huge = log_gamma < -30, log_gamma > 18
    gamma = np.exp(np.where(tiny | huge, 0.0, log_gamma))
    # Next to 1, a tiny gamma vanishes. With a huge one, the difference of log Gammas would be lost to rounding.
    result = np.where(tiny, log_gamma + gammaln(np.maximum(m, 1)), gammaln(gamma + m) - gammaln(gamma))
    for k in np.flatnonzero(huge):
        result[k] = (log_gamma[k] + np.log1p(np.arange(m[k]) * np.exp(-log_gamma[k]))).sum()
    return np.where(m == 0, 0.0, result)


def _positive(
    name: str, value: ArrayLike, length: int, per: str, limits: tuple[float, float] = (0.0, math.inf)
) -> NDArray[np.float64]:
    """Return a positive number, or one per level, as an array of full length."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be a number or a sequence of numbers; got {value!r}")
    if array.ndim > 1 or (array.ndim == 1 and len(array) != length):
        raise ValueError(f"{name} must be one number or one per {per} ({length}); got {value!r}")
    if not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{name} must be positive and finite; got {value!r}")
    if not ((array >= limits[0]) & (array <= limits[1])).all():
        raise ValueError(f"{name} must lie between {limits[0]:g} and {limits[1]:g}; got {value!r}")
    return np.ascontiguousarray(np.broadcast_to(array.astype(np.float64), (length,)))
