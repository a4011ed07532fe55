"""Quality of a hierarchy by the top words of topics: children should fit their parents and repeat no other topic.

The four measures are those of TopMost, used to compare neural topic hierarchies. They look at the levels below
the root, at the same number of words for each topic, and average over the levels.

Reference: X. Wu, F. Pan, T. Nguyen, Y. Feng, C. Liu, C.-D. Nguyen, A. T. Luu (2024), On the affinity, rationality, and
diversity of hierarchical topic modeling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.evaluation.coherence import npmi_of_counts
from topicgrove.evaluation.cooccurrence import count_together, in_documents
from topicgrove.evaluation.json_values import mean_or_none, numbers_or_none
from topicgrove.tree import TopicTree

EPSILON = 1e-10
"""Added to the probability that two words occur together, as in TopMost."""

N_WORDS = 15
"""Words per topic, as in published figures."""

Words = Sequence[Sequence[int]]


@dataclass(frozen=True)
class HierarchyQuality:
    """How well topics fit their parents, and how much they differ; NaN where there is nothing to compare.

    Attributes
    ----------
    parent_child_coherence : float
        PCC: mean NPMI of a parent's words with its children's. Pairs of words that both show count as -1.
    parent_child_diversity : float
        PCD: share of words that only one of parent and child shows.
    sibling_diversity : float
        SD: share of words that only one of the siblings shows.
    parent_non_child_diversity : float
        PnCD: the same as PCD, with topics of the next level that are not the parent's children.

    Examples
    --------
    >>> HierarchyQuality(0.1, 0.9, 0.8, float("nan")).to_dict()["parent_non_child_diversity"] is None
    True
    """

    parent_child_coherence: float
    parent_child_diversity: float
    sibling_diversity: float
    parent_non_child_diversity: float

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; None for undefined values."""
        values = asdict(self)
        return dict(zip(values, numbers_or_none(np.array(list(values.values()))), strict=True))


def hierarchy_quality(tree: TopicTree, top_words: Words, corpus: Any) -> HierarchyQuality:
    """Compute PCC, PCD, SD and PnCD of a tree.

    Parameters
    ----------
    tree : TopicTree
        The tree; its root is left out.
    top_words : sequence of sequences of int
        Word ids, one sequence per topic. Published figures use 15 words.
    corpus : Corpus or counts of shape (n_docs, n_words)
        Where words are looked up.

    Returns
    -------
    HierarchyQuality

    Examples
    --------
    >>> parent, level = np.array([-1, 0, 0, 1, 2]), np.array([0, 1, 1, 2, 2])
    >>> tree = TopicTree(parent, level, n_docs=np.array([4, 2, 2, 2, 2]), n_tokens=np.array([4, 4, 4, 2, 2]))
    >>> X = [[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> quality = hierarchy_quality(tree, [[0], [0], [2], [1], [2]], X)
    >>> round(quality.parent_child_coherence, 3), quality.parent_child_diversity, quality.sibling_diversity
    (0.0, 0.5, 1.0)
    """
    corpus = Corpus.from_matrix(corpus)
    shows = _indicator(top_words, corpus.n_words)
    coherence, children, others = [], [], []
    for level in range(1, tree.n_levels - 1):
        below = np.flatnonzero(tree.level == level + 1)
        parents = np.unique(tree.parent[below])
        diversity = _pair_diversity(shows, parents, below)
        is_child = tree.parent[below] == parents[:, np.newaxis]
        coherence.append(_mean(_pair_npmi(tree.parent[below], below, top_words, corpus)))
        children.append(_mean(diversity[is_child]))
        others.append(_mean(diversity[~is_child]))
    siblings = [_sibling_diversity(shows, tree, level) for level in range(1, tree.n_levels)]
    return HierarchyQuality(*(_mean(np.array(values)) for values in (coherence, children, siblings, others)))


def _indicator(top_words: Words, n_words: int) -> sparse.csr_array:
    """Return a (T, V) matrix with 1 for the words that a topic shows."""
    ends = np.cumsum([len(words) for words in top_words])
    words = np.concatenate([np.zeros(0, np.int64), *(np.asarray(words, np.int64) for words in top_words)])
    return sparse.csr_array((np.ones(len(words), np.int64), words, np.append(0, ends)), (len(top_words), n_words))


def _pair_diversity(
    shows: sparse.csr_array, parents: NDArray[np.int64], below: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the (parents, below) share of words that only one of two topics shows; NaN if they show none."""
    common = (shows[parents] @ shows[below].T).toarray()
    n_words = shows.sum(axis=1)
    together = np.add.outer(n_words[parents], n_words[below]).astype(np.float64)
    together[together == 0] = np.nan
    return np.asarray(1 - 2 * common / together, np.float64)


def _pair_npmi(
    parents: NDArray[np.int64], children: NDArray[np.int64], top_words: Words, corpus: Corpus
) -> NDArray[np.float64]:
    """Compute NPMI of every word of a parent with every word of its child, -1 for pairs of words that both show."""
    pairs = [(top_words[parent], top_words[child]) for parent, child in zip(parents, children, strict=True)]
    unions = [np.union1d(a, b).astype(np.int64) for a, b in pairs]
    occurrences = in_documents(np.unique(np.concatenate([np.zeros(0, np.int64), *unions])), corpus)
    values = [np.zeros(0)]
    for (a, b), union, together in zip(pairs, unions, count_together(unions, occurrences), strict=True):
        npmi = npmi_of_counts(together, occurrences.n_windows, EPSILON)
        common = np.intersect1d(a, b)
        rows, columns = (np.searchsorted(union, np.setdiff1d(words, common)) for words in (a, b))
        values += [npmi[np.ix_(rows, columns)].ravel(), np.full(len(common) ** 2, -1.0)]
    return np.concatenate(values)


def _sibling_diversity(shows: sparse.csr_array, tree: TopicTree, level: int) -> float:
    """Return the share of shown words that only one sibling shows, averaged over the families of a level."""
    here = np.flatnonzero(tree.level == level)
    shares = []
    for parent in np.unique(tree.parent[here]):
        n_topics = shows[here[tree.parent[here] == parent]].sum(axis=0)
        shares.append(np.sum(n_topics == 1) / n_topics.sum() if n_topics.any() else np.nan)
    return _mean(np.array(shares))


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    mean = mean_or_none(values)
    return np.nan if mean is None else mean
