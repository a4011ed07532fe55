"""Search for topics by words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicgrove.validation import check_whole

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

PREFIX = 0.5
"""Weight of a match with the beginning of a word, relative to the whole word."""

NAMED = 1.0
"""Weight of a name that users gave; words weigh their distinctiveness, which is less."""


@dataclass(frozen=True)
class FoundTopic:
    """A topic found by its words: which of them match, and how much they set it apart.

    >>> FoundTopic(topic=3, name="space", words=("moon",), n_terms=1, score=0.5).words
    ('moon',)
    """

    topic: int
    name: str
    words: tuple[str, ...]
    n_terms: int
    score: float


def find(tree: TopicTree, words: str, n: int = 10) -> list[FoundTopic]:
    """Find topics by one or more words, or beginnings of words; the best topics come first.

    Topics with more of the words come before topics with fewer. Among these, topics rank by how much the words set them
    and the topics below them apart. The search includes names that users gave.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    words : str
        Words separated by blanks, in upper or lower case.
    n : int, default=10
        Maximum number of topics.

    Returns
    -------
    list of FoundTopic
        With fields topic, name, words (the topic's matching words), n_terms and score.

    Examples
    --------
    >>> from scipy import sparse
    >>> from topicgrove import TopicTree
    >>> counts = sparse.csr_array([[5, 1, 0, 0], [1, 4, 2, 0], [0, 0, 0, 3]])
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([3, 2, 1]), np.array([6, 7, 3]),
    ...     word_counts=counts, vocabulary=("the", "moon", "orbit", "goal"))
    >>> [(found.topic, found.words) for found in tree.find("Moon orb")][:1]
    [(1, ('moon', 'orbit'))]
    """
    check_whole("n", n, 1)
    terms = words.lower().split()
    if not terms:
        raise ValueError("words must have at least one word")
    if tree.vocabulary is None:
        raise ValueError("this tree has no words to look in; set_vocabulary of the model gives it some")
    matches = [_matches(tree.vocabulary, term) for term in terms]
    found = [one for topic in range(len(tree)) if (one := _found(tree, topic, terms, matches)) is not None]
    return sorted(found, key=lambda one: (-one.n_terms, -one.score, one.topic))[:n]


def _matches(vocabulary: tuple[str, ...], term: str) -> dict[int, float]:
    """Return ids of words that equal a term, or begin with it; in a phrase, any word may match."""
    start = f" {term}"
    return {
        i: 1.0 if f" {word.lower()} ".find(f"{start} ") >= 0 else PREFIX
        for i, word in enumerate(vocabulary)
        if start in f" {word.lower()}"
    }


def _found(tree: TopicTree, topic: int, terms: list[str], matches: list[dict[int, float]]) -> FoundTopic | None:
    source, original = tree, topic
    if tree.source is not None and tree.original_ids is not None:
        source, original = tree.source, int(tree.original_ids[topic])
    ids, scores = source.topic_words.scored(original)
    score_of = {int(ids[at]): float(scores[at]) for at in np.flatnonzero(np.isin(ids, [*set().union(*matches)]))}
    name = tree.names.get(topic, "").lower()
    shown: list[str] = []
    n_terms, total = 0, 0.0
    for term, ways in zip(terms, matches, strict=True):
        best = max(((max(score_of[i], 0.0) * weight, i) for i, weight in ways.items() if i in score_of), default=None)
        is_named = f" {term}" in f" {name}"
        n_terms += is_named or best is not None
        total += NAMED * is_named
        if best is not None:
            assert tree.vocabulary is not None
            total += best[0]
            shown.append(tree.vocabulary[best[1]])
    if not n_terms:
        return None
    return FoundTopic(topic, tree.name(topic), tuple(dict.fromkeys(shown)), n_terms, total)
