"""The shares of topics over time or by class, with intervals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.tree.document_rows import LIBRARIES, as_table, documents_in
from topicgrove.tree.periods import groups_of
from topicgrove.validation import check_choice

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree


@dataclass(frozen=True, eq=False, repr=False)
class SharesOver:
    """The share of each period's or class's documents that goes through each topic.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    groups : tuple of str
        Names of the periods or classes, in their order.
    n_docs : array of shape (G,)
        Documents of each group.
    counts : array of shape (T, G)
        Documents of each group through each topic.
    confidence : float
        Confidence level of the intervals.
    n_missing : int
        Documents without a value, which are left out.

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> from topicgrove.tree import Documents
    >>> documents = Documents(np.array([[0, 1], [0, 1], [0, 2], [0, 2]]), np.ones((4, 2), int))
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([4, 2, 2]), np.array([4, 2, 2]),
    ...     documents=documents)
    >>> over = tree.over(["2016-05-01", "2017-02-11", "2017-03-01", "2017"], period="year")
    >>> over.groups, over.shares[1].round(2).tolist()
    (('2016', '2017'), [1.0, 0.33])
    """

    tree: TopicTree
    groups: tuple[str, ...]
    n_docs: NDArray[np.int64]
    counts: NDArray[np.int64]
    confidence: float = 0.95
    n_missing: int = 0

    def __repr__(self) -> str:
        return f"SharesOver({len(self.tree)} topics, {len(self.groups)} groups, {self.n_missing} documents without one)"

    @property
    def shares(self) -> NDArray[np.float64]:
        """(T, G) shares; NaN where a group has no documents."""
        return np.where(self.n_docs > 0, self.counts / np.maximum(self.n_docs, 1), np.nan)

    @property
    def intervals(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper ends of the intervals, each of shape (T, G); NaN where a group has no documents."""
        low, high = wilson(self.counts, self.n_docs, self.confidence)
        return np.where(self.n_docs > 0, low, np.nan), np.where(self.n_docs > 0, high, np.nan)

    def to_table(self, library: str = "pandas") -> Any:
        """Return a table with a row for each topic and group: topic, name, group, n_docs, count, share, low and high.

        ``library`` is "pandas", "polars" or "pyarrow".
        """
        check_choice("library", library, LIBRARIES)
        n_topics, n_groups = self.counts.shape
        low, high = self.intervals
        return as_table(
            {
                "topic": np.repeat(np.arange(n_topics), n_groups),
                "name": [self.tree.name(topic) for topic in range(n_topics) for _ in range(n_groups)],
                "group": list(self.groups) * n_topics,
                "n_docs": np.tile(self.n_docs, n_topics),
                "count": self.counts.ravel(),
                "share": self.shares.ravel(),
                "low": low.ravel(),
                "high": high.ravel(),
            },
            library,
        )

    def plot(self, path: str | os.PathLike[str] | None = None, topics: Iterable[int] | None = None) -> Any:
        """Plot small multiples, a panel per topic, by default the largest of level 1, and return a matplotlib Figure.

        With a path that ends in .svg, .pdf or .png, also write the figure there.
        """
        from topicgrove.plotting import plot_over

        return plot_over(self, path, topics)


def over(
    tree: TopicTree,
    values: Any,
    period: str | None = None,
    edges: Sequence[Any] | None = None,
    confidence: float = 0.95,
) -> SharesOver:
    """Compute the shares of topics over time, by class, or by any other value of the documents.

    A share is the fraction of a group's documents whose path goes through the topic. Its interval is Wilson's: it tells
    how much the share could differ by chance if the documents were a random sample, given their paths.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    values : sequence, or column of pandas, polars or Arrow
        A value for each document of the tree: dates, numbers, text, or classes as in `Corpus.classes`. Documents
        without one are left out.
    period : {"year", "quarter", "month"}, default=None
        Group dates by this period. None makes every value a group of its own.
    edges : sequence of dates or numbers, default=None
        Group values between these edges instead; each group includes its lower edge and excludes its upper one.
    confidence : float, default=0.95
        Confidence level of the intervals.

    Returns
    -------
    SharesOver

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA, load_example
    >>> corpus = load_example()
    >>> tree = HierarchicalLDA(2, n_iter=5, random_state=0).fit(corpus).tree_
    >>> over = tree.over(corpus.classes)
    >>> bool(np.allclose(over.shares[0], 1)), "games" in over.groups
    (True, True)
    """
    documents = documents_in(tree)
    if isinstance(confidence, bool) or not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1; got {confidence!r}")
    column = nw.from_native(values, series_only=True, pass_through=True)
    listed = column.to_list() if isinstance(column, nw.Series) else list(values)
    if len(listed) != len(documents):
        raise ValueError(f"values has {len(listed)} entries; it must have {len(documents)}, one for each document")
    groups = groups_of(listed, period, edges)
    known = np.flatnonzero(groups.of >= 0)
    paths = documents.paths[known]
    group = np.repeat(groups.of[known], paths.shape[1])
    inside = paths.ravel() >= 0
    cells = sparse.coo_array(
        (np.ones(int(inside.sum()), np.int64), (paths.ravel()[inside], group[inside])),
        shape=(len(tree), len(groups.names)),
    )
    n_docs = np.bincount(groups.of[known], minlength=len(groups.names))
    return SharesOver(tree, groups.names, n_docs, cells.toarray(), float(confidence), len(listed) - len(known))


def wilson(
    counts: NDArray[np.int64], n: NDArray[np.int64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Wilson's interval of a share k / n: (k + z^2/2 +- z sqrt(k (n - k) / n + z^2/4)) / (n + z^2).

    >>> low, high = wilson(np.array([3]), np.array([10]), 0.95)
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.108, 0.603)
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = counts + z**2 / 2
    spread = z * np.sqrt(counts * (n - counts) / np.maximum(n, 1) + z**2 / 4)
    return np.maximum((middle - spread) / (n + z**2), 0.0), np.minimum((middle + spread) / (n + z**2), 1.0)
