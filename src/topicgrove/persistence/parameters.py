"""An estimator's parameters as JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_INFINITE = "inf"
_NOT_SAVED = ("callbacks", "verbose", "n_jobs", "checkpoint")
"""What belongs to a call and a machine, not to a model."""


def to_json(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters that can be saved; generators of random numbers become None.

    >>> to_json({"n_levels": 3, "beta": np.array([1.0, 0.5]), "collapse_below": math.inf, "callbacks": [print]})
    {'n_levels': 3, 'beta': [1.0, 0.5], 'collapse_below': 'inf'}
    """
    return {name: _plain(value) for name, value in parameters.items() if name not in _NOT_SAVED}


def from_json(saved: dict[str, Any]) -> dict[str, Any]:
    """The parameters again."""
    return {name: math.inf if value == _INFINITE else value for name, value in saved.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return _INFINITE if value == math.inf else value
