"""Counter-based random numbers: a stream for every (seed, iteration, item), the same on every thread and rank.

A stream is SplitMix64 with a start and an odd step of its own, both hashed from the key (Steele, Lea, Flood: Fast
splittable pseudorandom number generators, OOPSLA 2014). Steps differ, so two streams that meet part at once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel, part

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
_SURE = -37.0

SMALL_SHAPE = 0.2
"""Shapes below this have a method of their own to draw gamma variates, which takes a single logarithm."""


@part
def mix64(x: np.uint64) -> np.uint64:
    """Apply SplitMix64's finaliser: a bijection of 64 bits that leaves no pattern."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@kernel
def start_stream(stream: Stream, seed: np.uint64, iteration: np.uint64, item: np.uint64) -> None:
    """Start ``stream`` (two words: state and step) for (seed, iteration, item)."""
    key = mix64(seed + _GOLDEN)
    key = mix64(key ^ (iteration * _SECOND + _GOLDEN))
    key = mix64(key ^ (item * _THIRD + _GOLDEN))
    stream[0] = key
    stream[1] = mix64(key ^ _THIRD) | _ONE


@part
def next_bits(stream: Stream) -> np.uint64:
    """Return the stream's next 64 random bits."""
    stream[0] += stream[1]
    return mix64(stream[0])


@part
def uniform(stream: Stream) -> float:
    """Draw uniformly from [0, 1) with 53 bits."""
    return float(next_bits(stream) >> _S11) * _UNIT_53


@part
def unit_float32(bits: np.uint64) -> np.float32:
    """Turn 64 random bits into a number in [0, 1) with 24 bits."""
    return np.float32(np.int64(bits >> _S40)) * _UNIT_24


@part
def normal(stream: Stream) -> float:
    """Draw from the standard normal with the Box-Muller transform."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(stream)))
    return radius * math.cos(2.0 * math.pi * uniform(stream))


@part
def log_small_gamma_variate(stream: Stream, shape: float) -> float:
    """Draw the logarithm of a Gamma(shape, 1) variate, for a shape well below 1.

    Liu, Martin and Syring, Efficient simulation from a gamma distribution with small shape parameter, 2017: -a log G is
    nearly exponential, and drawn by rejection from an exponential with a tail to the left.
    """
    weight = shape / (math.e * (1.0 - shape))
    share = 1.0 / (1.0 + weight)
    while True:
        u = 1.0 - uniform(stream)
        if u <= share:
            log_g = math.log(u / share) / shape
            # Below that, the probability of rejection is too small for a float64.
            if log_g < _SURE or uniform(stream) < math.exp(-math.exp(log_g)):
                return log_g
        else:
            log_g = -math.log(1.0 - uniform(stream)) / (1.0 - shape)
            if uniform(stream) < math.exp(1.0 + log_g - math.exp(log_g)):
                return log_g


@part
def log_gamma_variate(stream: Stream, shape: float) -> float:
    """Draw the logarithm of a Gamma(shape, 1) variate, finite however small the shape.

    Marsaglia and Tsang, A simple method for generating gamma variables, 2000; for shape < 1,
    log G(a) = log G(a + 1) + log(U) / a.
    """
    if shape < SMALL_SHAPE:
        return log_small_gamma_variate(stream, shape)
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
        u = 1.0 - uniform(stream)
        # The first test nearly always decides, and needs no logarithms.
        if u < 1.0 - 0.0331 * x * x * x * x or math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
            return math.log(d * v) + boost
