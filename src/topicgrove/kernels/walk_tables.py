"""What walks need of every word, and what is told of documents when walks are drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.hardware import fetch_add
from topicgrove.kernels.walk_structures import WalkTokens, WalkTree, WalkWords


@kernel
def refresh_words(first: int, last: int, fresh: bool, tree: WalkTree, words: WalkWords) -> None:
    """phi_tw = (C_tw + beta) / (C_t + V beta) and H_wi for words first..last.

    H_wi = sum over children j of i of a_j s_j phi_jw + a_j / A_j H_wj; s_j = stop_j / A_j, and 1 and H = 0 at leaves
    """
    n_nodes, n_inner = len(tree.parent), len(tree.nodes)
    for w in range(first, last):
        row, inner_row = w * n_nodes, w * n_inner
        for t in range(n_nodes):
            if fresh and words.slow[t] == 0:
                words.phi[row + t] = (np.float32(words.counts[row + t]) + words.beta[t]) * words.inverse[t]
        for i in range(n_inner - 1, -1, -1):
            total = np.float32(0.0)
            for j in range(tree.first_child[i], tree.end_child[i]):
                total += tree.stop_prior[j] * words.phi[row + j]
            for k in range(tree.first_inner[i], tree.end_inner[i]):
                total += tree.below_prior[k] * words.below[inner_row + k]
            words.below[inner_row + i] = total


@kernel
def count_slow(
    first: int, last: int, n_slow: int, column: NDArray[np.int32], tokens: WalkTokens, counts: NDArray[np.int32]
) -> None:
    """Add the tokens of documents first..last in slow topics, which have columns, to (V n_slow) counts."""
    for n in range(tokens.offsets[first], tokens.offsets[last]):
        j = column[tokens.node[n]]
        if j >= 0:
            fetch_add(counts, np.int64(tokens.words[n]) * n_slow + j, np.int32(1))


@kernel
def count_walks(first: int, last: int, n_nodes: int, tokens: WalkTokens, words: WalkWords) -> None:
    """Add the tokens of documents first..last to C_tw and C_t."""
    for n in range(tokens.offsets[first], tokens.offsets[last]):
        fetch_add(words.counts, np.int64(tokens.words[n]) * n_nodes + tokens.node[n], np.int32(1))
        fetch_add(words.totals, tokens.node[n], np.int32(1))


@kernel
def add_proportions(
    first: int,
    last: int,
    tokens: WalkTokens,
    tree: WalkTree,
    through: NDArray[np.int32],
    reach: NDArray[np.float64],
    theta: NDArray[np.float32],
) -> None:
    """Add the expected share of each node in documents first..last to ``theta``.

    theta_dt = prod_{i->j} (b_dj + a_j) / (b_di + A_i) * s_t, where b and n count all tokens.
    """
    n_nodes = len(tree.parent)
    for d in range(first, last):
        for t in range(n_nodes):
            through[t] = 0
        for n in range(tokens.offsets[d], tokens.offsets[d + 1]):
            through[tokens.node[n]] += 1
        for t in range(n_nodes - 1, 0, -1):
            through[tree.parent[t]] += through[t]
        for t in range(n_nodes):
            up = tree.parent[t]
            if up >= 0:
                reach[t] = reach[up] * (through[t] + tree.child_weight[t])
            else:
                reach[t] = 1.0
            i = tree.inner[t]
            if i < 0:
                theta[d, t] += np.float32(reach[t])
                continue
            own = through[t]
            for j in range(tree.first_child[i], tree.end_child[i]):
                own -= through[j]
            reach[t] /= through[t] + tree.total[t]
            theta[d, t] += np.float32(reach[t] * (own + tree.stop[t]))


@kernel
def predict_words(
    first: int,
    last: int,
    n_nodes: int,
    tokens: WalkTokens,
    theta: NDArray[np.float32],
    phi: NDArray[np.float32],
    out: NDArray[np.float64],
) -> None:
    """out_d = sum_n log sum_t theta_dt phi_t,w_n for documents first..last."""
    for d in range(first, last):
        score, probability, before = 0.0, 0.0, -1
        for n in range(tokens.offsets[d], tokens.offsets[d + 1]):
            w = tokens.words[n]
            if w != before:
                sum_ = np.float32(0.0)
                for t in range(n_nodes):
                    sum_ += theta[d, t] * phi[np.int64(w) * n_nodes + t]
                probability = np.log(np.float64(sum_))
                before = w
            score += probability
        out[d] = score
