"""Training that goes on from a trained tree, edited or not: ``warm_start=True``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.adjust import SteerTopics
from topicgrove.holding_out import is_size
from topicgrove.plans import Plan
from topicgrove.state import State
from topicgrove.topics import Nodes

if TYPE_CHECKING:
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.tree import TopicTree


class TrainedStart:
    """A start that puts all documents where a trained tree has them.

    Topics keep the ids 0 .. T-1 of the tree as long as they live, so that names find them after training.
    """

    agreement: float | None = None

    def __init__(self, model: HierarchicalLDA) -> None:
        self.tree, self.token_levels = model.tree_, model.token_levels_

    def place(self, state: State, order: NDArray[np.int64], on_documents: Callable[[int], None]) -> int:
        """Place all documents, and return their number."""
        tree, topics = self.tree, state.topics
        assert tree.documents is not None
        nothing = np.zeros(len(tree), np.int64)
        slots = topics.instantiate_all(Nodes(np.maximum(tree.parent, 0), tree.level, nothing, nothing - 1))
        topics.tree.id[slots] = np.arange(len(tree))
        topics.control.n_ids[0] = len(tree)
        state.docs.leaf[:] = slots[tree.documents.paths[:, -1]]
        state.docs.levels[:] = self.token_levels
        topics.count_documents()
        return len(order)

    def renamed(self, tree: TopicTree, state: State) -> TopicTree:
        """Return the tree of a state with the names that users gave to its topics and documents."""
        documents, before = tree.documents, self.tree.documents
        assert documents is not None
        assert before is not None
        ids = state.topics.tree.id[state.nodes().slot].tolist()
        names = {topic: self.tree.names[old] for topic, old in enumerate(ids) if old in self.tree.names and old}
        if 0 in self.tree.names:
            names[0] = self.tree.names[0]
        documents = replace(documents, ids=before.ids, titles=before.titles, classes=before.classes)
        return replace(tree, names=names, vocabulary=self.tree.vocabulary, documents=documents)


def warm_plan(plan: Plan, model: HierarchicalLDA) -> Plan:
    """Return a plan without an early phase, with priors as trained where parameters leave them open."""
    if plan.seeds:
        raise ValueError("warm_start does not work with seeds: give seeds=None to go on from the tree that they made")
    trained, given = model.hyper_parameters_, plan.hyper
    if trained.n_levels != given.n_levels:
        raise ValueError(
            f"n_levels is {given.n_levels}, but warm_start goes on from a tree of {trained.n_levels} levels"
        )
    learned = tuple(model.learn) if not isinstance(model.learn, str) else (model.learn,)
    hyper = given._replace(
        alpha=trained.alpha if "alpha" in learned else given.alpha,
        beta=trained.beta if model.beta is None or "beta" in learned else given.beta,
        log_gamma=trained.log_gamma if model.gamma is None or "gamma" in learned else given.log_gamma,
    )
    schedule = replace(plan.schedule, init_iterations=0, n_fits=0)
    adjusters = tuple(one for one in plan.adjusters if not isinstance(one, SteerTopics))
    return plan._replace(hyper=hyper, schedule=schedule, adjusters=adjusters)


def check_can_go_on(held_out: Any) -> None:
    """Refuse to hold out documents that the tree already has."""
    if is_size(held_out):
        raise ValueError("held_out must be documents with warm_start, as those of training stay the same")


def check_single(n_ranks: int) -> None:
    """Refuse several processes, of which all but the first have no tree."""
    if n_ranks > 1:
        raise ValueError("warm_start works in a single process only")
