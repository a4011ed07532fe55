"""Rename a topic."""

from __future__ import annotations

from typing import Any

from topicgrove.edit.draft import Draft
from topicgrove.tree.names import checked_name


def rename(draft: Draft, topic: Any, name: Any) -> None:
    """Give a topic a name, in one line."""
    draft.names[draft.topic(topic)] = checked_name(name)
