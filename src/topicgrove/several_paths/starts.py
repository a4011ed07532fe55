"""Trees to start from, and the positions of the tokens in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus
from topicgrove.plans import Plan
from topicgrove.runs import Run
from topicgrove.workers import Workers

TOPICS = 100
"""Default number of topics of a tree that is made without looking at the documents."""


def one_path_start(
    plan: Plan, corpus: Corpus, workers: Workers, comm: Communicator | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the tree that a run of hierarchical LDA finds, and the topic in it of every token of this rank."""
    run = Run(plan, corpus, workers, comm=comm)
    run.go([], None)
    state, nodes = run.state, run.state.nodes()
    parent = nodes.parent.astype(np.int64)
    parent[0] = -1
    document = np.repeat(np.arange(state.n_docs), np.diff(state.docs.offsets))
    return parent, state.paths(nodes)[document, state.docs.levels].astype(np.int32)


def balanced_tree(n_levels: int, n_topics: int) -> NDArray[np.int64]:
    """Return a tree of about ``n_topics`` topics, in which all inner topics have about the same number of children.

    >>> balanced_tree(3, 7).tolist()
    [-1, 0, 0, 1, 1, 2, 2]
    """
    n_children = 1
    while sum((n_children + 1) ** level for level in range(n_levels)) <= n_topics:
        n_children += 1
    n_children = max(n_children, 2)
    parents, before = [np.array([-1])], np.zeros(1, np.int64)
    n_before = 0
    for _ in range(n_levels - 1):
        parents.append(np.repeat(n_before + np.arange(len(before)), n_children))
        n_before, before = n_before + len(before), parents[-1]
    return np.concatenate(parents)
