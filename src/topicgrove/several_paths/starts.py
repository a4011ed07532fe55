"""Trees to start from, and the positions of the tokens in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus
from topicgrove.plans import Plan
from topicgrove.runs import Run
from topicgrove.several_paths.plans import WalkPlan
from topicgrove.several_paths.runs import WalkRun
from topicgrove.several_paths.samplers import CollapsedWalks
from topicgrove.several_paths.training import WalkSchedule
from topicgrove.workers import Workers

TOPICS = 100
"""Default number of topics of a tree that is made without looking at the documents."""


FLAT_SWEEPS, FLAT_LEARN_AFTER = 80, 20
"""Sweeps of flat LDA, and the sweep after which its priors are learned."""


class OnePath(NamedTuple):
    """A tree, and the paths of documents and the topics of tokens in it, of this rank."""

    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    paths: NDArray[np.int32]
    node: NDArray[np.int32]
    document: NDArray[np.int64]
    """The document of every token."""


def one_path_start(
    plan: Plan, corpus: Corpus, workers: Workers, comm: Communicator | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the tree that a run of hierarchical LDA finds, and the topic in it of every token of this rank."""
    found = _one_path(plan, corpus, workers, comm)
    return found.parent, found.node


def branches_start(
    plan: Plan, walk_plan: WalkPlan, corpus: Corpus, workers: Workers, comm: Communicator | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the inner topics of hierarchical LDA with topics of flat LDA below, and the topic of this rank's tokens.

    A topic of flat LDA goes below the inner topic whose documents use it most. Tokens that hierarchical LDA puts in
    inner topics start there. The tree has as many topics as the plan's target, or as hierarchical LDA finds.
    """
    comm = comm or Communicator()
    found = _one_path(plan, corpus, workers, comm)
    last = found.paths.shape[1] - 1
    n_inner, n_lowest = int((found.level < last).sum()), int((found.level == last - 1).sum())
    n_flat = max((walk_plan.target_topics or len(found.parent)) - n_inner, n_lowest)
    flat = flat_topics(walk_plan, n_flat, corpus, workers, comm)
    use = np.zeros((n_flat, n_inner), np.int64)
    np.add.at(use, (flat, found.paths[found.document, last - 1]), 1)
    comm.allreduce_sum(use)
    use[:, : n_inner - n_lowest] = -1
    homes = use.argmax(axis=1)
    order = np.argsort(homes, kind="stable")
    leaf = np.empty(n_flat, np.int64)
    leaf[order] = n_inner + np.arange(n_flat)
    node = np.where(found.level[found.node] < last, found.node, leaf[flat])
    return np.append(found.parent[:n_inner], homes[order]), node.astype(np.int32)


def flat_topics(
    plan: WalkPlan, n_topics: int, corpus: Corpus, workers: Workers, comm: Communicator | None = None
) -> NDArray[np.int32]:
    """Return the topic of every token by flat LDA: by walks below a root at which no token stops."""
    flat = plan._replace(
        n_levels=2,
        beta=plan.beta.flat[-1] * np.ones(2),
        stop_weight=np.zeros(1),
        schedule=WalkSchedule(FLAT_SWEEPS, ("beta", "child_weight"), FLAT_LEARN_AFTER),
        sampler=CollapsedWalks(),
    )
    run = WalkRun(flat, corpus, workers, np.append(-1, np.zeros(n_topics, np.int64)), comm=comm)
    run.go([])
    return run.state.node - np.int32(1)


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


def _one_path(plan: Plan, corpus: Corpus, workers: Workers, comm: Communicator | None) -> OnePath:
    run = Run(plan, corpus, workers, comm=comm)
    run.go([], None)
    state, nodes = run.state, run.state.nodes()
    parent = nodes.parent.astype(np.int64)
    parent[0] = -1
    document = np.repeat(np.arange(state.n_docs), np.diff(state.docs.offsets))
    paths = state.paths(nodes)
    node = paths[document, state.docs.levels].astype(np.int32)
    return OnePath(parent, nodes.level.astype(np.int64), paths, node, document)
