"""Trees from tables of topics, as `TopicTree.to_pandas` and other programs make them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

HEAVIEST = 1000
"""Tokens of a topic's first word if words have no weights; the second word gets half of them, the third a third."""


def from_table(  # noqa: D417 - cls is the class
    cls: type[TopicTree],
    table: Any,
    *,
    topic: str = "id",
    parent: str = "parent",
    words: str = "words",
    name: str = "name",
    n_docs: str = "n_docs",
) -> TopicTree:
    """Make a tree from a table with a row for each topic: pandas, polars, Arrow, or a list of dictionaries.

    Parameters
    ----------
    table : data frame, or sequence of mappings
        The topics. In a pandas data frame, the index may hold the topic.
    topic : str, default="id"
        The column of the topics' ids, numbers or text.
    parent : str, default="parent"
        The column of the parent's id; missing, "" or -1 for none. Without this column, topics are flat.
    words : str, default="words"
        The column of words, the most important first: lists, or text separated by commas.
    name : str, default="name"
        The column of names, which may be absent.
    n_docs : str, default="n_docs"
        The column of document counts, which may be absent.

    Returns
    -------
    TopicTree
        The topics are in the order of the table, level by level.

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> rows = [
    ...     {"id": "all", "parent": None, "words": "news", "n_docs": 5},
    ...     {"id": "sky", "parent": "all", "words": "moon, star", "n_docs": 3},
    ...     {"id": "sport", "parent": "all", "words": "goal, team", "n_docs": 2},
    ... ]
    >>> print(TopicTree.from_table(rows))
    5 [0] news
        3 [1] moon, star
        2 [2] goal, team
    """
    columns = _columns(table)
    if not next(iter(columns.values()), []):
        raise ValueError("table has no rows; it must have one for each topic")
    for needed in (topic, words):
        if needed not in columns:
            raise ValueError(f"table has no column {needed!r}; it has {', '.join(map(repr, columns))}")
    keys = [_key(value) for value in columns[topic]]
    place = {key: i for i, key in enumerate(keys)}
    if len(place) < len(keys):
        raise ValueError(f"table has a topic more than once in {topic!r}")
    above = [_place(value, place, parent) for value in columns.get(parent, [None] * len(keys))]
    listed = [_words(value) for value in columns[words]]
    vocabulary = sorted({word for row in listed for word in row})
    if not vocabulary:
        raise ValueError(f"table has no words in {words!r}")
    number = {word: i for i, word in enumerate(vocabulary)}
    weights = np.zeros((len(keys), len(vocabulary)), np.int64)
    for i, row in enumerate(listed):
        for rank, word in enumerate(row):
            weights[i, number[word]] = max(weights[i, number[word]], HEAVIEST // (rank + 1), 1)
    names = {i: str(value) for i, value in enumerate(columns.get(name, [])) if not _is_missing(value)}
    sizes = None
    if n_docs in columns:
        sizes = np.array([0 if _is_missing(value) else int(value) for value in columns[n_docs]])
    return cls.from_arrays(
        weights, parent=above, vocabulary=vocabulary, n_docs=sizes, names={i: n for i, n in names.items() if n.strip()}
    )


def _columns(table: Any) -> dict[str, list[Any]]:
    if isinstance(table, Sequence) and not isinstance(table, str):
        if not all(isinstance(row, Mapping) for row in table):
            raise TypeError("table must be a data frame, or a list of dictionaries")
        names = dict.fromkeys(str(name) for row in table for name in row)
        return {name: [row.get(name) for row in table] for name in names}
    index: Any = getattr(table, "index", None)
    if getattr(index, "name", None) is not None and index.name not in table:
        table = table.reset_index()
    frame = nw.from_native(table, eager_only=True)
    return {name: frame[name].to_list() for name in frame.columns}


def _place(value: Any, place: dict[str, int], column: str) -> int:
    if _is_missing(value) or str(value) in ("", "-1"):
        return -1
    key = _key(value)
    if key not in place:
        raise ValueError(f"table has {key!r:.60} in {column!r}, which is no topic of it")
    return place[key]


def _key(value: Any) -> str:
    # Pandas turns whole numbers into floats where some are missing.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _words(value: Any) -> list[str]:
    if _is_missing(value):
        return []
    parts = value.split(",") if isinstance(value, str) else list(value)
    return [word for part in parts if (word := str(part).strip())]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"
