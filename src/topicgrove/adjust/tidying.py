"""Tidying after training: no tiny topics, no leaves without words, and no topic with a single leaf.

None of this is a Gibbs move. It follows the last sweep, and ``min_docs=1`` turns it off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.samplers.distributions import refresh_phi
from topicgrove.seeds.pinned import settled
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.topics import Nodes
from topicgrove.training import Trainer

SETTLING = 3
"""Sweeps over the levels only, after the last document has moved."""

STREAMS = 2 << 32
"""Keeps the streams of these sweeps apart from those of training and of refining."""

BRANCH_SHARE, LEAF_SHARE = 0.005, 0.0002
"""Default for the least share of the documents of a level-1 topic and of a last-level topic."""

FEW_DOCS, DOCS_PER_STEP, TOPIC_DOCS = 3, 200, 8
"""The least number of documents grows to 3, by one per 200 documents, or per 8 for each topic asked for."""

ELSEWHERE = np.float32(1e30)
"""Keeps topics from adopting a leaf that pinned documents pass through."""

Least = NDArray[np.int64]

NO_TOPICS = np.zeros(0, np.int64)


def least_docs(n_docs: int, n_levels: int, min_docs: int | None, target_topics: int | None = None) -> Least:
    """Return the least number of documents of a topic on each level; ``min_docs`` everywhere, if given.

    >>> least_docs(100_000, 4, None).tolist(), least_docs(50, 4, None).tolist(), least_docs(50, 3, 5).tolist()
    ([1, 500, 100, 20], [1, 1, 1, 1], [1, 5, 5])
    """
    if min_docs is None:
        shares = np.geomspace(BRANCH_SHARE, LEAF_SHARE, n_levels - 1)
        few = min(FEW_DOCS, 1 + n_docs // (TOPIC_DOCS * target_topics if target_topics else DOCS_PER_STEP))
        least = np.maximum(np.rint(shares * n_docs).astype(np.int64), few)
    else:
        least = np.full(n_levels - 1, min_docs)
    return np.append(1, least)


class Children(NamedTuple):
    """Limits on the number of children of a topic; topics on the last level have none."""

    least: int = 1
    most: int | None = None


ANY_NUMBER = Children()


def tidy(trainer: Trainer, min_docs: int | None, children: Children = ANY_NUMBER) -> int:
    """Dissolve small and wordless topics, and graft single leaves elsewhere; return the number of topics removed.

    Topics with too few children dissolve, too, and so do the smallest of too many children. Call it after the last
    sweep.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove.corpus import Corpus
    >>> from topicgrove.prior import HyperParameters
    >>> from topicgrove.samplers import CollapsedGibbs
    >>> from topicgrove.state import State
    >>> from topicgrove.training import Schedule, Trainer
    >>> from topicgrove.workers import Workers
    >>> corpus = Corpus.from_matrix(np.eye(6, dtype=int) * 5)
    >>> state = State(corpus, HyperParameters.of(2, beta=0.1, gamma=9.0), 0, Workers(1))
    >>> trainer = Trainer(state, CollapsedGibbs(), Schedule(5, 0, 1, None, None))
    >>> trainer.run()
    >>> tidy(trainer, min_docs=2) > 0, int(state.nodes().n_docs.min()) >= 2
    (True, True)
    """
    state = trainer.state
    least = least_docs(state.n_docs_in_all, state.n_levels, min_docs, trainer.schedule.target_topics)
    if least.max() == 1 and children == ANY_NUMBER:
        return 0
    before = len(state.nodes().slot)
    tidying = _Tidying(state, least, STREAMS + trainer.iteration, children)
    with trainer.changing():
        while n_changes := tidying.dissolve() + tidying.graft():
            tidying.n_changes += n_changes
            tidying.settle()
        if tidying.n_changes:
            trainer.sampler.refresh(state)
    return before - len(state.nodes().slot)


class _Tidying:
    """Changes to a state until its tree is tidy."""

    def __init__(self, state: State, least: Least, stream: int, children: Children) -> None:
        self.state = state
        self.least = least
        self.children = children
        self.sweeper = Sweeper(state, n_samples=1, fixed_weights=True, max_topics=None)
        self.stream = stream
        self.n_changes = 0

    def dissolve(self) -> int:
        """Dissolve small or wordless topics and all topics below them; return their number.

        Their documents leave at once and take existing paths, drawn with phi and the other documents held fixed. This
        repeats until no such topic is left. The first child of a topic that stays is never dissolved, so every path
        keeps its full depth.
        """
        n_dissolved = 0
        while (dissolved := self._dissolvable(nodes := self.state.nodes())).any():
            moved = self._take_out(nodes, dissolved)
            self._sweep(moved)
            self.state.topics.count_documents()
            n_dissolved += int(dissolved.sum())
        return n_dissolved

    def _dissolvable(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Mark the topics to dissolve, and let pinned documents pass through topics that stay."""
        state, n_tokens = self.state, self._n_tokens(nodes)
        if state.pinned is None:
            return dissolvable(nodes, n_tokens, self.least, NO_TOPICS, self.children)
        paths = state.pinned_paths(nodes)
        own = nodes._replace(n_docs=nodes.n_docs - np.bincount(paths.ravel(), minlength=len(nodes.slot)))
        dissolved = dissolvable(own, n_tokens, self.least, state.seeded(nodes), self.children)
        settled_paths = settled(state.pinned, paths, nodes.parent, np.where(dissolved, 0, own.n_docs))
        state.docs.leaf[state.n_docs :] = nodes.slot[settled_paths[:, -1]]
        return dissolved

    def graft(self) -> int:
        """Give every inner topic words and two children, or none; return the number of topics changed.

        The sibling or leaf used is the one whose phi best explains the tokens of the topic and its children.
        """
        nodes = self.state.nodes()
        n_tokens = self._n_tokens(nodes)
        only = np.setdiff1d(topics_to_graft(nodes, n_tokens), self.state.seeded(nodes))
        if not len(only):
            return 0
        self._make_slow()
        nodes = self.state.nodes()
        tokens = np.zeros((self.state.n_words, len(only)), np.int32)
        column = np.full(len(nodes.slot), -1)
        column[only] = np.arange(len(only))
        column = np.maximum(column, column[nodes.parent])
        self.state.topics.count(nodes.slot[column >= 0], column[column >= 0], tokens)
        fit = tokens.T.astype(np.float32) @ self.state.topics.words.log_phi[:, nodes.slot]
        fit[:, np.unique(self.state.pinned_paths(nodes)[:, -1])] -= ELSEWHERE
        parent = grafted(nodes, only, fit, n_tokens[only] == 0)
        stays = parent >= 0
        place = np.cumsum(stays) - 1
        kept = Nodes(place[parent[stays]], nodes.level[stays], nodes.n_docs[stays], nodes.slot[stays])
        self.state.topics.instantiate_all(kept)
        self.state.topics.count_documents()
        return len(only)

    def settle(self) -> None:
        """Draw the levels of all documents a few times, with paths fixed."""
        for _ in range(SETTLING):
            self._make_slow()
            self._sweep(np.arange(self.state.n_docs), fixed_paths=True)

    def _n_tokens(self, nodes: Nodes) -> NDArray[np.int64]:
        """Count the tokens of each topic, over all ranks."""
        paths, tokens = self.state.paths(nodes), self.state.level_counts()
        sums = np.bincount(paths.ravel(), tokens.ravel(), minlength=len(nodes.slot)).astype(np.int64)
        self.state.comm.allreduce_sum(sums)
        return sums

    def _take_out(self, nodes: Nodes, dissolved: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Take the documents of these topics out, make all remaining topics slow, and return the documents."""
        leaves = nodes.slot[dissolved & (nodes.level == self.state.n_levels - 1)]
        moved = np.flatnonzero(np.isin(self.state.docs.leaf[: self.state.n_docs], leaves))
        self.state.docs.leaf[moved] = -1
        self.state.topics.count_documents()
        self._make_slow()
        return moved

    def _make_slow(self) -> None:
        self.state.topics.instantiate_all()
        refresh_phi(self.state, draw=False)

    def _sweep(self, documents: NDArray[np.int64], fixed_paths: bool = False) -> None:
        self.sweeper.sweep(documents, self.stream, fixed_paths=fixed_paths)
        self.stream += 1


def dissolvable(
    nodes: Nodes,
    n_tokens: NDArray[np.int64],
    least: Least,
    seeded: NDArray[np.int64] = NO_TOPICS,
    children: Children = ANY_NUMBER,
) -> NDArray[np.bool_]:
    """Mark the topics to dissolve: small ones, last-level ones without words, and all topics below them.

    Seeded topics are never marked. Nor is the largest child of a topic that stays and has no seeded child; on the last
    level, children with words come first.

    >>> parent, level, n_docs = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 2, 2]), np.array([9, 6, 3, 3, 3, 3])
    >>> nodes = Nodes(parent, level, n_docs, parent)
    >>> dissolvable(nodes, n_docs, np.array([1, 4, 4])).tolist()
    [False, False, True, False, True, True]
    >>> dissolvable(nodes, np.array([9, 9, 9, 9, 0, 9]), np.array([1, 1, 1])).tolist()
    [False, False, False, False, True, False]
    """
    last = len(least) - 1
    wordless = (nodes.level == last) & (n_tokens == 0)
    # Siblings are sorted by documents, so the first with words is the largest.
    unseeded = np.ones(len(wordless), np.bool_)
    unseeded[seeded] = False
    order = np.lexsort((wordless[1:], unseeded[1:], nodes.parent[1:])) + 1
    first = order[np.unique(nodes.parent[order], return_index=True)[1]]
    dissolved: NDArray[np.bool_] = (nodes.n_docs < least[nodes.level]) | wordless
    dissolved |= misshapen(nodes, seeded, children)
    dissolved[0] = dissolved[first] = dissolved[seeded] = False
    for level in range(1, last + 1):
        here = nodes.level == level
        dissolved[here] |= dissolved[nodes.parent[here]]
    return dissolved


def misshapen(nodes: Nodes, seeded: NDArray[np.int64], children: Children) -> NDArray[np.bool_]:
    """Mark inner topics with too few children, and siblings too many: the smallest, seeded ones last.

    >>> parent, level, n_docs = np.array([0, 0, 0, 0, 1, 1, 2, 3]), np.array([0, 1, 1, 1, 2, 2, 2, 2]), np.arange(8)
    >>> nodes = Nodes(parent, level, n_docs, parent)
    >>> misshapen(nodes, NO_TOPICS, Children(2)).tolist()[:4], misshapen(nodes, NO_TOPICS, Children(1, 2)).tolist()[:4]
    ([False, False, True, True], [False, False, False, True])
    """
    n_children = np.bincount(nodes.parent[1:], minlength=len(nodes.parent))
    marked: NDArray[np.bool_] = (n_children < children.least) & (nodes.level < nodes.level.max())
    marked[0] = False
    if children.most is not None:
        last = np.ones(len(nodes.parent), np.bool_)
        last[seeded] = False
        order = np.lexsort((last[1:], nodes.parent[1:])) + 1
        starts = np.flatnonzero(np.diff(nodes.parent[order], prepend=-1))
        place = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
        marked[order] |= place >= children.most
    return marked


def topics_to_graft(nodes: Nodes, n_tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """List inner topics that have no words, or a single leaf, and that grafting can help.

    Branches, on level 1, may hold a single leaf.

    A topic can make way if its parent has two other children, or one other child that also holds a single leaf. A
    wordless topic can make way for any sibling. A topic can adopt a leaf if its only sibling has three.

    >>> parent, level = np.array([0, 0, 1, 1, 2, 3, 3, 3]), np.array([0, 1, 2, 2, 3, 3, 3, 3])
    >>> topics_to_graft(Nodes(parent, level, level, level), np.ones(8, np.int64)).tolist()
    [2]
    """
    n_children = np.bincount(nodes.parent[1:], minlength=len(nodes.parent))
    n_cousins = np.bincount(nodes.parent[1:], n_children[1:], minlength=len(nodes.parent))[nodes.parent]
    can_change = (n_children[nodes.parent] > 2) | ((n_children[nodes.parent] == 2) & (n_cousins != 3))
    last = nodes.level.max()
    holds_leaves = (nodes.level == last - 1) & (nodes.level > 1)
    wordless = (n_tokens == 0) & (n_children[nodes.parent] > 1) & (nodes.level > 0) & (nodes.level < last)
    return np.flatnonzero((holds_leaves & (n_children == 1) & can_change) | wordless)


def grafted(
    nodes: Nodes, only: NDArray[np.int64], fit: NDArray[np.float32], wordless: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return parents after topics gave their children to the sibling that fits best; -1 for topics removed.

    ``fit[i, t]`` says how well topic t stands in for topic only[i], and ``wordless[i]`` whether only[i] has no words.
    If the only sibling has several leaves, a topic with words stays and adopts one of them instead.

    >>> parent, level = np.array([0, 0, 1, 1, 2, 3, 3, 3]), np.array([0, 1, 2, 2, 3, 3, 3, 3])
    >>> nodes, fit = Nodes(parent, level, level, level), np.zeros((1, 8), np.float32)
    >>> grafted(nodes, np.array([2]), fit, np.array([False])).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    parent = nodes.parent.copy()

    def children(topic: int) -> NDArray[np.int64]:
        return np.flatnonzero((parent == topic) & (nodes.level == nodes.level[topic] + 1))

    for topic, fits, has_no_words in zip(only, fit, wordless, strict=True):
        siblings = children(parent[topic])
        siblings = siblings[siblings != topic]
        both_single = len(siblings) == 1 and len(children(siblings[0])) == len(children(topic)) == 1
        if len(siblings) > 1 or both_single or (len(siblings) and has_no_words):
            parent[children(topic)] = siblings[np.argmax(fits[siblings])]
            parent[topic] = -1
        elif len(siblings) == 1 and len(others := children(siblings[0])) > 2:
            parent[others[np.argmax(fits[others])]] = topic
    return parent
