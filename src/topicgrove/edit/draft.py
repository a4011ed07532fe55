"""A tree while it is edited: topics keep their ids until the end, when they get those of a new tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.fitted import count_words
from topicgrove.prior import HyperParameters
from topicgrove.seeds.pinned import SeedPrior
from topicgrove.tree import Documents, TopicTree
from topicgrove.validation import check_whole

NEEDS_DOCUMENTS = (
    "this needs the documents, which a model does not keep; give corpus (--corpus INPUT): what fit was given"
)


class Draft:
    """Topics under the ids that they had before all edits; topics that a split makes get the ids after these.

    Parameters
    ----------
    tree : TopicTree
        The tree, with all of its documents and words.
    token_levels : uint8 array
        The level of every token.
    hyper : HyperParameters
        Priors of the model.
    corpus : Corpus, default=None
        The documents. Without them, topics can only be merged with siblings, reordered and renamed.
    seed : int, default=0
        Seed of the runs that split topics and place documents.

    Attributes
    ----------
    parent, level : list of int
        Of every topic; those of removed topics stay as they were.
    children : list of lists
        The children of every topic, in order.
    names : dict
        Names that users gave.
    leaf : array of shape (n_docs,)
        The last topic of each document's path.
    levels : uint8 array
        The level of every token; ``set_places`` changes it.
    """

    def __init__(
        self,
        tree: TopicTree,
        token_levels: NDArray[np.uint8],
        hyper: HyperParameters,
        corpus: Corpus | None = None,
        seed: int = 0,
    ) -> None:
        assert tree.documents is not None
        assert tree.word_counts is not None
        self._tree, self._documents, self._counts = tree, tree.documents, tree.word_counts
        self._corpus = corpus
        self.hyper, self.seed = hyper, seed
        self.parent: list[int] = tree.parent.tolist()
        self.level: list[int] = tree.level.tolist()
        self.children: list[list[int]] = [found.tolist() for found in tree.children]
        self.names = dict(tree.names)
        self.leaf: NDArray[np.int64] = tree.documents.paths[:, -1].astype(np.int64)
        self.levels = token_levels.copy()
        self.lengths: NDArray[np.int64] = tree.documents.level_counts.sum(axis=1).astype(np.int64)
        self.edit = 1
        self._removed: dict[int, str] = {}
        self._counted_in = np.arange(len(tree))
        self._by_size = [bool(np.all(np.diff(tree.n_docs[found]) <= 0)) for found in tree.children]

    @property
    def n_levels(self) -> int:
        """L, the root's level included."""
        return self._tree.n_levels

    @property
    def corpus(self) -> Corpus:
        """The documents; ValueError if there are none."""
        if self._corpus is None:
            raise ValueError(NEEDS_DOCUMENTS)
        return self._corpus

    def topic(self, topic: object, name: str = "topic") -> int:
        """Return a topic's id, or say why there is no such topic."""
        found = check_whole(name, topic, 0, len(self._tree) - 1)
        if found in self._removed:
            raise ValueError(f"topic {found} is gone: {self._removed[found]}")
        return found

    def below_root(self, topic: object, name: str = "topic") -> int:
        """Return the id of a topic other than the root."""
        found = self.topic(topic, name)
        if found == 0:
            raise ValueError(f"{name} must not be 0: the root stays as it is")
        return found

    def branch(self, topic: int) -> list[int]:
        """Return a topic and all topics below it, those above first."""
        found = [topic]
        for one in found:
            found += self.children[one]
        return found

    def documents_in(self, topics: Iterable[int]) -> NDArray[np.int64]:
        """Return the documents whose paths end in one of these topics or below it."""
        inside = [one for topic in topics for one in self.branch(topic)]
        return np.flatnonzero(np.isin(self.leaf, inside))

    def n_docs(self, topic: int) -> int:
        """Return the number of documents of a topic."""
        return len(self.documents_in([topic]))

    def add(self, parent: int) -> int:
        """Add a topic below another, and return its id."""
        self.parent.append(parent)
        self.level.append(self.level[parent] + 1)
        self.children.append([])
        self._by_size.append(True)
        self.children[parent].append(len(self.parent) - 1)
        return len(self.parent) - 1

    def hang(self, topic: int, parent: int) -> None:
        """Hang a topic below another parent, as its last child; a parent that is left without children goes."""
        self.corpus  # noqa: B018 - tokens of the topics above change place, so counting needs the documents
        before = self.parent[topic]
        self.children[before].remove(topic)
        self.children[parent].append(topic)
        self.parent[topic] = parent
        self.remove_childless(before)

    def remove_childless(self, topic: int) -> None:
        """Remove a topic above the last level that has no children, and those above it for which this holds, too."""
        while topic > 0 and not self.children[topic]:
            above = self.parent[topic]
            self.remove(topic, f"edit {self.edit} left it without topics below it")
            topic = above

    def remove(self, topic: int, why: str) -> None:
        """Remove a topic and all topics below it; ``why`` is said where a later edit wants it."""
        for one in self.branch(topic):
            self._removed[one] = why
            self.names.pop(one, None)
        self.children[self.parent[topic]].remove(topic)

    def absorb(self, topic: int, other: int) -> None:
        """Let a topic take the words and the children of a sibling, which goes."""
        self.children[topic] += self.children[other]
        for child in self.children[other]:
            self.parent[child] = topic
        self.leaf[self.leaf == other] = topic
        self._counted_in[self._counted_in == other] = topic
        self.children[other] = []
        self.remove(other, f"edit {self.edit} merged it into {topic}")

    def order(self, parent: int, children: Sequence[int]) -> None:
        """Put the children of a topic into an order, which stays."""
        self.children[parent] = list(children)
        self._by_size[parent] = False

    def set_places(self, documents: NDArray[np.int64], leaf: NDArray[np.int64], levels: NDArray[np.uint8]) -> None:
        """Set the last topics of some documents' paths, and the levels of their tokens."""
        self.leaf[documents] = leaf
        self.levels[self.tokens_of(documents)] = levels

    def tokens_of(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of the tokens of some documents, in order."""
        ends = np.cumsum(self.lengths)
        lengths = self.lengths[documents]
        starts = np.repeat((ends - self.lengths)[documents], lengths)
        return np.asarray(starts + np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths))

    def paths(self) -> NDArray[np.int64]:
        """Return (n_docs, L) topics along the documents' paths."""
        parent = np.array(self.parent)
        paths = np.empty((len(self.leaf), self.n_levels), np.int64)
        paths[:, -1] = self.leaf
        for level in range(self.n_levels - 2, -1, -1):
            paths[:, level] = parent[paths[:, level + 1]]
        return paths

    def part(self, topics: Sequence[int], documents: NDArray[np.int64]) -> TopicTree:
        """Return a tree of some topics, those above first, with the counts of some documents that are in them."""
        place = np.full(len(self.parent), -1, np.int64)
        place[list(topics)] = np.arange(len(topics))
        paths = place[self.paths()[documents]]
        corpus, levels = self.corpus.take(documents), self.levels[self.tokens_of(documents)]
        counts = count_words(corpus, paths.astype(np.int32), levels, len(topics))
        return TopicTree(
            np.array([-1, *(place[self.parent[topic]] for topic in topics[1:])]),
            np.array([self.level[topic] for topic in topics]),
            np.bincount(paths.ravel(), minlength=len(topics)),
            np.asarray(counts.sum(axis=1), np.int64).ravel(),
            word_counts=counts,
        )

    def finish(self) -> tuple[TopicTree, NDArray[np.uint8]]:
        """Return the edited tree and the levels of the tokens."""
        paths = self.paths()
        n_docs = np.bincount(paths.ravel(), minlength=len(self.parent))
        order = [0]
        for topic in order:
            found = self.children[topic]
            order += sorted(found, key=lambda one: -n_docs[one]) if self._by_size[topic] else found
        place = np.full(len(self.parent), -1, np.int64)
        place[order] = np.arange(len(order))
        renamed = place[paths].astype(np.int32)
        counts = self._count(renamed, place, len(order))
        document = np.repeat(np.arange(len(paths)), self.lengths)
        in_level = np.bincount(document * self.n_levels + self.levels, minlength=paths.size).reshape(paths.shape)
        before, tree = self._documents, self._tree
        edited = TopicTree(
            np.array([-1, *(place[self.parent[topic]] for topic in order[1:])]),
            np.array([self.level[topic] for topic in order]),
            n_docs[order].astype(np.int64),
            np.asarray(counts.sum(axis=1), np.int64).ravel(),
            word_counts=counts,
            vocabulary=tree.vocabulary,
            beta=tree.beta,
            documents=Documents(renamed, in_level.astype(np.int64), before.ids, before.titles, before.classes),
            names=dict(sorted((int(place[topic]), name) for topic, name in self.names.items())),
        )
        if tree.seeds is not None:
            edited = replace(edited, seeds=self._seeds(tree.seeds, place, edited))
        edited.check()
        return edited, self.levels

    def _count(self, paths: NDArray[np.int32], place: NDArray[np.int64], n_topics: int) -> sparse.csr_array:
        """Count the words of the new topics: from the documents, or from the old topics that they are made of."""
        if self._corpus is not None:
            counts = count_words(self._corpus, paths, self.levels, n_topics)
        else:
            counts = self._gathered(self._counts, place, n_topics)
        counts.sort_indices()
        return counts

    def _gathered(self, counts: sparse.csr_array, place: NDArray[np.int64], n_topics: int) -> sparse.csr_array:
        """Add up rows of the old topics in those that took their words; rows of removed topics are left out."""
        new = place[self._counted_in]
        stays = np.flatnonzero(new >= 0)
        ones = np.ones(len(stays), np.int32)
        made_of = sparse.coo_array((ones, (new[stays], stays)), shape=(n_topics, len(self._tree))).tocsr()
        return sparse.csr_array(made_of @ counts)

    def _seeds(self, seeds: SeedPrior, place: NDArray[np.int64], tree: TopicTree) -> SeedPrior:
        """Return what seeds add to the new topics; seeded documents of removed topics follow the topic above."""
        counts = self._gathered(seeds.counts, place, len(tree))
        counts.sort_indices()
        n_docs = np.zeros(len(tree), np.int64)
        last = self.n_levels - 1
        for leaf in np.flatnonzero((self._tree.level == last) & (seeds.n_docs > 0)).tolist():
            topic = int(self._counted_in[leaf])
            while place[topic] < 0:
                topic = self.parent[topic]
            if topic > 0:
                while self.level[topic] < last:
                    topic = self.children[topic][0]
                for one in tree.path(int(place[topic])):
                    n_docs[one] += seeds.n_docs[leaf]
        return SeedPrior(counts, n_docs)
