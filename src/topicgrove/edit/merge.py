"""Merge topics of one level: one of them takes the documents, words and children of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from topicgrove.edit.draft import Draft
from topicgrove.edit.move import move


def merge(draft: Draft, topics: Any, into: Any) -> None:
    """Merge ``topics`` into one of them. Those with another parent are moved first, which needs the documents."""
    if not isinstance(topics, Sequence) or isinstance(topics, str | bytes):
        raise TypeError(f"topics must be a list of ids; got {topics!r:.80}")
    kept = draft.below_root(into, "into")
    chosen = [draft.below_root(topic, "topics") for topic in topics]
    others = [topic for topic in dict.fromkeys(chosen) if topic != kept]
    if not others:
        raise ValueError(f"topics must have another topic to merge with {kept}; got {list(topics)!r:.80}")
    for topic in others:
        if draft.level[topic] != draft.level[kept]:
            raise ValueError(
                f"topic {topic} is on level {draft.level[topic]} and topic {kept} on level {draft.level[kept]}; "
                "topics of one level can be merged"
            )
    for topic in others:
        move(draft, topic, draft.parent[kept])
        draft.absorb(kept, topic)
