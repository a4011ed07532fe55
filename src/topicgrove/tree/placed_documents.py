"""The documents of a tree, and the representatives of a topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Documents:
    """Places of documents in a tree.

    Parameters
    ----------
    paths : array of shape (n_docs, n_levels)
        Topic ids along each document's path; -1 where pruning removed the topic.
    level_counts : array of shape (n_docs, n_levels)
        Tokens of each document on each level.
    ids, titles : tuple of str, default=None
        Names of the documents.
    topic_counts : CSR array of shape (n_docs, T), default=None
        Tokens of each document in each topic, where they are not all on its path. Then ``paths`` are main paths, with
        -1 below a leaf that is not on the last level, and ``level_counts`` has a level's tokens in all topics.
    classes : tuple of tuples of str, default=None
        The classes that each document came with, from the top down.

    Examples
    --------
    >>> documents = Documents(np.array([[0, 1], [0, 2]]), np.array([[3, 1], [0, 2]]), ids=("a.txt", "b.txt"))
    >>> documents
    Documents(n_docs=2, n_levels=2)
    """

    paths: NDArray[np.integer]
    level_counts: NDArray[np.integer]
    ids: tuple[str, ...] | None = None
    titles: tuple[str, ...] | None = None
    classes: tuple[tuple[str, ...], ...] | None = None
    topic_counts: sparse.csr_array | None = None

    def __len__(self) -> int:
        return len(self.paths)

    def __repr__(self) -> str:
        return f"Documents(n_docs={len(self)}, n_levels={self.paths.shape[1]})"


@dataclass(frozen=True)
class Representative:
    """A representative document of a topic: its number and names, and the smoothed share of its tokens in the topic.

    >>> Representative(index=3, id="c.txt", title=None, share=0.5).id
    'c.txt'
    """

    index: int
    id: str
    title: str | None
    share: float


def representatives(documents: Documents, topic: int, level: int, n: int) -> list[Representative]:
    """Return at most n documents whose path includes a topic, with the largest smoothed share of tokens in it.

    share_d = (C_dl + N s) / (C_d + N), where s is the share of all these documents' tokens that are in the topic and N
    their mean length: each document counts as if it also contained one of average length and share.

    >>> documents = Documents(np.array([[0, 1]] * 3), np.array([[0, 1], [10, 40], [30, 19]]))
    >>> [(d.id, round(d.share, 2)) for d in representatives(documents, 1, 1, n=2)]
    [('1', 0.72), ('0', 0.61)]
    """
    through, inside = _tokens_in(documents, topic, level)
    lengths = documents.level_counts[through].sum(axis=1, dtype=np.float64)
    if lengths.sum() == 0:
        return []
    mean_length = lengths.mean()
    share = (inside + mean_length * inside.sum() / lengths.sum()) / (lengths + mean_length)
    best = np.argsort(-share, kind="stable")[:n]
    return [
        Representative(
            index=int(d),
            id=documents.ids[d] if documents.ids is not None else str(d),
            title=documents.titles[d] if documents.titles is not None else None,
            share=float(s),
        )
        for d, s in zip(through[best], share[best], strict=True)
    ]


def _tokens_in(documents: Documents, topic: int, level: int) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
    """Return the documents of a topic, and each document's tokens in it."""
    if documents.topic_counts is not None:
        column = documents.topic_counts[:, [topic]].tocoo()
        return column.row.astype(np.int64), column.data
    through = np.flatnonzero(documents.paths[:, level] == topic)
    return through, documents.level_counts[through, level]
