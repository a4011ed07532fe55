"""The attributes of a trained model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import TextRules
from topicgrove.corpus.dropped import Dropped
from topicgrove.evaluation.joint import log_joint_of_counts
from topicgrove.holding_out import HeldOut
from topicgrove.prior import HyperParameters
from topicgrove.tree import TopicTree


class FittedModel:
    """The fitted attributes of `HierarchicalLDA`, whose docstring describes them."""

    n_jobs: int | None
    tree_: TopicTree
    paths_: NDArray[np.integer[Any]]
    token_levels_: NDArray[np.uint8]
    topic_word_counts_: sparse.csr_array
    log_joint_: float
    hyper_parameters_: HyperParameters
    sampler_: str | None
    history_: list[dict[str, Any]]
    rules_: TextRules | None
    dropped_: tuple[Dropped, ...] | None
    n_features_in_: int
    _held_out: HeldOut | None = None
    _document_keys: NDArray[np.uint32] | None = None

    @property
    def agreement_(self) -> float | None:
        """How well level 1 from one half of a bottom-up start's fits agrees with level 1 from the other half."""
        return self.history_[0].get("agreement") if self.history_ else None

    @property
    def held_out_(self) -> NDArray[np.int64] | None:
        """Positions in X of the held-out documents."""
        return None if self._held_out is None else self._held_out.documents

    def _keep(self, tree: TopicTree, token_levels: NDArray[np.uint8]) -> None:
        """Keep a tree with its documents, and the level of each of their tokens."""
        assert tree.documents is not None
        assert tree.word_counts is not None
        self.tree_ = tree
        self.paths_ = tree.documents.paths
        self.token_levels_ = token_levels
        self.topic_word_counts_ = tree.word_counts
        self.log_joint_ = log_joint_of_counts(tree, tree.documents.level_counts, self.hyper_parameters_)

    @property
    def _n_features_out(self) -> int:
        return len(self.tree_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
