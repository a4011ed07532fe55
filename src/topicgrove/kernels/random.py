"""Counter-based random numbers: a stream for every (seed, iteration, item), whatever thread or rank draws from it.

A stream is SplitMix64 with a start and an odd step of its own, both hashed from the key (Steele, Lea, Flood: Fast
splittable pseudorandom number generators, OOPSLA 2014), so that two streams that meet part again at once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel

Stream = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD1B54A32D192ED03)
_THIRD = np.uint64(0x8CB92BA72F3D8DD7)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S40, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(40), np.uint64(11)
_ONE = np.uint64(1)
_UNIT_24 = np.float32(1.0 / (1 << 24))
_UNIT_53 = 1.0 / (1 << 53)


@kernel
def mix64(x: np.uint64) -> np.uint64:
    """SplitMix64's finaliser: a bijection of 64 bits that leaves no pattern."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@kernel
def start_stream(stream: Stream, seed: np.uint64, iteration: np.uint64, item: np.uint64) -> None:
    """Make ``stream`` (two words: state and step) that of (seed, iteration, item)."""
    key = mix64(seed + _GOLDEN)
    key = mix64(key ^ (iteration * _SECOND + _GOLDEN))
    key = mix64(key ^ (item * _THIRD + _GOLDEN))
    stream[0] = key
    stream[1] = mix64(key ^ _THIRD) | _ONE


@kernel
def next_bits(stream: Stream) -> np.uint64:
    """The stream's next 64 random bits."""
    stream[0] += stream[1]
    return mix64(stream[0])


@kernel
def uniform(stream: Stream) -> float:
    """Uniform on [0, 1) with 53 bits."""
    return float(next_bits(stream) >> _S11) * _UNIT_53


@kernel
def unit_float32(bits: np.uint64) -> np.float32:
    """Uniform on [0, 1) with 24 bits, from 64 random bits."""
    return np.float32(np.int64(bits >> _S40)) * _UNIT_24


@kernel
def normal(stream: Stream) -> float:
    """Standard normal by the Box-Muller transform."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(stream)))
    return radius * math.cos(2.0 * math.pi * uniform(stream))


@kernel
def log_gamma_variate(stream: Stream, shape: float) -> float:
    """The logarithm of a Gamma(shape, 1) variate, finite however small the shape.

    Marsaglia and Tsang, A simple method for generating gamma variables, 2000; for shape < 1,
    log G(a) = log G(a + 1) + log(U) / a.
    """
    boost = 0.0
    if shape < 1.0:
        boost = math.log(1.0 - uniform(stream)) / shape
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(stream)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        if math.log(1.0 - uniform(stream)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return math.log(d) + math.log(v) + boost
