"""Logarithms and exponentials that vectorise, and sums of logarithms from products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from topicgrove.kernels.compiled import part
from topicgrove.kernels.hardware import bits_float, float_bits

LN_2 = np.float32(0.6931471805599453)
MANTISSA = np.int32(0x007FFFFF)
_SQRT_HALF_BITS = np.int32(0x3F3504F3)
_BIAS = np.int32(127)
_SHIFT = np.int32(23)
_INV_LN_2 = np.float32(1.4426950408889634)
_LN_2_HIGH = np.float32(0.693359375)
_LN_2_LOW = np.float32(-2.12194440e-4)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)

# atanh series: log(m) = 2 s (1 + s^2/3 + s^4/5 + ...), s = (m - 1) / (m + 1), |s| < .1716 for m in [sqrt(1/2), sqrt 2).
_A1, _A3, _A5, _A7, _A9 = (np.float32(2.0 / k) for k in (1, 3, 5, 7, 9))
_E2, _E3, _E4, _E5, _E6 = (np.float32(1.0 / k) for k in (2, 6, 24, 120, 720))


@part
def fast_log(x: np.float32) -> np.float32:
    """Return log(x) of a normal positive float32 within three units in the last place; vectorises."""
    bits = float_bits(x) - _SQRT_HALF_BITS
    exponent = bits >> _SHIFT
    mantissa = bits_float((bits & MANTISSA) + _SQRT_HALF_BITS)
    s = (mantissa - _ONE) / (mantissa + _ONE)
    q = s * s
    series = s * (_A1 + q * (_A3 + q * (_A5 + q * (_A7 + q * _A9))))
    return np.float32(exponent) * LN_2 + series


@part
def fast_exp(x: np.float32) -> np.float32:
    """Return exp(x) for -87 < x < 88 in float32, relative error below 1e-6."""
    scaled = x * _INV_LN_2
    k = np.int32(scaled + _HALF) if scaled >= np.float32(0.0) else np.int32(scaled - _HALF)
    f = np.float32(k)
    r = (x - f * _LN_2_HIGH) - f * _LN_2_LOW
    series = _ONE + r * (_ONE + r * (_E2 + r * (_E3 + r * (_E4 + r * (_E5 + r * _E6)))))
    return series * bits_float((k + _BIAS) << _SHIFT)


def log_rising_table(start: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Tabulate ``table[l, n] = sum_{i<n} log(start[l] + i)``, the logarithm of a rising factorial.

    >>> import numpy as np
    >>> log_rising_table(np.array([1.0]), 4).round(3).tolist()
    [[0.0, 0.0, 0.693, 1.792]]
    """
    table: NDArray[np.float64] = gammaln(start[:, None] + np.arange(size)) - gammaln(start)[:, None]
    return table
