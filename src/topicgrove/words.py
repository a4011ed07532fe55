"""Words that describe topics: the most probable ones, and those that set a topic apart from its relatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.prior import check_choice, check_whole

By = Literal["probability", "distinctive"]


@dataclass(frozen=True, eq=False)
class TopicWords:
    """The words of a tree's topics, to be ranked. A word that has no token in a topic is never listed for it.

    Parameters
    ----------
    counts : CSR array of shape (T, V)
        C_tv, tokens of each word in each topic.
    parent : array of shape (T,)
        The parent's id; -1 for the root. Parents come before their children.
    beta : array of shape (T,)
        Dirichlet prior of each topic over words; 0 for none.

    Examples
    --------
    >>> counts = sparse.csr_array([[8, 0, 0], [4, 5, 0], [4, 0, 3]])
    >>> words = TopicWords(counts, np.array([-1, 0, 0]), np.zeros(3))
    >>> words.top(1, 2, "probability")[0].tolist(), words.top(1, 2, "distinctive")[0].tolist()
    ([1, 0], [1])
    """

    counts: sparse.csr_array
    parent: NDArray[np.int64]
    beta: NDArray[np.float64]

    def top(self, topic: int, n: int, by: By) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """At most n word ids with their scores, the largest score first, equal ones in the order of ids."""
        check_whole("n", n, 1)
        check_choice("by", by, ("probability", "distinctive"))
        words, scores = self.probabilities(topic) if by == "probability" else self.distinctiveness(topic)
        order = np.argsort(-scores, kind="stable")[:n]
        return words[order], scores[order]

    def probabilities(self, topic: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The posterior mean p(v | t) = (C_tv + beta_t) / (C_t + V beta_t) of the topic's words."""
        words, counts = _row(self._sorted, topic)
        beta = self.beta[topic]
        return words, (counts + beta) / max(counts.sum() + beta * self.counts.shape[1], 1)

    def distinctiveness(self, topic: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """p log(p / q) of the words that are more frequent in the topic than around it.

        p = C_tv / C_t is the word's share of the topic, and q its share of the topic, its siblings and its ancestors
        taken together; for the root, of all topics. Summed over all words this is how far, in nats, the topic is from
        its surroundings.
        """
        words, counts = _row(self._sorted, topic)
        around, total = self._surroundings(topic, words)
        ratio = counts * total / (max(counts.sum(), 1) * around)
        more = ratio > 1
        return words[more], counts[more] / counts.sum() * np.log(ratio[more])

    def _surroundings(self, topic: int, words: NDArray[np.int64]) -> tuple[NDArray[np.int64], float]:
        """Tokens of these words, and of all words, in the topic, its siblings and its ancestors."""
        above = self.parent[topic]
        if above < 0:
            return self._everywhere[words], float(self._everywhere.sum())
        family, counts = _row(self._children_together, above)
        around, total = _look_up(family, counts, words), int(counts.sum())
        while above >= 0:
            ancestor, counts = _row(self._sorted, above)
            around, total = around + _look_up(ancestor, counts, words), total + int(counts.sum())
            above = self.parent[above]
        return around, float(total)

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
    def _everywhere(self) -> NDArray[np.int64]:
        return np.asarray(self.counts.sum(axis=0), np.int64).ravel()

    @cached_property
    def _children_together(self) -> sparse.csr_array:
        """(T, V) tokens of each word in all children of a topic: never more entries than the counts have."""
        n_topics = len(self.parent)
        ones, children = np.ones(n_topics - 1, np.int64), np.arange(1, n_topics)
        sums = sparse.csr_array((ones, (self.parent[1:], children)), shape=(n_topics, n_topics)) @ self.counts
        sums.sort_indices()
        return sums


def _row(counts: sparse.csr_array, topic: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids and counts of a topic's words."""
    row = slice(counts.indptr[topic], counts.indptr[topic + 1])
    return counts.indices[row], counts.data[row]


def _look_up(words: NDArray[np.int64], counts: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts of the wanted words; 0 for those that are not among the words, which ascend."""
    if len(words) == 0:
        return np.zeros(len(wanted), np.int64)
    place = np.minimum(np.searchsorted(words, wanted), len(words) - 1)
    return np.where(words[place] == wanted, counts[place], 0)
