"""TopicGrove learns a tree of topics from text: hierarchical LDA by partially collapsed Gibbs sampling."""

from topicgrove.corpus import Corpus, read_ldac, read_uci
from topicgrove.estimator import HierarchicalLDA
from topicgrove.training import SweepEvent
from topicgrove.tree import TopicTree

__all__ = ["Corpus", "HierarchicalLDA", "SweepEvent", "TopicTree", "read_ldac", "read_uci"]
__version__ = "0.1.0"
