"""The words of topics, their coherence, and where in the tree each word occurs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.evaluation.coherence import npmi_coherence
from topicgrove.explore.numbers import short
from topicgrove.words import TopicWords

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.tree import TopicTree

N_COHERENT = 10
"""Number of top words for coherence."""

LAMBDAS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""The page has the words that are most relevant by these values; by others, nearly all of them."""

N_PLACES = 10
"""Most topics listed for a word, those with the most of its tokens."""


@dataclass(frozen=True, eq=False)
class Words:
    """Words of one topic, the most probable first: ids, tokens and distinctiveness, and the topic's distance."""

    ids: NDArray[np.int64]
    counts: NDArray[np.int64]
    scores: NDArray[np.float64]
    distance: float

    def flat(self, place: dict[int, int]) -> list[float]:
        """Return concatenated triples for JSON; ``place`` numbers the page's words."""
        rows = zip(self.ids.tolist(), self.counts.tolist(), self.scores.tolist(), strict=True)
        return [value for word, count, score in rows for value in (place[word], count, short(score))]


def topic_words(tree: TopicTree, topics: NDArray[np.int64], n: int) -> list[Words]:
    """Return, for every topic, its n most probable words and its n most distinctive ones."""
    if tree.word_counts is None:
        none = np.zeros(0, np.int64)
        return [Words(none, none, np.zeros(0), 0.0)] * len(topics)
    return [_words(tree.topic_words, topic, n) for topic in topics.tolist()]


def _words(ranking: TopicWords, topic: int, n: int) -> Words:
    probable, _ = ranking.top(topic, n, "probability")
    apart, scores = ranking.distinctive(topic, n)
    ids = np.union1d(probable, apart)
    score = np.zeros(len(ids))
    score[np.searchsorted(ids, apart)] = scores
    tokens = ranking.tokens(topic, ids)
    order = np.argsort(-tokens, kind="stable")
    return Words(ids[order], tokens[order], score[order], ranking.distance(topic))


def with_relevant(
    tree: TopicTree, topics: NDArray[np.int64], words: list[Words], known: NDArray[np.int64], n: int
) -> list[Words]:
    """Add to every topic the n words known to the page that are most relevant (Sievert and Shirley, 2014).

    relevance(v | t) = lambda log p_tv + (1 - lambda) log(p_tv / p_v), where p_v is the word's share of all tokens.
    """
    if tree.word_counts is None:
        return words
    totals = np.asarray(tree.word_counts.sum(axis=0), np.float64).ravel()
    is_known = np.zeros(len(totals), np.bool_)
    is_known[known] = True
    log_share = np.log(np.maximum(totals, 1) / max(totals.sum(), 1))
    return [
        _with_others(one, tree.topic_words, topic, n, is_known, log_share)
        for one, topic in zip(words, topics.tolist(), strict=True)
    ]


def _with_others(
    one: Words,
    ranking: TopicWords,
    topic: int,
    n: int,
    is_known: NDArray[np.bool_],
    log_share: NDArray[np.float64],
) -> Words:
    ids, probabilities = ranking.probabilities(topic)
    ids, log_p = ids[is_known[ids]], np.log(np.maximum(probabilities[is_known[ids]], 1e-300))
    found = [one.ids]
    for weight in LAMBDAS:
        relevance = log_p - (1 - weight) * log_share[ids]
        found.append(ids[np.argpartition(-relevance, n)[:n]] if len(ids) > n else ids)
    others = np.setdiff1d(np.concatenate(found), one.ids)
    ids = np.concatenate([one.ids, others])
    counts = np.concatenate([one.counts, ranking.tokens(topic, others)])
    scores = np.concatenate([one.scores, np.zeros(len(others))])
    order = np.argsort(-counts, kind="stable")
    return Words(ids[order], counts[order], scores[order], one.distance)


def topic_figures(
    tree: TopicTree, topics: NDArray[np.int64], words: list[Words], corpus: Corpus | None
) -> dict[str, list[Any]]:
    """Return columns of the table of topics: NPMI of their top words in the corpus, and distance from all others."""
    npmi: list[float | None] = [None] * len(topics)
    if corpus is not None and tree.word_counts is not None:
        values = npmi_coherence([topic.ids[topic.counts > 0][:N_COHERENT].tolist() for topic in words], corpus)
        npmi = [None if np.isnan(value) else short(value) for value in values]
    return {"npmi": npmi, "distance": [short(topic.distance) for topic in words]}


@dataclass(frozen=True)
class Found:
    """The words that the page knows: their spelling, tokens and topics, and their numbers in the page."""

    names: list[str]
    totals: list[int]
    where: list[list[int]]
    place: dict[int, int]


def known_words(tree: TopicTree, used: set[int], n_words: int) -> NDArray[np.int64]:
    """Return the used words and the most frequent others, by frequency."""
    if tree.word_counts is None:
        return np.zeros(0, np.int64)
    totals = np.asarray(tree.word_counts.sum(axis=0), np.int64).ravel()
    by_total = np.argsort(-totals, kind="stable")
    wanted = np.zeros(len(totals), np.bool_)
    wanted[by_total[: max(n_words - len(used), 0)]] = True
    wanted[list(used)] = True
    wanted &= totals > 0
    return by_total[wanted[by_total]]


def where_table(tree: TopicTree, topics: NDArray[np.int64], ids: NDArray[np.int64]) -> Found:
    """Return the words that the page knows, each with the topics that have most of it."""
    if tree.word_counts is None:
        return Found([], [], [], {})
    totals = np.asarray(tree.word_counts.sum(axis=0), np.int64).ravel()
    columns = tree.word_counts[topics][:, ids].tocsc()
    where = []
    for word in range(len(ids)):
        inside = slice(columns.indptr[word], columns.indptr[word + 1])
        counts, places = columns.data[inside], columns.indices[inside]
        best = np.lexsort((places, -counts))[:N_PLACES]
        where.append(np.column_stack([places[best], counts[best]]).ravel().tolist())
    names = [str(word) if tree.vocabulary is None else tree.vocabulary[word] for word in ids.tolist()]
    return Found(names, totals[ids].tolist(), where, {word: i for i, word in enumerate(ids.tolist())})
