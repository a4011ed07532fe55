"""The distributions of slow topics: counts from the assignments, then phi's mean or a draw of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication.rows import Rows
from topicgrove.kernels.structures import ROOT
from topicgrove.kernels.topics import counts_to_log_gamma, counts_to_log_mean
from topicgrove.state import State
from topicgrove.workers import ROWS

PHI_STREAMS = np.uint64(0x5EED0F0F5EED0F0F)
"""Keeps the streams of phi apart from those of the documents."""


def refresh_phi(state: State, draw: bool) -> None:
    """Set log phi of every slow topic: a draw from Dir(beta + C), or its mean.

    Every rank counts its own documents, receives the sums for its share of the words, computes phi from them, and sends
    it to the other ranks.
    """
    state.refreshes += 1
    matrix, n_slow = state.topics.words.log_phi, state.topics.n_slow
    if n_slow == 0:
        return
    state.workers.ranges(state.n_words, lambda a, b: matrix[a:b].fill(0), ROWS * 4)
    in_use = state.topics.tree.log_weight[:n_slow] > -np.inf
    in_use[ROOT] = True  # even before any document is in
    slots = np.flatnonzero(in_use)
    totals, _ = state.topics.count_here(slots, slots, matrix.view(np.int32))
    state.comm.allreduce_sum(totals)
    state.comm.reduce_scatter_rows(matrix.view(np.int32), state.rows.bounds, "slow")
    # Padding gets beta 1 and no norm, which keeps its logarithms finite.
    beta = np.ones(n_slow, np.float32)
    norm = np.ones(n_slow, np.float64)
    levels = state.topics.slot_levels()[slots]
    beta[slots] = state.prior.beta[levels]
    norm[slots] = totals[slots] + state.prior.beta_sum[levels]
    if draw:
        draw_log_phi(state.rows, matrix, beta, state.seed, state.refreshes)
    else:
        log_norm = np.log(norm).astype(np.float32)
        state.rows.own(lambda a, b: counts_to_log_mean(a, b, matrix, beta, log_norm), ROWS * 4)
    state.comm.allgather_rows(matrix, state.rows.bounds, "slow")
    state.topics.keep_root()


def draw_log_phi(
    rows: Rows, matrix: NDArray[np.float32], beta: NDArray[np.float32], seed: np.uint64, refreshes: int
) -> None:
    """Draw log phi, phi ~ Dir(beta + C), of this rank's words, from counts in the bits of ``matrix``, in place.

    phi is normalised gamma variates. Blocks of words are summed in order, so that the number of threads or ranks does
    not change the result.
    """
    n_blocks = -(-rows.n_words // ROWS)
    peaks = np.full((n_blocks, matrix.shape[1]), -np.inf, np.float32)
    sums = np.zeros((n_blocks, matrix.shape[1]))
    seed, iteration = seed ^ PHI_STREAMS, np.uint64(refreshes)

    def draw_rows(first: int, last: int) -> None:
        stream = np.zeros(2, np.uint64)
        counts_to_log_gamma(first, last, matrix, beta, seed, iteration, peaks[first // ROWS], stream)

    def sum_rows(first: int, last: int) -> None:
        np.exp(matrix[first:last] - peak, dtype=np.float64).sum(axis=0, out=sums[first // ROWS])

    blocks = [(first // ROWS, -(-last // ROWS)) for first, last in rows.bounds]
    rows.own(draw_rows)
    rows.comm.allgather_rows(peaks, blocks)
    peak = peaks.max(axis=0)
    rows.own(sum_rows)
    rows.comm.allgather_rows(sums, blocks)
    log_norm = (peak + np.log(sums.sum(axis=0))).astype(np.float32)
    rows.own(lambda a, b: np.subtract(matrix[a:b], log_norm, out=matrix[a:b]))
