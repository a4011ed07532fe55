"""Agreement of a tree with given classes of documents, which may form a hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topicgrove.evaluation.json_values import numbers_or_none


@dataclass(frozen=True, eq=False)
class ClassAgreement:
    """Agreement of each level of a tree with each depth of the classes.

    Parameters
    ----------
    n_docs : array of shape (n_depths,)
        Documents with a class at each depth; others are left out.
    nmi, purity : arrays of shape (n_levels - 1, n_depths)
        Row i is level i + 1 of the tree: the root is a single cluster, which says nothing.
    dendrogram_purity : array of shape (n_depths,)
        NaN where no two documents have the same class.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> ClassAgreement(np.array([4]), one, one, np.array([np.nan])).to_dict()
    {'n_docs': [4], 'nmi': [[1.0]], 'purity': [[1.0]], 'dendrogram_purity': [None]}
    """

    n_docs: NDArray[np.int64]
    nmi: NDArray[np.float64]
    purity: NDArray[np.float64]
    dendrogram_purity: NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """Return lists for JSON: by level and depth, or by depth."""
        return {
            "n_docs": self.n_docs.tolist(),
            "nmi": self.nmi.tolist(),
            "purity": self.purity.tolist(),
            "dendrogram_purity": numbers_or_none(self.dendrogram_purity),
        }


def class_agreement(paths: ArrayLike, classes: Iterable[Sequence[str] | None]) -> ClassAgreement:
    """Compare the topics along documents' paths with documents' classes.

    A class at depth k is the whole path of classes down to it: ("rec", "misc") and ("sci", "misc") are two classes.

    Parameters
    ----------
    paths : array-like of int, shape (n_docs, n_levels)
        Topic ids along each document's path, the root's first, such as `HierarchicalLDA.paths_`. Where a path ends
        above the last level, it has -1; its last topic then stands for the levels below.
    classes : iterable of sequences of str or None, one per document
        Classes from the top down, of any length; None or () for a document without one. `class_paths` makes
        them from strings.

    Returns
    -------
    ClassAgreement
        NMI is mutual information over the arithmetic mean of the entropies; purity the share of documents whose class
        is the most frequent one of their topic. Dendrogram purity is, over all pairs of documents of one class, the
        mean share of that class below the pair's lowest common topic.

    References
    ----------
    K. A. Heller, Z. Ghahramani (2005), Bayesian hierarchical clustering (dendrogram purity).

    Examples
    --------
    >>> paths = [[0, 1, 3], [0, 1, 4], [0, 2, 5], [0, 2, 5]]
    >>> agreement = class_agreement(paths, [("sport", "ski"), ("sport", "golf"), ("arts",), ("arts",)])
    >>> agreement.nmi.round(2).tolist(), agreement.dendrogram_purity.tolist()
    ([[1.0, 0.0], [0.8, 1.0]], [1.0, nan])
    """
    topics = _check_paths(paths)
    known = [_as_tuple(path, d) for d, path in enumerate(classes)]
    if len(known) != len(topics):
        raise ValueError(f"classes has {len(known)} entries; paths has {len(topics)} documents, each needs one")
    n_depths = max(map(len, known), default=0)
    if n_depths == 0:
        raise ValueError("classes has no class; at least one document needs one")
    n_docs = np.zeros(n_depths, np.int64)
    nmi, purity = np.empty((2, topics.shape[1] - 1, n_depths))
    dendrogram = np.empty(n_depths)
    for depth in range(n_depths):
        classified = np.array([d for d, path in enumerate(known) if len(path) > depth])
        numbers = _numbered([known[d][: depth + 1] for d in classified])
        clusters = topics[classified]
        n_docs[depth] = len(classified)
        dendrogram[depth] = _dendrogram_purity(clusters, numbers)
        for level in range(1, topics.shape[1]):
            cells = _Cells.of(clusters[:, level], numbers)
            nmi[level - 1, depth] = _nmi(cells)
            purity[level - 1, depth] = _purity(cells)
    return ClassAgreement(n_docs, nmi, purity, dendrogram)


def class_paths(values: Iterable[Any], separator: str | None = None) -> list[tuple[str, ...]]:
    """Turn classes as users have them into tuples from the top down.

    Parameters
    ----------
    values : iterable of str, sequences or None
        "a/b/c", "a > b", ["a", "b"], or None, NaN, "" and [] for documents without a class.
    separator : str, default=None
        What separates the parts of strings. None means ">" if any string has one, or else "/".

    Returns
    -------
    list of tuples of str
        Parts are stripped of spaces; empty ones, as in "/a/b/", are dropped.

    Examples
    --------
    >>> class_paths(["rec > autos", "sci", None])
    [('rec', 'autos'), ('sci',), ()]
    >>> class_paths(["comp.sys.mac"], separator=".")
    [('comp', 'sys', 'mac')]
    """
    if separator is not None and (not isinstance(separator, str) or not separator):
        raise ValueError(f"separator must be a non-empty string or None; got {separator!r}")
    if isinstance(values, str):
        raise TypeError(f"values must be one class for each document, not one string; got {values!r:.60}")
    given = list(values)
    if separator is None:
        separator = ">" if any(isinstance(value, str) and ">" in value for value in given) else "/"
    return [_class_path(value, separator, d) for d, value in enumerate(given)]


def _class_path(value: Any, separator: str, d: int) -> tuple[str, ...]:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ()
    if isinstance(value, str):
        value = value.split(separator)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or not all(isinstance(part, str | int) for part in value):
        raise TypeError(f"class {d} is {value!r:.60}; it must be a string, a sequence of strings, or None")
    parts = (str(part).strip() for part in value)
    return tuple(part for part in parts if part)


def _as_tuple(path: Sequence[str] | None, d: int) -> tuple[str, ...]:
    if path is None:
        return ()
    if isinstance(path, str) or not isinstance(path, Sequence):
        raise TypeError(f"classes[{d}] is {path!r:.60}; it must be a sequence of strings or None: see class_paths")
    return tuple(path)


def _check_paths(paths: ArrayLike) -> NDArray[np.int64]:
    topics = np.asarray(paths)
    if topics.ndim != 2 or topics.shape[1] < 1 or topics.dtype.kind not in "iu":
        raise ValueError(
            f"paths must be whole numbers of shape (n_docs, n_levels); got {topics.dtype} of shape {topics.shape}"
        )
    topics = topics.astype(np.int64)
    for level in range(1, topics.shape[1]):
        topics[:, level] = np.where(topics[:, level] == -1, topics[:, level - 1], topics[:, level])
    if topics.min(initial=0) < 0:
        raise ValueError(f"paths has the topic id {topics.min()}; ids are from 0")
    if len(np.unique(topics[:, 0])) > 1:
        raise ValueError("paths: all paths must begin with the same topic, the root")
    for level in range(1, topics.shape[1]):
        # An id under two parents means two topics, for example if ids number siblings.
        edges = np.unique(topics[:, level] + (topics.max() + 1) * topics[:, level - 1])
        children, n_parents = np.unique(edges % (topics.max() + 1), return_counts=True)
        if np.any(n_parents > 1):
            topic = children[np.argmax(n_parents > 1)]
            raise ValueError(f"paths: topic {topic} of level {level} is below two topics; ids must differ in the tree")
    return topics


def _numbered(paths: list[tuple[str, ...]]) -> NDArray[np.int64]:
    numbers: dict[tuple[str, ...], int] = {}
    return np.array([numbers.setdefault(path, len(numbers)) for path in paths])


@dataclass(frozen=True, eq=False)
class _Cells:
    """The non-empty cells of a table of clusters by classes."""

    count: NDArray[np.int64]
    cluster_size: NDArray[np.int64]
    class_size: NDArray[np.int64]
    cluster: NDArray[np.int64]
    first: NDArray[np.int64]
    """The first document of each cell."""
    of_document: NDArray[np.int64]
    """The cell of each document."""

    @classmethod
    def of(cls, clusters: NDArray[np.int64], classes: NDArray[np.int64]) -> _Cells:
        cluster = np.unique(clusters, return_inverse=True)[1]
        keys = cluster * (classes.max() + 1) + classes
        _, first, of_document, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        sizes, class_sizes = np.bincount(cluster), np.bincount(classes)
        return cls(count, sizes[cluster[first]], class_sizes[classes[first]], cluster[first], first, of_document)


def _nmi(cells: _Cells) -> float:
    """Return 2 I(clusters; classes) / (H(clusters) + H(classes)); 1 for one cluster and one class."""
    share, p, q = (sizes / cells.count.sum() for sizes in (cells.count, cells.cluster_size, cells.class_size))
    information = (share * np.log(share / (p * q))).sum()
    entropies = -(share * np.log(p * q)).sum()
    return float(np.clip(2 * information / entropies, 0.0, 1.0)) if entropies else 1.0


def _purity(cells: _Cells) -> float:
    largest = np.zeros(cells.cluster.max() + 1, np.int64)
    np.maximum.at(largest, cells.cluster, cells.count)
    return float(largest.sum() / cells.count.sum())


def _dendrogram_purity(paths: NDArray[np.int64], classes: NDArray[np.int64]) -> float:
    """Return the mean share of a class below the lowest common topic of its pairs of documents.

    Pairs meet in v that are in v but in no child: sum_v sum_c pairs_vc (share_vc - share_{parent of v, c}) sums shares.
    """
    total, n_pairs = 0.0, 0.0
    above: NDArray[np.float64] = np.zeros(len(classes))
    for level in range(paths.shape[1]):
        cells = _Cells.of(paths[:, level], classes)
        pairs = cells.count * (cells.count - 1) / 2
        share = cells.count / cells.cluster_size
        total += float((pairs * (share - above[cells.first])).sum())
        n_pairs = n_pairs or float(pairs.sum())
        above = share[cells.of_document]
    return total / n_pairs if n_pairs else float("nan")


label_agreement, label_paths, LabelAgreement = class_agreement, class_paths, ClassAgreement
"""Their old names."""
