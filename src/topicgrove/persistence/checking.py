"""Checks of a checkpoint's arrays, needed because kernels don't check their indices."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.columns import odd_lines
from topicgrove.kernels.structures import LINE, ROOT, Layout, Tree
from topicgrove.persistence.sealed import Arrays, take
from topicgrove.prior import HyperParameters
from topicgrove.topics import stored_name

ROUNDING = 1e-6
"""Largest accepted difference between a stored float32 logarithm and the computed one."""

_TREE_TYPES = Tree(np.int32, np.int32, np.float32, np.float32, np.int32)  # type: ignore[arg-type]


def check_snapshot(arrays: Arrays, hyper: HyperParameters, iteration: int, fixed_weights: bool) -> None:
    """Raise ValueError at the first thing that is wrong with the snapshot of a single process.

    The leftovers of dead topics in their slots mean nothing, and are cleared when the snapshot is restored. A sampler
    with fixed weights draws them again, so their logarithms are not checked.
    """
    n_levels = hyper.n_levels
    n_slow, n_rapid, n_slow_topics = take(arrays, "widths", np.int64, 3).tolist()
    tree = Tree(
        *(take(arrays, stored_name(name), getattr(_TREE_TYPES, name), n_slow + n_rapid) for name in Tree._fields)
    )
    layout = layout_of(arrays, n_levels, n_rapid)
    leaf, levels = take(arrays, "leaf", np.int32, None), take(arrays, "levels", np.uint8, None)
    _check_columns("slow", layout.slow_start, n_slow)
    _check_columns("rapid", layout.rapid_start, n_rapid)
    level = np.concatenate([_column_levels(layout.slow_start, n_slow), _column_levels(layout.rapid_start, n_rapid)])
    alive = tree.n_docs > 0
    _check_tree(tree.parent, level, alive, n_levels)
    _check_assignments(leaf, levels, level == n_levels - 1, n_levels)
    if not np.array_equal(_count_documents(tree.parent, level, alive, leaf), tree.n_docs):
        raise ValueError("n_docs of the topics is not what the documents' leaves say")
    _check_free(layout, np.flatnonzero(alive[n_slow:]))
    if not np.count_nonzero(alive[:n_slow]) <= n_slow_topics <= n_slow:
        raise ValueError(f"widths has {n_slow_topics} slow topics in {n_slow} columns")
    n_births = iteration * len(leaf) * (n_levels - 1)
    _check_ids(tree.id[alive], int(take(arrays, "n_ids", np.int64, 1)[0]), n_births)
    check_refreshes(arrays, iteration, len(leaf), fixed_weights)
    if not fixed_weights:
        _check_weights(tree, level, alive, hyper)


def check_nodes(arrays: Arrays, n_levels: int, n_parts: int, iteration: int) -> None:
    """Raise ValueError at the first thing that is wrong with the tree that several processes share."""
    starts = take(arrays, "starts", np.int64, n_parts + 1, 2)
    if starts[0].any() or np.any(starts[1:] < starts[:-1]):
        raise ValueError("starts must ascend from 0")
    parent, level = take(arrays, "parent", np.int64, None), take(arrays, "level", np.int64, None)
    if len(parent) != len(level):
        raise ValueError(f"parent has {len(parent)} topics, level {len(level)}")
    if np.any(level[1:] < level[:-1]) or np.any(parent[1:] < parent[:-1]):
        raise ValueError("topics are not breadth first")
    _check_tree(parent, level, np.ones(len(parent), np.bool_), n_levels)
    check_refreshes(arrays, iteration, int(starts[-1, 0]))


def check_part(arrays: Arrays, n_docs: int, n_tokens: int, nodes_level: NDArray[np.int64], n_levels: int) -> None:
    """Raise ValueError at the first thing that is wrong with one process's share of the assignments."""
    leaf, levels = take(arrays, "leaf", np.int32, n_docs), take(arrays, "levels", np.uint8, n_tokens)
    _check_assignments(leaf, levels, nodes_level == n_levels - 1, n_levels)


def check_refreshes(arrays: Arrays, iteration: int, n_docs: int, fixed_weights: bool = False) -> None:
    """Check the number of refreshes: a sweep has at most four, the first one another for each batch of documents."""
    refreshes = int(take(arrays, "refreshes", np.int64, 1)[0])
    if not int(fixed_weights) <= refreshes <= 4 * iteration + n_docs:
        raise ValueError(f"refreshes is {refreshes}, which {iteration} sweeps cannot have made")


def layout_of(arrays: Arrays, n_levels: int, n_rapid: int) -> Layout:
    """Return the layout, with arrays checked for type and length."""
    lengths = Layout(n_levels + 1, n_levels + 1, n_levels, n_levels, n_rapid)  # type: ignore[arg-type]
    types = {name: np.int32 if name == "free" else np.int64 for name in Layout._fields}
    return Layout(*(take(arrays, f"layout.{name}", types[name], getattr(lengths, name)) for name in Layout._fields))


def _check_columns(kind: str, start: NDArray[np.int64], width: int) -> None:
    """Check that levels take whole, consecutive cache lines, and a row an odd number of them."""
    if start[0] != 0 or np.any(start[1:] < start[:-1]) or np.any(start % LINE) or width != odd_lines(int(start[-1])):
        raise ValueError(f"{kind}_start does not divide {width} columns into levels")


def _column_levels(start: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return the level of every column; -1 for padding."""
    levels = np.full(width, -1)
    levels[: start[-1]] = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return levels


def _check_tree(parent: NDArray[Any], level: NDArray[np.int64], alive: NDArray[np.bool_], n_levels: int) -> None:
    """Check that the root alone is on level 0 and its own parent, and that others have parents one level above."""
    if len(parent) == 0 or not alive[ROOT] or level[ROOT] != 0 or parent[ROOT] != ROOT:
        raise ValueError("the first slot must hold the root, which is its own parent")
    if np.any((parent < 0) | (parent >= len(parent))):
        raise ValueError("parent has slots that are not there")
    topics = np.flatnonzero(alive)[1:]
    above = parent[topics]
    if np.any(level[topics] < 1) or np.any(level[topics] >= n_levels):
        raise ValueError("topics are on levels that are not there")
    if not np.all(alive[above]) or np.any(level[above] != level[topics] - 1):
        raise ValueError("topics have parents that are not topics of the level above")


def _check_assignments(
    leaf: NDArray[np.int32], levels: NDArray[np.uint8], is_leaf: NDArray[np.bool_], n_levels: int
) -> None:
    """Check that documents end on the last level, and that tokens are on existing levels."""
    if np.any((leaf < 0) | (leaf >= len(is_leaf))) or not np.all(is_leaf[leaf]):
        raise ValueError("leaf has slots that are not of the last level")
    if len(levels) and levels.max() >= n_levels:
        raise ValueError(f"levels has level {levels.max()}; they must be below {n_levels}")


def _count_documents(
    parent: NDArray[np.int32], level: NDArray[np.int64], alive: NDArray[np.bool_], leaf: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Count m of every slot, from the leaves up."""
    n_docs = np.bincount(leaf, minlength=len(parent))
    for here in range(int(level.max()), 0, -1):
        topics = np.flatnonzero(alive & (level == here))
        np.add.at(n_docs, parent[topics], n_docs[topics])
    return n_docs


def _check_free(layout: Layout, alive: NDArray[np.int64]) -> None:
    """Check that each used column of a level holds a topic or is on the level's stack once."""
    for level, (start, end) in enumerate(pairwise(layout.rapid_start.tolist())):
        n_free, used = int(layout.n_free[level]), start + int(layout.rapid_used[level])
        if not 0 <= n_free <= end - start:
            raise ValueError(f"n_free of level {level} is {n_free}; the level has {end - start} columns")
        here = alive[(alive >= start) & (alive < end)]
        known = np.sort(np.append(here, layout.free[start : start + n_free]))
        if not start <= used <= end or not np.array_equal(known, np.arange(start, used)):
            raise ValueError(f"columns of level {level} are neither free nor used by one topic")


def _check_ids(ids: NDArray[np.int32], n_ids: int, n_births: int) -> None:
    """Check that ids are unique and of topics born so far; topics of unknown age have id 0."""
    own = ids[ids != 0]
    if not 1 <= n_ids <= 1 + n_births:
        raise ValueError(f"n_ids is {n_ids}; {n_births} topics can have been born at most")
    if np.any((ids < 0) | (ids >= n_ids)) or len(np.unique(own)) < len(own):
        raise ValueError(f"id must be different numbers below {n_ids}")


def _check_weights(tree: Tree, level: NDArray[np.int64], alive: NDArray[np.bool_], hyper: HyperParameters) -> None:
    """Check log m, which is -inf without a topic, and log(gamma + m)."""
    with np.errstate(divide="ignore"):
        log_docs = np.log(tree.n_docs)
    if not np.allclose(tree.log_weight, log_docs, rtol=ROUNDING, atol=ROUNDING):
        raise ValueError("log_docs is not the logarithm of n_docs")
    log_visits = np.logaddexp(log_docs[alive], np.append(hyper.log_gamma, -np.inf)[level[alive]])
    if not np.allclose(tree.log_visits[alive], log_visits, rtol=ROUNDING, atol=ROUNDING):
        raise ValueError("log_visits is not the logarithm of gamma + n_docs")
