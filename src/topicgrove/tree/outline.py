"""The visible part of a tree, and the line of a topic, for terminals and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topicgrove.validation import check_whole
from topicgrove.words import By

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

JOINERS = "\u200c\u200d"
"""Invisible characters that spelling needs: in Persian and Indic words, and in emoji."""


class Branch(NamedTuple):
    """A visible topic, the branches below it, and its children that are too small to show."""

    topic: int
    children: list[Branch]
    small: list[int]


def outline(tree: TopicTree, min_docs: int = 1, max_depth: int | None = None) -> Branch:
    """Return the root's branch, with topics of at least ``min_docs`` documents, down to level ``max_depth``."""
    check_whole("min_docs", min_docs, 0)
    deepest = tree.n_levels - 1 if max_depth is None else check_whole("max_depth", max_depth, 0)
    branches = [Branch(topic, [], []) for topic in range(len(tree))]
    for topic in np.flatnonzero(tree.level <= deepest)[1:].tolist():
        above = branches[tree.parent[topic]]
        if tree.n_docs[topic] >= min_docs:
            above.children.append(branches[topic])
        else:
            above.small.append(topic)
    return branches[0]


def min_docs_for(tree: TopicTree, n_lines: int) -> int:
    """Return the least ``min_docs`` whose outline fits into ``n_lines`` lines, at least two."""
    return _largest_topics(tree, n_lines, 1, tree.n_levels - 1).min_docs


class Screenful(NamedTuple):
    """An outline that fits a screen: its ``min_docs`` and ``max_depth``, and the number of topics it shows."""

    min_docs: int
    max_depth: int
    n_topics: int


def screenful(tree: TopicTree, n_lines: int, min_docs: int = 1) -> Screenful:
    """Find the outline that fits into ``n_lines`` lines, two or more, and shows most topics of ``min_docs`` or more."""
    depths = range(1, max(2, tree.n_levels))
    return max((_largest_topics(tree, n_lines, min_docs, depth) for depth in depths), key=lambda one: one.n_topics)


def _largest_topics(tree: TopicTree, n_lines: int, least: int, max_depth: int) -> Screenful:
    """Find the least ``min_docs``, ``least`` or more, with which an outline down to ``max_depth`` fits."""
    n_docs, parent = tree.n_docs[tree.level <= max_depth], tree.parent[tree.level <= max_depth]
    for min_docs in sorted({least, *(size for size in (n_docs + 1).tolist() if size > least)}):
        shown = n_docs >= min_docs
        shown[0] = True
        with_small = np.unique(parent[~shown])
        if shown.sum() + shown[with_small].sum() <= n_lines:
            break
    return Screenful(int(min_docs), max_depth, int(shown.sum()))


def id_of(tree: TopicTree, topic: int) -> int:
    """Return a topic's id in the whole tree, for use in other calls."""
    return topic if tree.original_ids is None else int(tree.original_ids[topic])


def description(tree: TopicTree, topic: int, words: int, by: By) -> str:
    """Return a topic's name, if it has one, and its words, in safe characters."""
    found = [] if tree.word_counts is None or words == 0 else tree.top_words(topic, words, by)
    text = ", ".join(found)
    if topic in tree.names:
        text = f"{tree.names[topic]}: {text}" if text else tree.names[topic]
    if not text and tree.word_counts is not None:
        text = "(no words of its own)"
    return escape(text)


def small_topics(tree: TopicTree, small: list[int]) -> tuple[int, str]:
    """Return the documents of topics that are too small to show, and a phrase about them."""
    what = "smaller topic" if len(small) == 1 else "smaller topics"
    return int(tree.n_docs[small].sum()), f"in {len(small)} {what}"


def escape(text: str) -> str:
    r"""Return text that is safe to show, with control characters written as escapes.

    >>> escape("tree\x1b[2J"), escape("evil\u202etxt")
    ('tree\\x1b[2J', 'evil\\u202etxt')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode() for c in text)
