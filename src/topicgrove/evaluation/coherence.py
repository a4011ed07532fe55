"""Coherence of topics: do their top words occur together?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus import Corpus
from topicgrove.evaluation.cooccurrence import Occurrences, count_together, in_documents, in_sliding_windows
from topicgrove.evaluation.json_values import mean_or_none, numbers_or_none

EPSILON = 1e-12
"""Added to probabilities of pairs, as in the literature, so that their logarithm is finite."""


@dataclass(frozen=True, eq=False)
class Coherence:
    """NPMI and C_v of every topic; NaN for topics with fewer than two words.

    Examples
    --------
    >>> Coherence(npmi=np.array([0.5, np.nan]), c_v=np.array([0.75, np.nan])).to_dict()
    {'npmi': 0.5, 'npmi_per_topic': [0.5, None], 'c_v': 0.75, 'c_v_per_topic': [0.75, None]}
    """

    npmi: NDArray[np.float64]
    c_v: NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """Return means over topics and the value of each, None if undefined."""
        return {
            "npmi": mean_or_none(self.npmi),
            "npmi_per_topic": numbers_or_none(self.npmi),
            "c_v": mean_or_none(self.c_v),
            "c_v_per_topic": numbers_or_none(self.c_v),
        }


def topic_coherence(top_words: Sequence[Sequence[int]], corpus: Any) -> Coherence:
    """Compute NPMI and C_v over documents in one pass: see `npmi_coherence` and `cv_coherence`.

    Examples
    --------
    >>> topic_coherence([[0, 1], [0, 2]], [[1, 1, 0], [2, 1, 0], [0, 0, 3], [1, 0, 1]]).npmi.round(3)
    array([ 0.415, -0.292])
    """
    topics = _as_topics(top_words)
    confirmations = _pair_npmi(topics, _occurrences(topics, corpus, None, None))
    npmi = np.array([_mean_of_pairs(pairs) for pairs in confirmations])
    return Coherence(npmi, np.array([_mean_cosine(pairs) for pairs in confirmations]))


def npmi_coherence(
    top_words: Sequence[Sequence[int]],
    corpus: Any = None,
    *,
    texts: Iterable[Iterable[int]] | None = None,
    window: int | None = 10,
) -> NDArray[np.float64]:
    """Compute the mean normalised pointwise mutual information of pairs of a topic's words: from -1 to 1.

    npmi(v, w) = log(p(v, w) / (p(v) p(w))) / -log p(v, w), where p is the probability that a window contains the words.
    A corpus has no order of words: its windows are whole documents. Over texts, windows slide token by token.

    Parameters
    ----------
    top_words : sequence of sequences of int
        Word ids, one sequence per topic; all different within a topic.
    corpus : Corpus or counts of shape (n_docs, n_words), default=None
        Where words are looked up. Give either this or `texts`.
    texts : iterable of iterables of int, default=None
        Documents as word ids in the order of the text. Ids outside all topics only take up space in windows.
    window : int or None, default=10
        Tokens in a window over `texts`; None means whole texts.

    Returns
    -------
    array of shape (n_topics,)
        NaN for a topic with fewer than two words. Pairs with a word that never occurs count as 0, like
        independent words.

    References
    ----------
    G. Bouma (2009), Normalized (pointwise) mutual information in collocation extraction.
    M. Röder, A. Both, A. Hinneburg (2015), Exploring the space of topic coherence measures.

    Examples
    --------
    >>> npmi_coherence([[0, 1], [0, 2]], [[1, 1, 0], [2, 1, 0], [0, 0, 3], [1, 0, 1]]).round(3)
    array([ 0.415, -0.292])
    >>> npmi_coherence([[0, 1]], texts=[[0, 1, 2, 2, 0, 2]], window=2).round(3)
    array([-0.113])
    """
    topics = _as_topics(top_words)
    confirmations = _pair_npmi(topics, _occurrences(topics, corpus, texts, window))
    return np.array([_mean_of_pairs(pairs) for pairs in confirmations])


def cv_coherence(
    top_words: Sequence[Sequence[int]],
    corpus: Any = None,
    *,
    texts: Iterable[Iterable[int]] | None = None,
    window: int | None = 110,
) -> NDArray[np.float64]:
    """Compute C_v: how similar the contexts of a topic's words are, mostly from 0 to 1.

    A word's vector holds its NPMI with each word of the topic, itself included; C_v is the mean cosine between
    the vector of a word and the sum of them all.

    Parameters
    ----------
    top_words, corpus, texts
        As for `npmi_coherence`.
    window : int or None, default=110
        Tokens in a window over `texts`; None means whole texts.

    Returns
    -------
    array of shape (n_topics,)
        NaN for a topic with fewer than two words. A word that never occurs has cosine 0.

    References
    ----------
    M. Röder, A. Both, A. Hinneburg (2015), Exploring the space of topic coherence measures.

    Examples
    --------
    >>> cv_coherence([[0, 1], [0, 2]], [[1, 1, 0], [2, 1, 0], [0, 0, 3], [1, 0, 1]]).round(3)
    array([0.924, 0.48 ])
    """
    topics = _as_topics(top_words)
    confirmations = _pair_npmi(topics, _occurrences(topics, corpus, texts, window))
    return np.array([_mean_cosine(pairs) for pairs in confirmations])


def _pair_npmi(topics: list[NDArray[np.int64]], occurrences: Occurrences) -> list[NDArray[np.float64]]:
    """Compute (n, n) NPMI of the words of every topic."""
    return [npmi_of_counts(together, occurrences.n_windows) for together in count_together(topics, occurrences)]


def npmi_of_counts(together: NDArray[np.int64], n_windows: int, epsilon: float = EPSILON) -> NDArray[np.float64]:
    """Compute NPMI of every two words from the windows that hold both; 0 for words that never occur."""
    alone = np.diag(together) / n_windows
    product = np.outer(alone, alone)
    pair = together / n_windows + epsilon
    npmi = np.zeros(pair.shape)
    # Two words that occur in every window have NPMI 1, the limit of 0 / 0.
    always = together == n_windows
    npmi[always] = 1.0
    usual = (product > 0) & ~always
    npmi[usual] = np.log(pair[usual] / product[usual]) / -np.log(pair[usual])
    return npmi


def _mean_of_pairs(npmi: NDArray[np.float64]) -> float:
    n = len(npmi)
    return float((npmi.sum() - np.trace(npmi)) / (n * (n - 1))) if n > 1 else np.nan


def _mean_cosine(npmi: NDArray[np.float64]) -> float:
    if len(npmi) < 2:
        return np.nan
    total = npmi.sum(axis=0)
    norms = np.linalg.norm(npmi, axis=1) * np.linalg.norm(total)
    cosines = np.divide(npmi @ total, norms, out=np.zeros(len(npmi)), where=norms > 0)
    return float(cosines.mean())


def _occurrences(
    topics: list[NDArray[np.int64]], corpus: Any, texts: Iterable[Iterable[int]] | None, window: int | None
) -> Occurrences:
    if (corpus is None) == (texts is None):
        raise ValueError("give either corpus or texts, one of the two")
    words = np.unique(np.concatenate([np.zeros(0, np.int64), *topics]))
    if texts is not None:
        if window is not None and (isinstance(window, bool) or not isinstance(window, Integral) or window < 1):
            raise ValueError(f"window must be a whole number of tokens from 1, or None; got {window!r}")
        return in_sliding_windows(words, texts, window)
    corpus = Corpus.from_matrix(corpus)
    if len(words) and words[-1] >= corpus.n_words:
        raise ValueError(f"top_words has the word id {words[-1]}, but corpus has ids from 0 to {corpus.n_words - 1}")
    return in_documents(words, corpus)


def _as_topics(top_words: Sequence[Sequence[int]]) -> list[NDArray[np.int64]]:
    topics = []
    for t, words in enumerate(top_words):
        ids = np.asarray(words if isinstance(words, np.ndarray) else list(words))
        if ids.size and (ids.ndim != 1 or ids.dtype.kind not in "iu"):
            raise TypeError(f"top_words[{t}] must be a sequence of word ids, which are ints; got {words!r:.60}")
        ids = ids.astype(np.int64)
        if ids.size and ids.min() < 0:
            raise ValueError(f"top_words[{t}] has the word id {ids.min()}; ids are from 0")
        if len(np.unique(ids)) < len(ids):
            raise ValueError(f"top_words[{t}] has a word twice; the words of a topic must be different")
        topics.append(ids)
    return topics
