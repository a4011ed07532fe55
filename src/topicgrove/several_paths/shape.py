"""The shape of a tree and the priors of walks down it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.walk_structures import WalkTree


class WalkHyper(NamedTuple):
    """Hyper-parameters of a tree down which tokens walk.

    Attributes
    ----------
    beta : array, one per level
        Dirichlet prior of topics over words.
    child_weight : array, one per topic
        Dirichlet prior of going on to a topic from its parent; the root's entry is unused.
    stop_weight : array, one per topic
        Dirichlet prior of stopping at a topic; a leaf's entry is unused, since every token stops there.
    rest_weight : array, one per topic, default=None
        Dirichlet prior of going on to children that a growing tree does not have yet; None for a fixed tree.
    """

    beta: NDArray[np.float64]
    child_weight: NDArray[np.float64]
    stop_weight: NDArray[np.float64]
    rest_weight: NDArray[np.float64] | None = None


def levels_of(parent: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the level of each node of a tree whose parents come before their children.

    >>> levels_of(np.array([-1, 0, 0, 1])).tolist()
    [0, 1, 1, 2]
    """
    level = np.zeros(len(parent), np.int64)
    for t in range(1, len(parent)):
        level[t] = level[parent[t]] + 1
    return level


def walk_tree(parent: NDArray[np.integer], hyper: WalkHyper) -> WalkTree:
    """Return the arrays that kernels read, for a tree numbered breadth first."""
    n_nodes = len(parent)
    n_children = np.bincount(parent[1:], minlength=n_nodes)
    rest = np.zeros(n_nodes) if hyper.rest_weight is None else hyper.rest_weight
    nodes = np.flatnonzero((n_children > 0) | (rest > 0))
    if len(nodes) == 0:
        raise ValueError("tree must have a topic below the root")
    inner = np.full(n_nodes, -1, np.int32)
    inner[nodes] = np.arange(len(nodes))
    end_child = 1 + np.cumsum(n_children)[nodes]
    child_weight = np.where(np.arange(n_nodes) > 0, hyper.child_weight, 0.0)
    stop = np.where(inner >= 0, hyper.stop_weight, 0.0)
    total = stop + rest + np.bincount(parent[1:], weights=child_weight[1:], minlength=n_nodes)
    is_inner = inner >= 0
    stops = np.where(is_inner, stop / np.where(is_inner, total, 1.0), 1.0)
    n_inner = np.bincount(parent[1:], weights=is_inner[1:], minlength=n_nodes).astype(np.int64)
    end_inner = 1 + np.cumsum(n_inner)[nodes]
    return WalkTree(
        parent=parent.astype(np.int32),
        inner=inner,
        nodes=nodes.astype(np.int32),
        first_child=(end_child - n_children[nodes]).astype(np.int32),
        end_child=end_child.astype(np.int32),
        child_weight=child_weight.astype(np.float32),
        stop=stop.astype(np.float32),
        total=total.astype(np.float32),
        stop_prior=(child_weight * stops).astype(np.float32),
        below_prior=(child_weight[nodes] / total[nodes]).astype(np.float32),
        first_inner=(end_inner - n_inner[nodes]).astype(np.int32),
        end_inner=end_inner.astype(np.int32),
    )
