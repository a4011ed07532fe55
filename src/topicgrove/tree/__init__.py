"""The tree of topics as users see it."""

from topicgrove.tree.document_rows import TopicDocument
from topicgrove.tree.placed_documents import Documents, Representative
from topicgrove.tree.searching import FoundTopic
from topicgrove.tree.shares_over import SharesOver
from topicgrove.tree.topic_tree import TopicTree

__all__ = ["Documents", "FoundTopic", "Representative", "SharesOver", "TopicDocument", "TopicTree"]
