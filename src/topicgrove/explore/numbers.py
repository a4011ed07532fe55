"""Numbers that are short in JSON."""

from __future__ import annotations


def short(value: float) -> float:
    """Round to four significant digits.

    >>> short(0.0123456), short(2 / 3), short(0.0)
    (0.01235, 0.6667, 0.0)
    """
    return float(f"{float(value):.4g}")
