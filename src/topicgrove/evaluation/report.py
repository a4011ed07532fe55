"""A report with all measures of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from topicgrove.evaluation.agreement import class_agreement
from topicgrove.evaluation.coherence import topic_coherence
from topicgrove.evaluation.hierarchy import N_WORDS, hierarchy_quality
from topicgrove.evaluation.json_values import mean_or_none
from topicgrove.evaluation.measured import Measured
from topicgrove.evaluation.tree_quality import tree_quality
from topicgrove.tree import TopicTree
from topicgrove.words import TopicWords

if TYPE_CHECKING:
    from topicgrove.prior import HyperParameters
    from topicgrove.several_paths.shape import WalkHyper


def evaluate_tree(
    tree: TopicTree,
    word_counts: Any,
    hyper: HyperParameters | WalkHyper,
    corpus: Any,
    classes: Iterable[Sequence[str] | None] | None = None,
    n_words: int = 10,
    *,
    paths: ArrayLike | None = None,
    labels: Iterable[Sequence[str] | None] | None = None,
) -> dict[str, Any]:
    """Report coherence, quality of the tree and, if classes are given, agreement with them.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    word_counts : sparse array of shape (T, V)
        Tokens of each word in each topic.
    hyper : HyperParameters or WalkHyper
        Those of the model; only `beta` is used.
    corpus : Corpus or counts of shape (n_docs, n_words)
        The documents in which coherence looks words up, in the model's words.
    classes : iterable of sequences of str or None, default=None
        Classes of the documents of `paths`, from the top down.
    n_words : int, default=10
        Top words of a topic for coherence and diversity. Hierarchy quality uses the 15 words that a
        tree shows by default.
    paths : array of shape (n_docs, n_levels), default=None
        Topic ids along the documents' paths; needed with `classes`.
    labels : iterable, default=None
        The old name of `classes`.

    Returns
    -------
    dict
        Numbers, None, lists and dicts, for JSON. Lists "by_level" begin with the root.
        Agreement with classes is under "classes", and again under its old name, "labels".

    Examples
    --------
    >>> from topicgrove.prior import HyperParameters
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([2, 1, 1]), np.array([4, 5, 5]))
    >>> counts = [[2, 2, 0, 0], [3, 2, 0, 0], [0, 0, 3, 2]]
    >>> X = [[4, 3, 0, 0], [1, 1, 3, 2]]
    >>> hyper = HyperParameters.of(2, beta=0.1)
    >>> report = evaluate_tree(tree, counts, hyper, X, [("a",), ("b",)], paths=[[0, 1], [0, 2]])
    >>> " ".join(report)
    'n_topics n_topics_by_level n_words coherence diversity specialisation affinity hierarchy classes labels'
    >>> report["classes"]["nmi"]
    [[1.0]]
    """
    classes = labels if classes is None else classes
    if classes is not None and paths is None:
        raise ValueError("classes need paths, the topics of the documents that have them")
    top_words = top_word_ids(word_counts, n_words)
    measured = Measured(tree, word_counts, hyper, corpus, top_words, classes, paths)
    report: dict[str, Any] = {"n_topics": len(tree), "n_topics_by_level": tree.n_topics_per_level, "n_words": n_words}
    for metric in METRICS:
        report |= metric(measured)
    return report


def top_word_ids(word_counts: Any, n_words: int) -> list[list[int]]:
    """Return the most frequent words of each topic, at most n_words; ties in the order of ids.

    Examples
    --------
    >>> top_word_ids([[1, 3, 0], [2, 2, 2]], n_words=2)
    [[1, 0], [0, 1]]
    """
    if isinstance(n_words, bool) or not isinstance(n_words, int) or n_words < 1:
        raise ValueError(f"n_words must be a whole number from 1; got {n_words!r}")
    counts = sparse.csr_array(word_counts, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return [
        _largest(counts.indices[first:last], counts.data[first:last], n_words)
        for first, last in zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    ]


def distinctive_word_ids(tree: TopicTree, word_counts: Any, n_words: int) -> list[list[int]]:
    """Return the distinctive words of each topic, which a tree shows by default, at most n_words.

    Examples
    --------
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([2, 1, 1]), np.array([8, 9, 7]))
    >>> distinctive_word_ids(tree, [[8, 0, 0], [4, 5, 0], [4, 0, 3]], n_words=1)
    [[0], [1], [2]]
    """
    words = TopicWords(sparse.csr_array(word_counts), tree.parent, np.zeros(len(tree)), tree.n_docs)
    return [words.top(topic, n_words, "distinctive")[0].tolist() for topic in range(len(tree))]


def _largest(words: NDArray[np.int32], counts: NDArray[np.int32], n: int) -> list[int]:
    order = np.lexsort((words, -counts.astype(np.int64)))
    return [int(word) for word in words[order[:n]]]


def _coherence(measured: Measured) -> dict[str, Any]:
    """Return means over topics; topics with fewer than two words have no coherence."""
    tree = measured.tree
    coherence = topic_coherence(measured.top_words, measured.corpus)
    by_level = [tree.level == level for level in range(tree.n_levels)]
    means = {
        "npmi": mean_or_none(coherence.npmi),
        "npmi_by_level": [mean_or_none(coherence.npmi[here]) for here in by_level],
        "c_v": mean_or_none(coherence.c_v),
        "c_v_by_level": [mean_or_none(coherence.c_v[here]) for here in by_level],
    }
    return {"coherence": means}


def _tree_quality(measured: Measured) -> dict[str, Any]:
    return tree_quality(measured.tree, measured.word_counts, measured.hyper.beta, measured.top_words).to_dict()


def _hierarchy(measured: Measured) -> dict[str, Any]:
    words = distinctive_word_ids(measured.tree, measured.word_counts, N_WORDS)
    return {"hierarchy": hierarchy_quality(measured.tree, words, measured.corpus).to_dict()}


def _class_agreement(measured: Measured) -> dict[str, Any]:
    """Return nothing without classes; "labels" is the old name of "classes"."""
    if measured.classes is None or measured.paths is None:
        return {}
    agreement = class_agreement(measured.paths, measured.classes).to_dict()
    return {"classes": agreement, "labels": agreement}


METRICS: list[Callable[[Measured], dict[str, Any]]] = [_coherence, _tree_quality, _hierarchy, _class_agreement]
"""Every metric of a report: what it adds, from what is measured."""
