"""Documents whose words are in several branches: their topics, and the topics of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from topicgrove.explore.document_table import Selection

N_TOPICS = 24
"""Topics of a document that the page knows, those with most of its words first."""


def nearest_shown(selection: Selection) -> NDArray[np.int64]:
    """Return, for every topic of the whole tree, the position of the topic or its nearest ancestor in the page."""
    parent = selection.tree.parent
    place = np.full(len(parent), -1, np.int64)
    place[selection.topics] = np.arange(len(selection.topics))
    for topic in range(1, len(parent)):
        if place[topic] < 0:
            place[topic] = place[parent[topic]]
    return place


def spread_of(selection: Selection, d: int, n: int = N_TOPICS) -> list[int] | None:
    """Return flat pairs of topics and their words in a document, most words first; None where it has a single path."""
    documents = selection.tree.documents
    if documents is None or documents.topic_counts is None:
        return None
    counts = documents.topic_counts
    row = slice(counts.indptr[d], counts.indptr[d + 1])
    places = selection.nearest[counts.indices[row]]
    totals = np.bincount(places[places >= 0], weights=counts.data[row][places >= 0]).astype(np.int64)
    best = np.argsort(-totals, kind="stable")[:n]
    return [value for topic in best.tolist() if totals[topic] for value in (topic, int(totals[topic]))]


class WordTopics:
    """The levels of a document's words, called one after the other; notes their topics in ``topics``.

    A word's topic is as drawn if that is known, or else the most probable one of the document's topics.
    """

    def __init__(self, selection: Selection, d: int) -> None:
        self._selection = selection
        self._d = d
        self._drawn: dict[int, list[int]] = {}
        self.topics: list[int] = []
        corpus, token_topics = selection.corpus, selection.token_topics
        if corpus is not None and token_topics is not None:
            inside = slice(corpus.offsets[d], corpus.offsets[d + 1])
            for word, topic in zip(corpus.words[inside].tolist(), token_topics[inside].tolist(), strict=True):
                self._drawn.setdefault(word, []).append(topic)

    def __call__(self, word: int) -> int:
        """Return the level of a word's topic; called again, that of its next token."""
        topics = self._drawn.get(word)
        if topics:
            topic = topics.pop(0) if len(topics) > 1 else topics[0]
        else:
            topic = self._most_probable(word)
        self.topics.append(int(self._selection.nearest[topic]))
        return int(self._selection.tree.level[topic])

    def of_bag(self, bag: list[tuple[int, int, int]]) -> list[int]:
        """Return the topic of most tokens of each word in a bag, after it was made."""
        topics, end = [], 0
        for _, n, _ in bag:
            seen = self.topics[end : end + n]
            topics.append(max(set(seen), key=seen.count))
            end += n
        return topics

    def _most_probable(self, word: int) -> int:
        """Return argmax_t C_dt C_tv / C_t."""
        tree = self._selection.tree
        assert tree.documents is not None
        assert tree.documents.topic_counts is not None
        assert tree.word_counts is not None
        own, counts = tree.documents.topic_counts, tree.word_counts
        row = slice(own.indptr[self._d], own.indptr[self._d + 1])
        topics = own.indices[row].tolist()
        rows = [slice(counts.indptr[topic], counts.indptr[topic + 1]) for topic in topics]
        inside = np.array([counts.data[here][counts.indices[here] == word].sum() for here in rows])
        if len(topics) == 0:
            return 0
        return int(topics[int(np.argmax(own.data[row] * inside / np.maximum(tree.n_tokens[topics], 1)))])
