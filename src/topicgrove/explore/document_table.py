"""The documents that the page shows or finds, with their places in the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.explore.numbers import short
from topicgrove.explore.passages import LevelOf, Passage, bag_of, passage_of, word_levels
from topicgrove.explore.several_paths import WordTopics, nearest_shown, spread_of
from topicgrove.tree.placed_documents import representatives

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus, TextRules
    from topicgrove.tree import TopicTree

TITLE_CHARACTERS = 160


@dataclass(frozen=True, eq=False)
class Selection:
    """The shown topics of a tree, and what is known about its documents."""

    tree: TopicTree
    topics: NDArray[np.int64]
    corpus: Corpus | None = None
    texts: Mapping[int, str] = field(default_factory=dict)
    token_levels: NDArray[np.uint8] | None = None
    rules: TextRules | None = None
    token_topics: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        if self.corpus is not None:
            _check_corpus(self.corpus, self.tree)

    @cached_property
    def leaves(self) -> NDArray[np.int64]:
        """Position, among the shown topics, of the deepest one on each document's path; -1 for none."""
        assert self.tree.documents is not None
        place = np.full(len(self.tree) + 1, -1, np.int64)
        place[self.topics] = np.arange(len(self.topics))
        # Topics are numbered level by level, so the deepest is the largest.
        return np.asarray(place[self.tree.documents.paths].max(axis=1))

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """Position of every topic of the tree, or of its nearest ancestor, among the shown topics."""
        return nearest_shown(self)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """Word ids by spelling."""
        return {word: i for i, word in enumerate(self.tree.vocabulary or ())}


@dataclass(frozen=True)
class DocumentTable:
    """Rows of documents, the representative documents of every topic, and the rows' numbers of documents."""

    rows: list[dict[str, Any]]
    of_topics: list[list[float]]
    numbers: list[int] = field(default_factory=list)

    @property
    def words(self) -> set[int]:
        """Ids of the words in bags."""
        return {word for row in self.rows for word, _, _ in row["bag"] or ()}

    def columns(self, place: Mapping[int, int]) -> dict[str, list[Any]]:
        """Return the table for JSON; ``place`` numbers the page's words."""
        for row in self.rows:
            if row["bag"] is not None:
                row["bag"] = [value for word, n, level in row["bag"] for value in (place[word], n, level)]
        names = ("name", "title", "leaf", "levels", "text", "bag", "spread", "word_topics")
        return {name: [row[name] for row in self.rows] for name in names}


def document_table(selection: Selection, n_documents: int, n_found: int) -> DocumentTable:
    """Make a table of n representative documents per topic, and others across the corpus, up to n_found in all."""
    tree = selection.tree
    if tree.documents is None or len(tree.documents) == 0:
        return DocumentTable([], [[] for _ in selection.topics])
    chosen = chosen_documents(tree, selection.topics, n_documents)
    shown = {d for topic in chosen for d, _ in topic}
    others = [d for d in np.flatnonzero(selection.leaves >= 0).tolist() if d not in shown]
    n_others = min(max(n_found - len(shown), 0), len(others))
    spread = np.linspace(0, len(others) - 1, n_others).round().astype(int).tolist() if n_others else []
    numbers = sorted(shown.union(others[i] for i in spread))
    row_of = {d: row for row, d in enumerate(numbers)}
    rows = [_row(selection, d, with_text=d in shown) for d in numbers]
    of_topics = [[v for d, share in topic for v in (row_of[d], short(share))] for topic in chosen]
    return DocumentTable(rows, of_topics, numbers)


def chosen_documents(tree: TopicTree, topics: NDArray[np.int64], n: int) -> list[list[tuple[int, float]]]:
    """Return numbers and shares of the representative documents of each topic.

    >>> from topicgrove.tree import Documents, TopicTree
    >>> documents = Documents(np.array([[0], [0]]), np.array([[2], [3]]))
    >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([2]), np.array([5]), documents=documents)
    >>> chosen_documents(tree, np.array([0]), 1)
    [[(0, 1.0)]]
    """
    if tree.documents is None or n == 0:
        return [[] for _ in topics]
    best = (representatives(tree.documents, topic, int(tree.level[topic]), n) for topic in topics.tolist())
    return [[(one.index, one.share) for one in found] for found in best]


def _row(selection: Selection, d: int, *, with_text: bool) -> dict[str, Any]:
    documents = selection.tree.documents
    assert documents is not None
    title = "" if documents.titles is None else documents.titles[d]
    row: dict[str, Any] = {
        "name": str(d) if documents.ids is None else documents.ids[d],
        "title": _cut(title, TITLE_CHARACTERS),
        "leaf": int(selection.leaves[d]),
        "levels": documents.level_counts[d].tolist(),
        "text": None,
        "bag": None,
        "spread": spread_of(selection, d),
        "word_topics": None,
    }
    if with_text:
        text = selection.texts.get(d)
        levels = _levels_of(selection, d)
        passage: Passage | None = passage_of(title if text is None else text, selection, levels)
        row["text"] = None if passage is None else [passage.pieces, passage.levels]
        if text is None and selection.corpus is not None:
            levels = _levels_of(selection, d)
            row["bag"] = bag_of(selection.corpus, d, levels)
        if isinstance(levels, WordTopics):
            row["word_topics"] = levels.topics if row["bag"] is None else levels.of_bag(row["bag"])
    return row


def _levels_of(selection: Selection, d: int) -> LevelOf:
    """Return a function to the levels of a document's words."""
    documents = selection.tree.documents
    if documents is not None and documents.topic_counts is not None and selection.tree.word_counts is not None:
        return WordTopics(selection, d)
    return word_levels(selection.tree, d, selection.corpus, selection.token_levels)


def _cut(text: str, n: int) -> str:
    return text if len(text) <= n else text[: n - 1].rstrip() + "…"


def _check_corpus(corpus: Corpus, tree: TopicTree) -> None:
    documents = tree.documents
    n_docs = 0 if documents is None else len(documents)
    if documents is None or corpus.n_docs != n_docs:
        raise ValueError(f"corpus has {corpus.n_docs} documents, but the tree was learned from {n_docs}")
    different = np.flatnonzero(corpus.document_lengths != documents.level_counts.sum(axis=1))
    if len(different):
        raise ValueError(f"corpus is not what the tree was learned from: document {different[0]} has other words")
    if tree.vocabulary is not None and corpus.vocabulary is not None and corpus.vocabulary != tree.vocabulary:
        raise ValueError("corpus has another vocabulary than the tree")
