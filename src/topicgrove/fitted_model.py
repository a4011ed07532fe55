"""The attributes of a trained model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.edit import methods
from topicgrove.evaluation.joint import log_joint_of_counts
from topicgrove.evaluation.own_documents import log_probabilities
from topicgrove.prior import HyperParameters
from topicgrove.tree import TopicTree
from topicgrove.tree_model import TreeModel


class FittedModel(TreeModel):
    """The fitted attributes of `HierarchicalLDA`, whose docstring describes them."""

    token_levels_: NDArray[np.uint8]
    topic_word_counts_: sparse.csr_array
    hyper_parameters_: HyperParameters
    sampler_: str | None
    _before_edits: tuple[TopicTree, NDArray[np.uint8]] | None = None

    merge_topics = methods.merge_topics
    move_topic = methods.move_topic
    split_topic = methods.split_topic
    delete_topic = methods.delete_topic
    reorder_topics = methods.reorder_topics
    rename_topic = methods.rename_topic
    apply_edits = methods.apply_edits
    undo_edits = methods.undo_edits

    @property
    def agreement_(self) -> float | None:
        """How well level 1 from one half of a bottom-up start's fits agrees with level 1 from the other half."""
        return self.history_[0].get("agreement") if self.history_ else None

    def _keep(self, tree: TopicTree, token_levels: NDArray[np.uint8]) -> None:
        """Keep a tree with its documents, and the level of each of their tokens."""
        assert tree.documents is not None
        assert tree.word_counts is not None
        self.tree_ = tree
        self._before_edits = None
        self.paths_ = tree.documents.paths
        self.token_levels_ = token_levels
        self.topic_word_counts_ = tree.word_counts
        self.log_joint_ = log_joint_of_counts(tree, tree.documents.level_counts, self.hyper_parameters_)

    def _log_probabilities(self, corpus: Corpus) -> NDArray[np.float64]:
        """Return log p(w | path) of the documents of training."""
        return log_probabilities(self.tree_, self.hyper_parameters_, corpus)
