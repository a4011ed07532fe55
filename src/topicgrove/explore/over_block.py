"""The shares of topics over time or by class, in a compact block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.documents import storable_name
from topicgrove.explore.all_documents import packed

if TYPE_CHECKING:
    from topicgrove.tree import SharesOver, TopicTree

MOST_CLASSES = 60
_ORDERED = re.compile(r"-?\d+(\.\d+)?|\d{4}-(Q\d|\d\d(-\d\d)?)|.+ to .+")


def over_block(tree: TopicTree, topics: NDArray[np.int64], over: Mapping[str, SharesOver] | None) -> str | None:
    """Pack shares by their names; if None, those by the documents' classes, where they have any; None for none.

    Entries have name, groups, is_ordered (periods and ranges are), n_docs (by group), and counts: documents of every
    group, one topic after the other.
    """
    shares = _by_class(tree) if over is None else over
    for name, one in shares.items():
        if one.counts.shape[0] != len(tree):
            raise ValueError(f"over[{name!r}] has {one.counts.shape[0]} topics, but the tree has {len(tree)}")
    entries: list[dict[str, Any]] = [
        {
            "name": storable_name(name),
            "groups": [storable_name(group) for group in one.groups],
            "is_ordered": all(_ORDERED.fullmatch(group) for group in one.groups),
            "n_docs": one.n_docs.tolist(),
            "counts": one.counts[topics].ravel().tolist(),
        }
        for name, one in shares.items()
        if len(one.groups)
    ]
    return packed(entries) if entries else None


def _by_class(tree: TopicTree) -> dict[str, SharesOver]:
    """Return the shares by the documents' classes on the first level, unless they are too many to be looked at."""
    documents = tree.documents
    if documents is None or documents.classes is None:
        return {}
    classes = [path[0] if path else None for path in documents.classes]
    return {"Class": tree.over(classes)} if 1 < len({*classes} - {None}) <= MOST_CLASSES else {}
