"""Draw a document's path c, given the scores of all topics.

p(c_d = c | w, z, c_-d) ~ nCRP(c; gamma, c_-d) prod_l f(d, c_l)

Scores are summed down the tree, level by level, so that all paths through a node share its sum. A leaf stands for its
path, an inner node for a path that leaves the tree there along a new branch. The root's score is the same for all
paths; it differs only between draws of the levels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import inlined, part
from topicgrove.kernels.structures import LINE, ROOT, Layout, Prior, Tree, Workspace
from topicgrove.kernels.tree import log_visits

NEGLIGIBLE = np.float32(40.0)
"""A path whose log weight is this much below the best is never drawn (its odds are below 1e-17)."""


@part
def set_ranges(layout: Layout, n_slow: int, ranges: NDArray[np.int64]) -> None:
    """Set the ranges of slots of every level: slow ones in row 2l, rapid ones in row 2l + 1, in whole cache lines."""
    ranges[0, 0], ranges[0, 1] = ROOT, ROOT + 1
    for level in range(1, len(layout.n_free)):
        ranges[2 * level, 0] = layout.slow_start[level]
        ranges[2 * level, 1] = layout.slow_start[level + 1]
        first = n_slow + layout.rapid_start[level]
        ranges[2 * level + 1, 0] = first
        ranges[2 * level + 1, 1] = first + (layout.rapid_used[level] + LINE - 1) // LINE * LINE


@part
def log_of_others(n_docs: int, gamma: float, is_leaf: bool) -> float:
    """Return how log m - log(gamma + m), or log m for a leaf, changes if one document is left out."""
    others = n_docs - 1
    if others <= 0:
        return -math.inf
    change = math.log(others / n_docs)
    return change if is_leaf else change - math.log((others + gamma) / (n_docs + gamma))


@part
def leave_out_document(
    path: NDArray[np.int64],
    n_docs: NDArray[np.int32],
    gamma: NDArray[np.float64],
    score: NDArray[np.float32],
) -> None:
    """Correct the scores of the document's own topics for its being among their documents."""
    for level in range(1, len(path)):
        slot = path[level]
        score[slot] += log_of_others(n_docs[slot], gamma[level], level == len(path) - 1)


@part
def sum_down(
    score: NDArray[np.float32],
    log_weight: NDArray[np.float32],
    log_visits: NDArray[np.float32],
    parent: NDArray[np.int32],
    first: int,
    last: int,
    branch: np.float32,
    passing: NDArray[np.float32],
    candidate: NDArray[np.float32],
) -> None:
    """Set, for internal topics, the log weight of passing through (``passing``) and of branching (``candidate``)."""
    for slot in range(first, last):
        through = score[slot] + log_weight[slot] + passing[parent[slot]] - log_visits[slot]
        passing[slot] = through
        candidate[slot] = through + branch


@part
def sum_leaves(
    score: NDArray[np.float32],
    log_weight: NDArray[np.float32],
    parent: NDArray[np.int32],
    first: int,
    last: int,
    passing: NDArray[np.float32],
    candidate: NDArray[np.float32],
) -> None:
    """Set ``candidate`` of each leaf to the log weight of its path."""
    for slot in range(first, last):
        candidate[slot] = score[slot] + log_weight[slot] + passing[parent[slot]]


@inlined
def weigh_paths(tree: Tree, prior: Prior, work: Workspace, sample: int, max_new: int, inside: bool) -> None:
    """Compute the log weight of every path from the scores of all topics, into ``candidate[sample]``.

    ``max_new`` limits the topics that may still be born. A document ``inside`` is among the documents of ``work.path``.
    """
    n_levels, paths = len(prior.alpha), work.paths
    candidate = paths.candidate[sample]
    log_root_visits = tree.log_visits[ROOT]
    if inside:
        leave_out_document(work.path, tree.n_docs, prior.gamma, paths.score)
        log_root_visits = np.float32(log_visits(tree.n_docs[ROOT] - 1, prior.gamma[0], prior.log_gamma[0]))
    paths.passing[ROOT] = paths.score[ROOT] - log_root_visits
    for r in range(2 * n_levels):
        level, first, last = r // 2, paths.ranges[r, 0], paths.ranges[r, 1]
        if level == n_levels - 1:
            sum_leaves(paths.score, tree.log_weight, tree.parent, first, last, paths.passing, candidate)
            continue
        may_branch = n_levels - 1 - level <= max_new
        branch = np.float32(prior.log_gamma[level] + paths.new[level + 1]) if may_branch else np.float32(-math.inf)
        if level == 0:
            candidate[ROOT] = paths.passing[ROOT] + branch
        else:
            sum_down(
                paths.score,
                tree.log_weight,
                tree.log_visits,
                tree.parent,
                first,
                last,
                branch,
                paths.passing,
                candidate,
            )


@part
def draw_candidate(
    candidate: NDArray[np.float32],
    ranges: NDArray[np.int64],
    n_samples: int,
    chosen: NDArray[np.int64],
    weight: NDArray[np.float64],
    uniform: float,
) -> int:
    """Draw by weight among the slots in ``ranges`` and the draws of the levels; return sample x n_slots + slot."""
    n_slots = candidate.shape[1]
    best = candidate[0, ROOT]
    for sample in range(n_samples):
        row = candidate[sample]
        for r in range(len(ranges)):
            for slot in range(ranges[r, 0], ranges[r, 1]):
                best = max(best, row[slot])
    least = best - NEGLIGIBLE
    total = 0.0
    n = 0
    for sample in range(n_samples):
        row = candidate[sample]
        for r in range(len(ranges)):
            for slot in range(ranges[r, 0], ranges[r, 1]):
                if row[slot] > least:
                    total += math.exp(float(row[slot]) - float(best))
                    weight[n] = total
                    chosen[n] = sample * n_slots + slot
                    n += 1
    i = 0
    while i < n - 1 and weight[i] <= uniform * total:
        i += 1
    return chosen[i]
