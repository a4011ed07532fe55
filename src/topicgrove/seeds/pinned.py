"""Seeds as documents that stay in their place.

A Dirichlet prior that has seen n tokens of a word is the prior with n more in that word's parameter. So seeds are
tokens of *pinned* documents, which are never drawn: in a seeded topic, beta + n stands for beta in each of its words.
The nCRP has seen the pinned documents, too, one for each topic without topics below it in the taxonomy. The seeded
topics therefore exist before any document comes, and never die.

phi_t ~ Dir(beta_l + n [v is a word of t]),    p(c_1, ..., c_D | paths of the pinned documents) under the nCRP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.seeds.taxonomy import SeedTopic

Longs = NDArray[np.int64]


class Pinned(NamedTuple):
    """The pinned documents, and where the topics of the taxonomy are on their paths."""

    names: tuple[str, ...]  # [S] of the seeded topics
    parent: Longs  # [S] position of the topic above; -1 on level 1
    level: Longs  # [S]
    document: Longs  # [S] a pinned document whose path goes through the topic
    seeded_levels: Longs  # [P] level of the last seeded topic on a document's path
    offsets: Longs  # [P + 1]
    words: NDArray[np.int32]  # tokens, sorted by word inside a document
    levels: NDArray[np.uint8]  # the level of each
    word_ids: tuple[Longs, ...]  # [S] the words of the seeded topics

    @property
    def n_docs(self) -> int:
        """Number of pinned documents."""
        return len(self.seeded_levels)

    def added_to(self, corpus: Corpus) -> Corpus:
        """Return the corpus with the pinned documents at its end."""
        words = np.concatenate([corpus.words, self.words])
        offsets = np.append(corpus.offsets, corpus.n_tokens + self.offsets[1:])
        return replace(corpus, words=words, offsets=offsets, ids=None, titles=None, classes=None)

    def keys(self, n_levels: int) -> list[Longs]:
        """Return, for each level below the root, numbers that pinned documents in one topic share.

        A seeded topic has its position; below the last one, every document goes its own way.
        """
        keys = []
        for level in range(1, n_levels):
            key = len(self.names) + np.arange(self.n_docs)
            for topic in np.flatnonzero(self.level == level).tolist():
                key[self.is_below(topic)] = topic
            keys.append(key)
        return keys

    def is_below(self, topic: int) -> NDArray[np.bool_]:
        """Mark the pinned documents whose paths go through a seeded topic."""
        inside = np.zeros(self.n_docs, np.bool_)
        for other in range(len(self.names)):
            above = other
            while above >= 0 and above != topic:
                above = int(self.parent[above])
            inside[self.document[other]] |= above == topic
        return inside


def pin(topics: Sequence[SeedTopic], word_ids: Sequence[Longs], weight: int) -> Pinned:
    """Make the pinned documents of a taxonomy; each word of a topic counts ``weight`` tokens.

    >>> topics = [SeedTopic("space", -1, 1, ()), SeedTopic("moon", 0, 2, ()), SeedTopic("mars", 0, 2, ())]
    >>> pinned = pin(topics, [np.array([7]), np.array([3]), np.array([5])], weight=2)
    >>> pinned.words.tolist(), pinned.levels.tolist(), pinned.offsets.tolist()
    ([3, 3, 7, 7, 5, 5], [2, 2, 1, 1, 2, 2], [0, 4, 6])
    """
    parent = np.array([topic.parent for topic in topics], np.int64)
    level = np.array([topic.level for topic in topics], np.int64)
    is_last = ~np.isin(np.arange(len(topics)), parent)
    # Depth first, so the document of a topic is that of the next topic without topics below it.
    document: Longs = np.cumsum(is_last) - is_last
    tokens: list[list[tuple[int, int]]] = [[] for _ in range(int(is_last.sum()))]
    for topic, ids in enumerate(word_ids):
        tokens[document[topic]] += [(word, int(level[topic])) for word in ids.tolist()] * weight
    pairs = [pair for some in tokens for pair in sorted(some)]
    return Pinned(
        names=tuple(topic.name for topic in topics),
        parent=parent,
        level=level,
        document=document,
        seeded_levels=level[is_last],
        offsets=np.cumsum([0, *map(len, tokens)], dtype=np.int64),
        words=np.array([word for word, _ in pairs], np.int32),
        levels=np.array([on for _, on in pairs], np.uint8),
        word_ids=tuple(word_ids),
    )


class SeedPrior(NamedTuple):
    """What seeds add to the prior of a tree's topics."""

    counts: sparse.csr_array  # [T, V] added to beta
    n_docs: Longs  # [T] pinned documents

    def part_of(self, rows: Longs, n_topics: int) -> SeedPrior:
        """Return the same for topics with other numbers: topic t becomes ``rows[t]``."""
        n_docs = np.zeros(n_topics, np.int64)
        n_docs[rows] = self.n_docs
        counts = self.counts.tocoo()
        moved = sparse.coo_array((counts.data, (rows[counts.coords[0]], counts.coords[1])), (n_topics, counts.shape[1]))
        return SeedPrior(moved.tocsr(), n_docs)


def seed_prior(pinned: Pinned, paths: NDArray[np.integer], n_topics: int, n_words: int) -> SeedPrior:
    """Count what pinned documents on these paths add to each topic."""
    document = np.repeat(np.arange(pinned.n_docs), np.diff(pinned.offsets))
    topic = paths[document, pinned.levels]
    ones = np.ones(len(topic), np.int32)
    counts = sparse.coo_array((ones, (topic, pinned.words)), shape=(n_topics, n_words)).tocsr()
    return SeedPrior(counts, np.bincount(paths.ravel(), minlength=n_topics).astype(np.int64))


def settled(pinned: Pinned, paths: NDArray[np.integer], parent: Longs, n_docs: Longs) -> NDArray[np.int64]:
    """Return paths of the pinned documents that go through the topics with most documents below their seeds.

    Topics are in breadth-first order. Where no topic has a document, a path stays.

    >>> topics = [SeedTopic("space", -1, 1, ())]
    >>> pinned = pin(topics, [np.array([7])], weight=1)
    >>> settled(pinned, np.array([[0, 1, 3]]), np.array([0, 0, 0, 1, 1]), np.array([6, 4, 2, 0, 4])).tolist()
    [[0, 1, 4]]
    """
    now: Longs = paths.astype(np.int64)
    for path, level in zip(now, pinned.seeded_levels.tolist(), strict=True):
        for below in range(level + 1, len(path)):
            children = np.flatnonzero(parent == path[below - 1])
            children = children[children > path[below - 1]]
            best = children[np.argmax(n_docs[children])]
            if n_docs[best] > 0:
                path[below] = best
    return now
