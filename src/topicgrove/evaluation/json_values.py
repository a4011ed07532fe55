"""Numbers for JSON: None for undefined values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mean_or_none(values: NDArray[np.float64]) -> float | None:
    """Return the mean of the values that are not NaN; None if there are none.

    >>> mean_or_none(np.array([1.0, np.nan, 2.0])), mean_or_none(np.array([]))
    (1.5, None)
    """
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def numbers_or_none(values: NDArray[np.float64]) -> list[float | None]:
    """Return a list with None for NaN.

    >>> numbers_or_none(np.array([1.0, np.nan]))
    [1.0, None]
    """
    return [None if np.isnan(value) else float(value) for value in values]
