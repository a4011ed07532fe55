"""What documents of walks add up to for all processes: tables by topic, moves of tokens, and how moves are applied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.hardware import fetch_add
from topicgrove.kernels.random import Stream, start_stream, uniform
from topicgrove.kernels.walk_structures import WalkTokens, WalkWords

_ONE = np.float32(1.0)


@kernel
def seat_tokens(
    first: int,
    last: int,
    seed: np.uint64,
    iteration: np.uint64,
    tokens: WalkTokens,
    parent: NDArray[np.int32],
    weight: NDArray[np.float64],
    scratch: NDArray[np.int32],
    stream: Stream,
    tables: NDArray[np.int64],
) -> None:
    """Add m_dj ~ CRT(b_dj, a_j) of documents first..last to ``tables``.

    m is a sum of b Bernoulli(a / (a + k)), k = 0 ... b - 1. ``scratch`` has two rows with an entry per topic, the first
    of which is 0 before and after.
    """
    through, met = scratch[0], scratch[1]
    for d in range(first, last):
        start_stream(stream, seed, iteration, tokens.keys[d])
        n_met = 0
        for n in range(tokens.offsets[d], tokens.offsets[d + 1]):
            t = tokens.node[n]
            while t > 0:
                if through[t] == 0:
                    met[n_met] = t
                    n_met += 1
                through[t] += 1
                t = parent[t]
        for i in range(n_met):
            t = met[i]
            a, opened = weight[t], 1
            for k in range(1, through[t]):
                opened += 1 if uniform(stream) * (a + k) < a else 0
            through[t] = 0
            fetch_add(tables, t, np.int64(opened))


@kernel
def list_moves(
    words: NDArray[np.int32],
    before: NDArray[np.int32],
    after: NDArray[np.int32],
    slow: NDArray[np.uint8],
    n_words: int,
    moves: NDArray[np.int64],
) -> int:
    """List 2 (t V + word), plus 1 for the topic that the token left, for each token that moved; returns their number.

    Slow topics are left out. ``moves`` holds up to two per token, plus one.
    """
    m = 0
    for n in range(len(words)):
        # Written always, kept only if it is a change: a branch would be mispredicted.
        old, new = before[n], after[n]
        moves[m] = 2 * (np.int64(old) * n_words + words[n]) + 1
        m += 1 if old != new and slow[old] == 0 else 0
        moves[m] = 2 * (np.int64(new) * n_words + words[n])
        m += 1 if old != new and slow[new] == 0 else 0
    return m


@kernel
def apply_moves(
    topic: NDArray[np.int32], word: NDArray[np.int32], change: NDArray[np.int32], n_nodes: int, words: WalkWords
) -> None:
    """Add changes to C_tw and C_t."""
    for i in range(len(topic)):
        t = topic[i]
        words.counts[np.int64(word[i]) * n_nodes + t] += change[i]
        words.totals[t] += change[i]
        words.inverse[t] = _ONE / (np.float32(words.totals[t]) + words.mass[t])
