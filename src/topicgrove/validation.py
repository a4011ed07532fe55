"""Checks of arguments, for the whole package: errors name the argument and say what would do."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.workers import available_cores

MAX_THREADS = 1024


def check_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number in a range; otherwise raise a ValueError or TypeError that names the argument."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number; got {value!r}")
    number = int(value)
    if number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"between {least} and {most}"
        raise ValueError(f"{name} must be {limits}; got {value!r}")
    return number


def check_threads(n_jobs: object) -> int:
    """Return the threads that joblib's n_jobs stands for: None is 1, -1 all cores.

    >>> check_threads(None), check_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, int) and n_jobs == -1:
        return available_cores()
    try:
        return check_whole("n_jobs", n_jobs, 1, MAX_THREADS)
    except ValueError:
        raise ValueError(f"n_jobs must be between 1 and {MAX_THREADS}, or -1 for all cores; got {n_jobs!r}") from None


def check_finite(name: str, values: Any) -> NDArray[np.float64]:
    """Return a list of finite numbers as an array; otherwise raise a ValueError that names the argument.

    >>> check_finite("values", [1, 0.5, "nan"])
    Traceback (most recent call last):
    ValueError: values must be a list of finite numbers; got [1, 0.5, 'nan']
    """
    if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
        raise ValueError(f"{name} must be a list of finite numbers; got {values!r:.80}")
    array = np.array(values, np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be a list of finite numbers; got {values!r:.80}")
    return array


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return a value that is one of the choices; otherwise raise a ValueError that lists them."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")
    return str(value)
