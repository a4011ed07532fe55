"""Move a topic, with all topics below it, below another parent."""

from __future__ import annotations

from typing import Any

from topicgrove.edit.draft import Draft


def move(draft: Draft, topic: Any, parent: Any) -> None:
    """Move a branch. All tokens keep their levels, so those above the branch go to the new topics above it."""
    moved, above = draft.below_root(topic), draft.topic(parent, "parent")
    if draft.level[above] != draft.level[moved] - 1:
        raise ValueError(
            f"topic {moved} is on level {draft.level[moved]}, so its parent must be on level "
            f"{draft.level[moved] - 1}; topic {above} is on level {draft.level[above]}"
        )
    if draft.parent[moved] != above:
        draft.hang(moved, above)
