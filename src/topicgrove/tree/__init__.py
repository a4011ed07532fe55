"""The tree of topics as users see it."""

from topicgrove.tree.placed_documents import Documents, Representative
from topicgrove.tree.topic_tree import TopicTree

__all__ = ["Documents", "Representative", "TopicTree"]
