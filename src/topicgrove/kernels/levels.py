"""Draw a document's levels z along its path.

p(z_dn = l | ...) ~ (C_dl + alpha_l) phi_{c_l, v} for slow topics, (C_dl + alpha_l) (C_tv + beta_l) / (C_t + V beta_l)
for rapid ones, with the token itself left out. The shared counts hold the document's tokens as they were before; they
are written once per document, not once per token.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import exact_part, part
from topicgrove.kernels.hardware import prefetch
from topicgrove.kernels.logarithms import fast_exp
from topicgrove.kernels.random import mix64, next_bits, unit_float32
from topicgrove.kernels.structures import ROOT
from topicgrove.kernels.vectors import (
    Lanes,
    all_if_equal,
    choose,
    keep_if,
    lane_is,
    lane_of,
    load_lanes,
    ones_if,
    pick_lane,
    store_lanes,
)

LEAST_LOG_PHI = np.float32(-80.0)
"""Probabilities are floored at exp(-80), so that some level always has weight in float32."""

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)
_SIXTEEN = np.uint64(16)
_LOW = np.uint64(0xFFFF)

# Rows of the scratch array, each with an entry per level.
OWN, TOTAL, RAPID, WEIGHT, WITHOUT, RUNNING, N_SCRATCH = 0, 1, 2, 3, 4, 5, 6


@part
def draw_uniform_levels(levels: NDArray[np.uint8], n_levels: int, stream: NDArray[np.uint64]) -> None:
    """Draw levels uniformly (up to 1 in 65,536), four from every 64 random bits."""
    scale = np.uint64(n_levels)
    bits = np.uint64(0)
    for n in range(len(levels)):
        bits = next_bits(stream) if n % 4 == 0 else bits >> _SIXTEEN
        levels[n] = np.uint8(((bits & _LOW) * scale) >> _SIXTEEN)


@part
def prepare_levels(
    levels: NDArray[np.uint8],
    path: NDArray[np.int64],
    n_slow: int,
    totals: NDArray[np.int32],
    alpha: NDArray[np.float32],
    beta_sum: NDArray[np.float64],
    scratch: NDArray[np.float32],
) -> None:
    """Fill in C_dl + alpha_l, whether each topic of the path is rapid, and C_t + V beta_l of those that are."""
    n_levels = len(path)
    for level in range(scratch.shape[1]):
        scratch[OWN, level] = alpha[level] if level < n_levels else _ZERO
        scratch[TOTAL, level] = _ONE
        scratch[RAPID, level] = _ZERO
    for n in range(len(levels)):
        scratch[OWN, levels[n]] += _ONE
    for level in range(n_levels):
        column = path[level] - n_slow
        if column >= 0:
            scratch[TOTAL, level] = np.float32(totals[column] + beta_sum[level])
            scratch[RAPID, level] = _ONE


@part
def gather_likelihoods(
    row_word: NDArray[np.int32],
    n_rows: int,
    path: NDArray[np.int64],
    counts: NDArray[np.int32],
    log_phi: NDArray[np.float32],
    root_phi: NDArray[np.float32],
    beta: NDArray[np.float32],
    likelihood: NDArray[np.float32],
) -> None:
    """Gather phi of each distinct word along the path, without the divisor of rapid topics.

    Goes level by level, so that cache misses overlap.
    """
    n_slow = log_phi.shape[1]
    for level in range(len(path)):
        slot = path[level]
        if slot >= n_slow:
            for row in range(n_rows):
                count = np.float32(counts[row_word[row], slot - n_slow])
                likelihood[row, level] = count + beta[level]
        elif slot == ROOT:
            for row in range(n_rows):
                likelihood[row, level] = root_phi[row_word[row]]
        else:
            for row in range(n_rows):
                likelihood[row, level] = fast_exp(max(log_phi[row_word[row], slot], LEAST_LOG_PHI))


@part
def fetch_path(
    row_word: NDArray[np.int32],
    n_rows: int,
    path: NDArray[np.int64],
    counts: NDArray[np.int32],
    log_phi: NDArray[np.float32],
) -> None:
    """Prefetch what ``gather_likelihoods`` reads: more at once than processors would by themselves."""
    n_slow = log_phi.shape[1]
    for level in range(len(path)):
        if path[level] >= n_slow:
            for row in range(n_rows):
                prefetch(counts, row_word[row], path[level] - n_slow)
        elif level > 0:
            for row in range(n_rows):
                prefetch(log_phi, row_word[row], path[level])


@part
def count_drawn(
    levels: NDArray[np.uint8],
    row_of: NDArray[np.int32],
    n_rows: int,
    n_levels: int,
    counted: NDArray[np.float32],
    likelihood: NDArray[np.float32],
    scratch: NDArray[np.float32],
) -> None:
    """Update ``likelihood`` and ``scratch`` from a document's tokens as in ``counted`` to those as in ``levels``."""
    total, rapid = scratch[TOTAL], scratch[RAPID]
    for row in range(n_rows):
        for level in range(n_levels):
            likelihood[row, level] -= rapid[level] * counted[row, level]
            total[level] -= rapid[level] * counted[row, level]
    for n in range(len(levels)):
        likelihood[row_of[n], levels[n]] += rapid[levels[n]]
        total[levels[n]] += rapid[levels[n]]


def root_likelihoods(log_phi: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return phi of the root, floored as ``gather_likelihoods`` needs it, from its logarithm."""
    return np.exp(np.maximum(log_phi[:, ROOT], LEAST_LOG_PHI))


@exact_part
def draw_few_levels(
    levels: NDArray[np.uint8],
    row_of: NDArray[np.int32],
    likelihood: NDArray[np.float32],
    n_levels: int,
    stream: NDArray[np.uint64],
    scratch: NDArray[np.float32],
    lanes: Lanes,
) -> None:
    """Draw levels as ``draw_many_levels`` does, for at most as many as lanes: no branches, all weights in registers.

    A token depends only on the level of the one before, so its weights are made for both cases: with one more token on
    a level, and without.
    """
    n_tokens, last = len(levels), np.int64(n_levels - 1)
    if n_tokens == 0:
        return
    state, step = stream[0], stream[1]
    rapid = load_lanes(scratch, RAPID, lanes)
    row, gone = np.int64(row_of[0]), lane_is(np.int64(levels[0]), lanes)
    own = load_lanes(scratch, OWN, lanes) - ones_if(gone)
    total = load_lanes(scratch, TOTAL, lanes) - keep_if(gone, rapid)
    here = load_lanes(likelihood, row, lanes) - keep_if(gone, rapid)
    weight = own / total
    for n in range(n_tokens):
        next_row, next_level = row, np.int64(-1)
        if n + 1 < n_tokens:
            next_row, next_level = np.int64(row_of[n + 1]), np.int64(levels[n + 1])
        gone, same = lane_is(next_level, lanes), all_if_equal(row, next_row, lanes)
        left = keep_if(gone, rapid)
        own, total = own - ones_if(gone), total - left
        without, with_one = own / total, (own + _ONE) / (total + rapid)
        following = choose(same, here, load_lanes(likelihood, next_row, lanes)) - left
        state += step
        came = pick_lane(weight * here, unit_float32(mix64(state)), last)
        levels[n] = np.uint8(lane_of(came))
        own, total = own + ones_if(came), total + keep_if(came, rapid)
        weight = choose(came, with_one, without)
        here = following + keep_if(came, keep_if(same, rapid))
        row = next_row
    store_lanes(scratch, OWN, own)
    store_lanes(scratch, TOTAL, total)
    stream[0] = state


@part
def draw_many_levels(
    levels: NDArray[np.uint8],
    row_of: NDArray[np.int32],
    likelihood: NDArray[np.float32],
    n_levels: int,
    stream: NDArray[np.uint64],
    scratch: NDArray[np.float32],
) -> None:
    """Draw every level of a document along its path; ``likelihood`` and ``scratch`` count its tokens as they are.

    Most tokens stay on their level. So a level's weight is kept in two versions, with all its tokens and with one
    taken out, and is updated only when a token moves.
    """
    own, total, rapid, running = scratch[OWN], scratch[TOTAL], scratch[RAPID], scratch[RUNNING]
    weight, without = scratch[WEIGHT], scratch[WITHOUT]
    state, step = stream[0], stream[1]
    for level in range(n_levels):
        weight[level] = own[level] / total[level]
        without[level] = (own[level] - _ONE) / (total[level] - rapid[level])
    for n in range(len(levels)):
        row = likelihood[row_of[n]]
        old = np.int64(levels[n])
        here = without[old] * (row[old] - rapid[old])
        mass = _ZERO
        for level in range(n_levels):
            mass += here if level == old else weight[level] * row[level]
            running[level] = mass
        state += step
        threshold = unit_float32(mix64(state)) * mass
        new = np.int64(0)
        for level in range(n_levels - 1):
            new += 1 if threshold >= running[level] else 0
        if new != old:
            levels[n] = np.uint8(new)
            row[old] -= rapid[old]
            row[new] += rapid[new]
            own[old] -= _ONE
            own[new] += _ONE
            total[old] -= rapid[old]
            total[new] += rapid[new]
            weight[old], weight[new] = own[old] / total[old], own[new] / total[new]
            without[old] = (own[old] - _ONE) / (total[old] - rapid[old])
            without[new] = (own[new] - _ONE) / (total[new] - rapid[new])
    stream[0] = state


@part
def draw_levels(
    levels: NDArray[np.uint8],
    row_of: NDArray[np.int32],
    likelihood: NDArray[np.float32],
    n_levels: int,
    stream: NDArray[np.uint64],
    scratch: NDArray[np.float32],
    lanes: Lanes,
) -> None:
    """Draw every level of a document along its path; ``likelihood`` and ``scratch`` count its tokens as they are."""
    if len(lanes) > 0:
        draw_few_levels(levels, row_of, likelihood, n_levels, stream, scratch, lanes)
    else:
        draw_many_levels(levels, row_of, likelihood, n_levels, stream, scratch)
