"""Convert hyper-parameters to arrays of a file and back."""

from __future__ import annotations

import numpy as np

from topicgrove.persistence.sealed import Arrays, take
from topicgrove.prior import ALPHA_RANGE, BETA_RANGE, LOG_GAMMA_RANGE, MAX_LEVELS, HyperParameters

_PREFIX = "hyper."


def hyper_arrays(hyper: HyperParameters) -> Arrays:
    """Return the arrays by their names in a file."""
    return {_PREFIX + name: array for name, array in hyper._asdict().items()}


def hyper_of(arrays: Arrays) -> HyperParameters:
    """Read the hyper-parameters from arrays; raise ValueError if they are invalid.

    >>> hyper = HyperParameters.of(2, gamma=1.0)
    >>> hyper_of(hyper_arrays(hyper)).beta.tolist()
    [1.0, 0.17]
    >>> hyper_of(hyper_arrays(hyper._replace(alpha=np.array([1.0, np.nan]))))
    Traceback (most recent call last):
    ValueError: alpha must lie between 1e-30 and 1e+30
    """
    n_levels = len(arrays[f"{_PREFIX}alpha"])
    if not 2 <= n_levels <= MAX_LEVELS:
        raise ValueError(f"alpha has {n_levels} levels; there must be from 2 to {MAX_LEVELS}")
    lengths = {"alpha": n_levels, "beta": n_levels, "log_gamma": n_levels - 1}
    hyper = HyperParameters(*(take(arrays, _PREFIX + name, np.float64, n) for name, n in lengths.items()))
    limits = (ALPHA_RANGE, BETA_RANGE, LOG_GAMMA_RANGE)
    for name, array, (least, most) in zip(HyperParameters._fields, hyper, limits, strict=True):
        if not np.all((array >= least) & (array <= most)):
            raise ValueError(f"{name} must lie between {least:g} and {most:g}")
    return hyper
