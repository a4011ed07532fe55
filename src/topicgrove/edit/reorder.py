"""Reorder the children of a topic; ids follow the order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from topicgrove.edit.draft import Draft


def reorder(draft: Draft, parent: Any, children: Any) -> None:
    """Put the children of a topic into an order. Children that the order leaves out follow as they were."""
    above = draft.topic(parent, "parent")
    if not isinstance(children, Sequence) or isinstance(children, str | bytes):
        raise TypeError(f"children must be a list of ids; got {children!r:.80}")
    order = [draft.topic(child, "children") for child in children]
    strange = [child for child in order if child not in draft.children[above]]
    if strange:
        raise ValueError(f"children has topic {strange[0]}, which is not a child of topic {above}")
    if len(set(order)) < len(order):
        raise ValueError(f"children has a topic more than once; got {order!r:.80}")
    draft.order(above, order + [child for child in draft.children[above] if child not in set(order)])
