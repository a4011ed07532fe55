"""A NestedHDP on disk: what `persistence` stores of every model, and the topic of every token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.persistence import parameters
from topicgrove.persistence.history import check_history
from topicgrove.persistence.model_parts import (
    common_arrays,
    common_facts,
    integers,
    read_columns,
    read_n_words,
    read_training,
    read_tree,
    read_words_and_names,
)
from topicgrove.persistence.models import write_model
from topicgrove.persistence.sealed import Arrays, take
from topicgrove.prior import BETA_RANGE
from topicgrove.several_paths.fitted import level_counts
from topicgrove.several_paths.plans import check_parameters
from topicgrove.several_paths.shape import WalkHyper, levels_of
from topicgrove.tree import Documents, TopicTree
from topicgrove.whole_files import FilePath

if TYPE_CHECKING:
    from topicgrove.nested_hdp import NestedHDP

_PREFIX = "hyper."
POSITIVE = (1e-30, 1e30)
"""Range of weights in files: learnt weights are inside, and float32 holds them."""


def save_several_paths_model(model: NestedHDP, path: FilePath) -> None:
    """Write a fitted NestedHDP atomically."""
    check_parameters(model)
    lengths = np.asarray(model.document_topics_.sum(axis=1), np.int64).ravel()
    arrays = common_arrays(model) | hyper_arrays(model.hyper_parameters_)
    arrays |= {
        "leaf": model.paths_.max(axis=1),
        "document_lengths": lengths,
        "token_topics": smallest(model.token_topics_, len(model.tree_)),
    }
    write_model(path, "nhdp", common_facts(model), arrays)


def read_several_paths_model(facts: dict[str, Any], arrays: Arrays) -> NestedHDP:
    """Make a NestedHDP of the content of a file."""
    model: NestedHDP = parameters.estimator_of(facts["parameters"], "nhdp")
    n_words, n_levels = read_n_words(facts), model.n_levels
    (parent, level, n_docs, n_tokens), counts = read_tree(arrays, n_words)
    tree = TopicTree(parent, level, n_docs, n_tokens)
    check_shape(parent, n_levels)
    if not np.array_equal(levels_of(parent), level):
        raise ValueError("level is not what parent says")
    hyper = hyper_of(arrays, n_levels, len(parent))
    token_topics = integers("token_topics", arrays).astype(np.int32)
    own = _document_topics(token_topics, integers("document_lengths", arrays), len(parent))
    paths = _paths_to(integers("leaf", arrays), parent, level, n_levels)
    if len(paths) != own.shape[0]:
        raise ValueError(f"there are {len(paths)} main paths and {own.shape[0]} documents")
    tree = TopicTree(
        parent,
        level,
        n_docs,
        n_tokens,
        word_counts=counts,
        beta=hyper.beta,
        documents=Documents(paths, level_counts(own, level, n_levels), topic_counts=own, **read_columns(arrays)),
        **read_words_and_names(facts, arrays, n_words),
    )
    tree.check()
    model._keep(tree, token_topics, hyper)
    model.history_ = check_history(facts["history"], n_levels, full_depth=False)
    read_training(model, facts, arrays, len(paths))
    return model


def hyper_arrays(hyper: WalkHyper) -> Arrays:
    """Return the arrays by their names in a file."""
    return {_PREFIX + name: array for name, array in hyper._asdict().items() if array is not None}


def hyper_of(arrays: Arrays, n_levels: int, n_topics: int) -> WalkHyper:
    """Read the hyper-parameters of so many levels and topics; raise ValueError if they are invalid.

    >>> hyper = WalkHyper(np.array([0.1, 0.1]), np.ones(3), np.ones(3))
    >>> hyper_of(hyper_arrays(hyper), 2, 3).beta.tolist()
    [0.1, 0.1]
    >>> hyper_of(hyper_arrays(hyper._replace(stop_weight=np.array([1, np.nan, 1]))), 2, 3)
    Traceback (most recent call last):
    ValueError: stop_weight must lie between 1e-30 and 1e+30
    """
    beta = take(arrays, "hyper.beta", np.float64, n_levels)
    weights = [take(arrays, f"{_PREFIX}{name}", np.float64, n_topics) for name in ("child_weight", "stop_weight")]
    for name, array, (least, most) in zip(
        ("beta", "child_weight", "stop_weight"), (beta, *weights), (BETA_RANGE, POSITIVE, POSITIVE), strict=True
    ):
        if not np.all((array >= least) & (array <= most)):
            raise ValueError(f"{name} must lie between {least:g} and {most:g}")
    return WalkHyper(beta, *weights)


def check_shape(parent: NDArray[np.int64], n_levels: int) -> None:
    """Refuse anything but a tree of at least two topics, numbered breadth first, with at most so many levels."""
    if len(parent) < 2 or parent[0] != -1 or (parent[1:] < 0).any() or (np.diff(parent) < 0).any():
        raise ValueError("parent must begin with -1 for the root, and number two topics or more breadth first")
    if (parent[1:] >= np.arange(1, len(parent))).any():
        raise ValueError("parents must come before their children")
    depth = int(levels_of(parent).max()) + 1
    if depth > n_levels:
        raise ValueError(f"the tree has {depth} levels, but n_levels is {n_levels}")


def smallest(topics: NDArray[np.integer], n_topics: int) -> NDArray[np.integer]:
    """Return ids of topics in as few bytes as they fit into.

    >>> smallest(np.array([0, 299]), 300).dtype
    dtype('uint16')
    """
    return topics.astype(np.min_scalar_type(n_topics - 1))


def _document_topics(token_topics: NDArray[np.int32], lengths: NDArray[np.int64], n_topics: int) -> sparse.csr_array:
    """Count (D, T) tokens of each document in each topic."""
    if len(lengths) == 0 or lengths.min() < 0 or lengths.max() > len(token_topics):
        raise ValueError("document_lengths must be numbers from 0, one for each document")
    if lengths.sum() != len(token_topics):
        raise ValueError(f"document_lengths has {lengths.sum()} tokens, token_topics {len(token_topics)}")
    if token_topics.min(initial=0) < 0 or token_topics.max(initial=0) >= n_topics:
        raise ValueError(f"token_topics must be from 0 to {n_topics - 1}")
    document = np.repeat(np.arange(len(lengths)), lengths)
    ones = np.ones(len(document), np.int32)
    return sparse.coo_array((ones, (document, token_topics)), shape=(len(lengths), n_topics)).tocsr()


def _paths_to(
    leaf: NDArray[np.int64], parent: NDArray[np.int64], level: NDArray[np.int64], n_levels: int
) -> NDArray[np.int64]:
    """Return (D, L) main paths from the root to these leaves; -1 below a leaf."""
    is_inner = np.isin(np.arange(len(parent)), parent)
    if len(leaf) and (leaf.min() < 0 or leaf.max() >= len(parent) or is_inner[leaf].any()):
        raise ValueError("leaf has topics that are not there, or have children")
    paths = np.full((len(leaf), n_levels), -1, np.int64)
    here = leaf.copy()
    for at in range(n_levels - 1, -1, -1):
        arrived = level[here] >= at
        paths[arrived, at] = here[arrived]
        here = np.where(arrived & (here > 0), parent[here], here)
    return paths
