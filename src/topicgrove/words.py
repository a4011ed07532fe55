"""Words that describe topics: the most probable ones, and the most distinctive ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.validation import check_choice, check_whole

By = Literal["probability", "distinctive"]

N_SHOWN = 8
"""Number of words per topic that a tree shows by default."""

LIFT = 0.5
"""Weight of a topic's tokens in its parent's branch."""

RARE = 1e-4
"""Added to the share of each word of all tokens: rare names are not distinctive for being rare."""

FEW_REPEATS, REPEATED_SHARE = 3.0, 0.02
"""Most occurrences of a word that count, on average over a topic's documents: this many, or this share of the mean
document length. A few documents that repeat a word hundreds of times do not represent a branch."""

NOTHING = 1e-12
"""Scores below this are 0 up to rounding."""

NO_WORDS = np.zeros(0, np.int64)

Ranked = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Word ids and their scores, the largest first."""


@dataclass(frozen=True, eq=False)
class TopicWords:
    """Rankings of the words of a tree's topics.

    Parameters
    ----------
    counts : CSR array of shape (T, V)
        C_tv, tokens of each word in each topic.
    parent : array of shape (T,)
        The parent's id; -1 for the root. Parents come before their children.
    beta : array of shape (T,)
        Dirichlet prior of each topic over words; 0 for none.
    n_docs : array of shape (T,)
        Documents whose path goes through a topic.
    is_root_silent : bool, default=False
        Whether a root without tokens has no distinctive words, instead of some of the words below it.

    Notes
    -----
    The distinctive words of a topic are those with the largest p log(p / q). q is a word's share of all tokens, plus
    one in ten thousand. p is its share of the topic's branch, in which the topic's own tokens count 1, those of its
    children 1/2, those of their children 1/4, and so on; a branch without tokens has those of the nearest ancestor.

    Topics choose their words in rounds of eight, ancestors before their descendants and larger siblings before smaller
    ones, and skip what an ancestor, a descendant or a sibling has already chosen. So asking for more words adds
    some and changes none. A topic chooses at most its share of the words of its branch, so that all topics
    of the branch have words.

    The root has nothing to be compared with. It shows those of its words that tell its children apart, with the largest
    p I, where p is the word's share of the root's own tokens and I how much, in nats, it tells about the child.

    Examples
    --------
    >>> counts = sparse.csr_array([[8, 0, 0], [4, 5, 0], [4, 0, 3]])
    >>> words = TopicWords(counts, np.array([-1, 0, 0]), np.zeros(3), np.array([9, 5, 4]))
    >>> words.top(1, 2, "probability")[0].tolist(), words.top(1, 2, "distinctive")[0].tolist()
    ([1, 0], [1])
    """

    counts: sparse.csr_array
    parent: NDArray[np.int64]
    beta: NDArray[np.float64]
    n_docs: NDArray[np.int64]
    is_root_silent: bool = False
    _rounds: list[list[Ranked]] = field(default_factory=list, init=False, repr=False)

    def top(self, topic: int, n: int, by: By) -> Ranked:
        """Return at most n word ids with their scores, the largest score first, ties in the order of ids."""
        check_whole("n", n, 1)
        check_choice("by", by, ("probability", "distinctive"))
        return self.distinctive(topic, n) if by == "distinctive" else _largest(*self.probabilities(topic), n)

    def probabilities(self, topic: int) -> Ranked:
        """Return the posterior mean p(v | t) = (C_tv + beta_t) / (C_t + V beta_t) of the topic's words, by id."""
        words, counts = _row(self._sorted, topic)
        beta = self.beta[topic]
        return words, (counts + beta) / max(counts.sum() + beta * self.counts.shape[1], 1)

    def distinctive(self, topic: int, n: int) -> Ranked:
        """Return at most n words that set a topic apart.

        If other topics have chosen all of its words, they are repeated, so a topic with tokens in its branch or above
        it always has words.
        """
        chosen = []
        for number in range(-(-n // N_SHOWN)):
            chosen.append(self._round(number)[topic])
            if len(chosen[-1][0]) < N_SHOWN:
                break
        words, scores = (np.concatenate(parts)[:n] for parts in zip(*chosen, strict=True))
        return words, scores

    def scored(self, topic: int) -> Ranked:
        """The words of a topic and of those below it, with the scores by which they set it apart."""
        words, _, scores = self._scored(topic)
        return words, scores

    def tokens(self, topic: int, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return C_tv of some words."""
        return np.asarray(self.counts[[topic]][:, words].toarray()[0], np.int64)

    def distance(self, topic: int) -> float:
        """Return a topic's distance from all others, in nats: the sum of the scores of words more frequent in it."""
        scores = self._scored(topic)[2]
        return float(scores[scores > 0].sum())

    def _round(self, number: int) -> list[Ranked]:
        """Return the words that every topic chooses in a round."""
        while len(self._rounds) <= number:
            self._rounds.append(self._choose())
        return self._rounds[number]

    def _choose(self) -> list[Ranked]:
        """Return what every topic chooses in the next round, given the earlier rounds."""
        before = [np.concatenate([NO_WORDS, *(words[t][0] for words in self._rounds)]) for t in range(len(self.parent))]
        below, families = [NO_WORDS] * len(before), [NO_WORDS] * len(before)
        for topic, above in reversed(list(enumerate(self.parent[1:].tolist(), start=1))):
            families[above] = np.append(families[above], before[topic])
            below[above] = np.concatenate([below[above], before[topic], below[topic]])
        chosen = [self._ranked(0, before[0], below[0])]
        paths = [np.append(before[0], chosen[0][0])]
        for topic, above in enumerate(self.parent[1:].tolist(), start=1):
            taken = np.concatenate([paths[above], families[above], below[topic]])
            chosen.append(self._ranked(topic, before[topic], taken))
            families[above] = np.append(families[above], chosen[topic][0])
            paths.append(np.concatenate([paths[above], before[topic], chosen[topic][0]]))
        return chosen

    def _ranked(self, topic: int, before: NDArray[np.int64], taken: NDArray[np.int64]) -> Ranked:
        """Return the best words that are not taken, ranked by share if none sets the topic apart.

        ``before`` has the words of earlier rounds. If words are few, a topic leaves some to the topics below it.
        """
        if topic == 0 and self.is_root_silent and self.counts.indptr[1] == 0:
            return NO_WORDS, np.zeros(0)
        words, shares, scores = self._scored(topic)
        most = max(1, len(words) // int(self._reach.indptr[topic + 1] - self._reach.indptr[topic]))
        is_free = np.ones(self.counts.shape[1], np.bool_)
        is_free[taken] = is_free[before] = False
        free = is_free[words]
        choices = [(free & (scores > NOTHING), scores), (free, shares), (shares > 0, shares)]
        if len(before):
            apart = np.any(scores[np.isin(words, before)] > NOTHING)
            choices = choices[:1] if apart else choices[1:2]
        kept, values = next((choice for choice in choices if choice[0].any()), choices[0])
        return _largest(words[kept], values[kept], max(0, min(N_SHOWN, most - len(before))))

    def _scored(self, topic: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the word ids of a branch, their shares p of it, and their scores."""
        row = slice(self._branches.indptr[topic], self._branches.indptr[topic + 1])
        words, shares = self._branches.indices[row], self._branches.data[row]
        return words, shares, self._root_scores[words] if topic == 0 else shares * np.log(shares / self._shares[words])

    @cached_property
    def _sorted(self) -> sparse.csr_array:
        """The counts with ascending words and no zeros."""
        if self.counts.has_canonical_format and self.counts.data.all():
            return self.counts
        counts = self.counts.copy()
        counts.sum_duplicates()
        counts.eliminate_zeros()
        return counts

    @cached_property
    def _weights(self) -> sparse.csr_array:
        """The counts, without what a few documents repeat too often."""
        counts = self._sorted
        mean_length = counts.sum() / max(self.n_docs[0], 1)
        most = max(FEW_REPEATS, REPEATED_SHARE * mean_length) * np.maximum(self.n_docs, 1)
        data = np.minimum(counts.data, np.repeat(most, np.diff(counts.indptr)))
        return sparse.csr_array((data, counts.indices, counts.indptr), counts.shape)

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """q_v, the share of each word of all tokens, plus ``RARE``."""
        tokens = self._weights.sum(axis=0)
        return np.asarray(tokens / max(tokens.sum(), 1) + RARE)

    @cached_property
    def _reach(self) -> sparse.csr_array:
        """(T, T) weights 2^-k of topics k levels below a topic, itself included.

        If none of these has a token, the nearest ancestor with tokens replaces them.
        """
        n_topics = len(self.parent)
        halves, children = np.full(n_topics - 1, LIFT), np.arange(1, n_topics)
        lift = sparse.csr_array((halves, (self.parent[1:], children)), (n_topics, n_topics))
        reach = lifted = sparse.eye_array(n_topics, format="csr")
        while lifted.nnz:
            lifted = lift @ lifted
            reach = reach + lifted
        tokens, nearest = self._weights.sum(axis=1), np.arange(n_topics)
        for topic in np.flatnonzero(tokens[1:] == 0) + 1:
            nearest[topic] = nearest[self.parent[topic]]
        empty = np.flatnonzero(reach @ tokens == 0)
        return reach + sparse.csr_array((np.ones(len(empty)), (empty, nearest[empty])), reach.shape)

    @cached_property
    def _branches(self) -> sparse.csr_array:
        """(T, V) shares p_tv of each word of the branches."""
        branches = self._reach @ self._weights
        branches.sort_indices()
        branches.data /= np.repeat(branches.sum(axis=1), np.diff(branches.indptr))
        return branches

    @cached_property
    def _root_scores(self) -> NDArray[np.float64]:
        """p_v I_v of all words, where I_v = sum_t p(t | v) log(p(v | t) / p(v)), over the root's children t."""
        children = np.flatnonzero(self.parent == 0)
        branches, n_words = self._branches[children], self.counts.shape[1]
        n_docs = np.maximum(self.n_docs[children], 1)
        joint = branches.data * np.repeat(n_docs / n_docs.sum(), np.diff(branches.indptr))
        share = np.bincount(branches.indices, joint, n_words)
        nats = np.bincount(branches.indices, joint * np.log(branches.data / share[branches.indices]), n_words)
        own, tokens = _row(self._weights, 0)
        scores = np.zeros(n_words)
        scores[own] = tokens / max(tokens.sum(), 1) * nats[own] / np.maximum(share[own], NOTHING)
        return scores


def _row(counts: sparse.csr_array, topic: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids and counts of a topic's words."""
    row = slice(counts.indptr[topic], counts.indptr[topic + 1])
    return counts.indices[row], counts.data[row]


def _largest(words: NDArray[np.int64], scores: NDArray[np.float64], n: int) -> Ranked:
    """Return the n words with the largest scores, ties in their given order."""
    if len(words) > n > 0:
        candidates = scores >= np.partition(scores, -n)[-n]
        words, scores = words[candidates], scores[candidates]
    order = np.argsort(-scores, kind="stable")[:n]
    return words[order], scores[order]
