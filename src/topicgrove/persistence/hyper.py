"""Hyper-parameters as arrays of a file."""

from __future__ import annotations

import numpy as np

from topicgrove.persistence.sealed import Arrays
from topicgrove.prior import HyperParameters

_PREFIX = "hyper."


def hyper_arrays(hyper: HyperParameters) -> Arrays:
    """The arrays, by the names they have in a file."""
    return {_PREFIX + name: array for name, array in hyper._asdict().items()}


def hyper_of(arrays: Arrays) -> HyperParameters:
    """The hyper-parameters again; ValueError if they are none.

    >>> hyper = HyperParameters.of(2, gamma=1.0)
    >>> hyper_of(hyper_arrays(hyper)).beta.tolist()
    [1.0, 0.5]
    >>> hyper_of(hyper_arrays(hyper._replace(alpha=np.array([1.0, np.nan]))))
    Traceback (most recent call last):
    ValueError: alpha, beta and log gamma must be finite, and the first two positive
    """
    hyper = HyperParameters(*(arrays[_PREFIX + name] for name in HyperParameters._fields))
    alpha, beta, log_gamma = hyper
    if any(array.ndim != 1 or array.dtype != np.float64 for array in hyper):
        raise ValueError("alpha, beta and log gamma must be vectors of float64")
    if not len(alpha) == len(beta) == len(log_gamma) + 1:
        raise ValueError("alpha, beta and log gamma are of different numbers of levels")
    if not all(np.isfinite(array).all() for array in hyper) or alpha.min() <= 0 or beta.min() <= 0:
        raise ValueError("alpha, beta and log gamma must be finite, and the first two positive")
    return hyper
