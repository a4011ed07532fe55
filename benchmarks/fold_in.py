"""Held-out perplexity by document completion, the same for trees with several paths per document and flat topics.

A document's tokens walk down the tree: psi_di ~ Dir(stop_i; alpha_j of every child j), and words come from phi of the
node where they stop. Flat topics are the leaves of a tree whose root never stops a token. Halves, chains and the mean
over chains are those of `HierarchicalLDA.perplexity`, so that figures are comparable.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from peers import Flat
from scipy import sparse
from scipy.special import logsumexp

from topicgrove import Corpus
from topicgrove.evaluation.completion import THETA_SWEEPS, split_tokens
from topicgrove.kernels.compiled import kernel, part
from topicgrove.kernels.random import start_stream, uniform

N_CHAINS = 10
BURN_IN = 20

STOPPED, BELOW, REACH, PER_WAY, SHARE, THETA, RUNNING = range(7)
"""Numbers of the scratch array's rows, each with an entry per node."""

ALPHA, STOP, TOTAL = range(3)
"""Numbers of the weights' rows; the total of a leaf is 0."""


class Walkers(NamedTuple):
    """Topics in a tree, and the prior of a document's walks; ids are breadth first."""

    parent: NDArray[np.int32]
    phi: NDArray[np.float32]  # [V, T]
    alpha: NDArray[np.float64]  # [T] of the edge into a node
    stop: NDArray[np.float64]  # [T]; leaves always stop


class Sides(NamedTuple):
    """The tokens of all documents: those that proportions are inferred from, and those that are scored."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    held_words: NDArray[np.int32]
    held_offsets: NDArray[np.int64]


def smoothed(counts: sparse.csr_array, beta: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the mean of phi given its counts, [V, T]."""
    dense = counts.toarray() + beta[:, None]
    return np.ascontiguousarray((dense / dense.sum(axis=1, keepdims=True)).T, np.float32)


def flat_walkers(flat: Flat) -> Walkers:
    """Turn flat topics into the leaves of a tree."""
    k, n_words = flat.counts.shape
    phi = np.zeros((n_words, k + 1), np.float32)
    phi[:, 1:] = smoothed(flat.counts, np.full(k, flat.eta))
    parent = np.append(-1, np.zeros(k)).astype(np.int32)
    return Walkers(parent, phi, np.append(0.0, flat.alpha), np.zeros(k + 1))


def perplexity(walkers: Walkers, test: Corpus, seed: int = 0) -> float:
    """Return exp(-log likelihood / tokens) of the held-out halves of documents."""
    observed, held = split_tokens(test, np.random.default_rng(seed))
    n_nodes = len(walkers.parent)
    is_inner = np.bincount(walkers.parent[1:], minlength=n_nodes) > 0
    total = np.where(is_inner, walkers.stop, 0.0)
    np.add.at(total, walkers.parent[1:], walkers.alpha[1:])
    weights = np.stack([walkers.alpha, walkers.stop, total])
    scores = np.empty((N_CHAINS, test.n_docs))
    room = np.zeros((7, n_nodes))
    z = np.zeros(max(1, int(np.diff(observed.offsets).max())), np.int64)
    stream = np.zeros(2, np.uint64)
    for chain in range(N_CHAINS):
        sides = Sides(observed.words, observed.offsets, held.words, held.offsets)
        complete(sides, walkers.parent, walkers.phi, weights, (seed, chain, BURN_IN), room, z, stream, scores[chain])
    log_likelihood = (logsumexp(scores, axis=0) - np.log(N_CHAINS)).sum()
    return float(np.exp(-log_likelihood / held.n_tokens))


@kernel
def complete(
    sides: Sides,
    parent: Any,
    phi: Any,
    weights: Any,
    run: tuple[int, int, int],
    room: Any,
    z: Any,
    stream: Any,
    score: Any,
) -> None:
    """Add ``score[d] = sum_n log sum_t theta[d, t] phi[t, w_n]`` over held-out words, theta from a chain.

    Token n stops at t with probability ~ prod_{i->j} (b_j + alpha_j) / (b_i + A_i) * (n_t + stop_t) / (b_t + A_t) *
    phi[t, w_n]: n_t tokens stop at t and b_t at it or below, without n; at leaves the last factor but phi is 1.
    """
    words, offsets, held_words, held_offsets = sides
    seed, chain, burn_in = run
    for d in range(len(offsets) - 1):
        start_stream(stream, np.uint64(seed), np.uint64(chain), np.uint64(d))
        room[:] = 0.0
        begin, length = offsets[d], offsets[d + 1] - offsets[d]
        for sweep in range(burn_in + THETA_SWEEPS + 1):
            for n in range(length):
                if sweep > 0:
                    move(z[n], -1.0, parent, room)
                walk_shares(parent, weights, room)
                z[n] = draw_node(phi[words[begin + n]], room, stream)
                move(z[n], 1.0, parent, room)
            if sweep > burn_in:
                walk_shares(parent, weights, room)
                for t in range(len(parent)):
                    room[THETA, t] += room[SHARE, t] / THETA_SWEEPS
        score[d] = 0.0
        for n in range(held_offsets[d], held_offsets[d + 1]):
            probability = 0.0
            for t in range(len(parent)):
                probability += room[THETA, t] * phi[held_words[n], t]
            score[d] += math.log(probability)


@part
def move(node: int, change: float, parent: Any, room: Any) -> None:
    """Add a token to a node and all nodes above it, or remove it."""
    room[STOPPED, node] += change
    while node >= 0:
        room[BELOW, node] += change
        node = parent[node]


@part
def walk_shares(parent: Any, weights: Any, room: Any) -> None:
    """Compute the probability that a walk ends at each node, ignoring words."""
    room[REACH, 0] = 1.0
    for t in range(len(parent)):
        if t > 0:
            room[REACH, t] = room[PER_WAY, parent[t]] * (room[BELOW, t] + weights[ALPHA, t])
        room[SHARE, t] = room[REACH, t]
        if weights[TOTAL, t] > 0.0:
            room[PER_WAY, t] = room[REACH, t] / (room[BELOW, t] + weights[TOTAL, t])
            room[SHARE, t] = room[PER_WAY, t] * (room[STOPPED, t] + weights[STOP, t])


@part
def draw_node(phi: Any, room: Any, stream: Any) -> int:
    """Draw a node with probability ~ share times phi."""
    total = 0.0
    for t in range(len(phi)):
        total += room[SHARE, t] * phi[t]
        room[RUNNING, t] = total
    drawn = uniform(stream) * total
    for t in range(len(phi) - 1):
        if drawn < room[RUNNING, t]:
            return t
    return len(phi) - 1
