"""The probability of a word in a topic while walks are drawn, and its counts.

phi_tw = (C_tw + beta_t) / (C_t + V beta_t) by the counts as they are; of slow topics, phi as it was drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import fused, part
from topicgrove.kernels.hardware import fetch_add, prefetch_at
from topicgrove.kernels.walk_structures import WalkSpace, WalkTree, WalkWords

_ONE = np.float32(1.0)


@part
def weigh_word(
    row: int,
    n_slots: int,
    node: NDArray[np.int32],
    counts: NDArray[np.int32],
    beta: NDArray[np.float32],
    inverse: NDArray[np.float32],
    phi: NDArray[np.float32],
) -> None:
    """phi_s = (C_tw + beta_t) / (C_t + V beta_t) for the node t of each slot."""
    for s in range(n_slots):
        t = node[s]
        phi[s] = (np.float32(counts[row + t]) + beta[t]) * inverse[t]


@part
def weigh_slow(
    row: int,
    n_slots: int,
    node: NDArray[np.int32],
    slow: NDArray[np.uint8],
    drawn: NDArray[np.float32],
    phi: NDArray[np.float32],
) -> None:
    """phi_s of the slots whose topics are slow, as it was drawn."""
    for s in range(n_slots):
        if slow[node[s]] != 0:
            phi[s] = drawn[row + node[s]]


@fused
def live_phi(row: int, t: np.int32, words: WalkWords) -> np.float32:
    """phi_tw by the counts as they are, or as it was drawn."""
    if words.slow[t] != 0:
        return words.phi[row + t]
    return (np.float32(words.counts[row + t]) + words.beta[t]) * words.inverse[t]


@fused
def phi_without(row: int, t: np.int32, words: WalkWords) -> np.float32:
    """phi_tw without one token of w at t, or as it was drawn."""
    if words.slow[t] != 0:
        return words.phi[row + t]
    count = np.float32(words.counts[row + t] - 1) + words.beta[t]
    return count / (np.float32(words.totals[t] - 1) + words.mass[t])


@fused
def move_count(row: int, t: np.int32, change: np.int32, words: WalkWords) -> None:
    """C_tw += change, C_t += change, for all threads; slow topics are counted after the sweep."""
    if words.slow[t] != 0:
        return
    fetch_add(words.counts, row + t, change)
    fetch_add(words.totals, t, change)
    words.inverse[t] = _ONE / (np.float32(words.totals[t]) + words.mass[t])


@fused
def fetch_word(w: int, tree: WalkTree, words: WalkWords, space: WalkSpace) -> None:
    """Bring what the next token needs of its word into the caches."""
    row, inner_row = w * len(tree.parent), w * len(tree.nodes)
    for s in range(space.size[0]):
        prefetch_at(words.counts, row + space.node[s])
    for k in range(space.size[1]):
        prefetch_at(words.below, inner_row + space.inner[k])
