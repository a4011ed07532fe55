"""Score paths with a document's levels summed out: by a table of mixtures, and by proportions fitted with EM."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel, part
from topicgrove.kernels.levels import LEAST_LOG_PHI
from topicgrove.kernels.logarithms import fast_exp
from topicgrove.kernels.scores import add_rows
from topicgrove.kernels.structures import Documents


class Candidates(NamedTuple):
    """The paths that documents may take."""

    paths: NDArray[np.int64]  # [P, L] slots
    log_prior: NDArray[np.float64]  # [P]
    mixture: NDArray[np.float32]  # [V, P, padded to whole cache lines] from `tabulate_mixture`


class Scratch(NamedTuple):
    """What a thread needs to score the paths of a document of up to N tokens."""

    score: NDArray[np.float32]  # [columns of ``mixture``]
    ones: NDArray[np.float32]  # [N] weights of the words
    phi: NDArray[np.float64]  # [N, L]
    theta: NDArray[np.float64]  # [L]
    share: NDArray[np.float64]  # [L]
    best: NDArray[np.int64]  # [number of paths to score by fitted proportions]


@kernel
def tabulate_mixture(
    first: int,
    last: int,
    log_phi: NDArray[np.float32],
    paths: NDArray[np.int64],
    mixture: NDArray[np.float32],
) -> None:
    """Tabulate ``mixture[v, leaf] = log(1/L sum_l phi[c_l, v])`` for words first..last."""
    n_leaves, n_levels = paths.shape
    for v in range(first, last):
        for leaf in range(n_leaves):
            total = 0.0
            for level in range(n_levels):
                total += math.exp(log_phi[v, paths[leaf, level]])
            mixture[v, leaf] = np.float32(math.log(total / n_levels))


@part
def fitted_score(
    words: NDArray[np.int32],
    log_phi: NDArray[np.float32],
    path: NDArray[np.int64],
    alpha: NDArray[np.float64],
    n_steps: int,
    phi: NDArray[np.float64],
    theta: NDArray[np.float64],
    share: NDArray[np.float64],
) -> float:
    """Return sum_n log sum_l theta_l phi_{c_l, w_n} with theta after some steps of EM from uniform proportions."""
    n_levels = len(path)
    norm = float(len(words))
    for level in range(n_levels):
        theta[level] = 1.0 / n_levels
        norm += alpha[level]
        for n in range(len(words)):
            phi[n, level] = fast_exp(max(log_phi[words[n], path[level]], LEAST_LOG_PHI))
    score = 0.0
    for _ in range(n_steps + 1):
        score = 0.0
        for level in range(n_levels):
            share[level] = alpha[level]
        for n in range(len(words)):
            total = 0.0
            for level in range(n_levels):
                total += theta[level] * phi[n, level]
            score += math.log(total)
            for level in range(n_levels):
                share[level] += theta[level] * phi[n, level] / total
        for level in range(n_levels):
            theta[level] = share[level] / norm
    return score


@kernel
def best_paths(
    first: int,
    last: int,
    docs: Documents,
    log_phi: NDArray[np.float32],
    candidates: Candidates,
    alpha: NDArray[np.float64],
    n_steps: int,
    scratch: Scratch,
) -> None:
    """Set the leaf of documents first..last: among the best paths by mixture, the best by fitted proportions."""
    paths, log_prior, mixture = candidates
    score, ones, phi, theta, share, best = scratch
    begin_row, begin_column = 0, 0
    for d in range(first, last):
        words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
        add_rows(mixture, words, ones, begin_row, len(words), begin_column, mixture.shape[1], score)
        n_best = min(len(best), len(paths))
        for k in range(n_best):
            best[k] = -1
            for leaf in range(len(paths)):
                taken = False
                for j in range(k):
                    taken |= best[j] == leaf
                value = score[leaf] + log_prior[leaf]
                if not taken and (best[k] < 0 or value > score[best[k]] + log_prior[best[k]]):
                    best[k] = leaf
        chosen, highest = best[0], -math.inf
        for k in range(n_best):
            fitted = fitted_score(words, log_phi, paths[best[k]], alpha, n_steps, phi, theta, share)
            if fitted + log_prior[best[k]] > highest:
                highest = fitted + log_prior[best[k]]
                chosen = best[k]
        docs.leaf[d] = paths[chosen, paths.shape[1] - 1]
