"""What all fitted models have in common: a tree, the documents of training, and methods that need no more."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from topicgrove.corpus import Corpus, TextRules
from topicgrove.corpus.dropped import Dropped
from topicgrove.holding_out import HeldOut
from topicgrove.tree import TopicTree


class TreeModel:
    """The fitted attributes that `HierarchicalLDA` and `NestedHDP` share."""

    n_jobs: int | None
    tree_: TopicTree
    paths_: NDArray[np.integer[Any]]
    log_joint_: float
    history_: list[dict[str, Any]]
    rules_: TextRules | None
    dropped_: tuple[Dropped, ...] | None
    n_features_in_: int
    _held_out: HeldOut | None = None
    _document_keys: NDArray[np.uint32] | None = None

    @property
    def held_out_(self) -> NDArray[np.int64] | None:
        """Positions in X of the held-out documents."""
        return None if self._held_out is None else self._held_out.documents

    def set_vocabulary(self, words: Any) -> Self:
        """Set the words of X's columns: a sequence of strings, or the fitted vectorizer that counted them.

        In a pipeline that begins with a vectorizer, pass the steps before this one: ``set_vocabulary(pipeline[:-1])``.
        """
        check_is_fitted(self)
        if hasattr(words, "get_feature_names_out"):
            words = words.get_feature_names_out()
        vocabulary = Corpus.from_matrix(np.zeros((1, self.n_features_in_), np.int64), words).vocabulary
        self.tree_ = replace(self.tree_, vocabulary=vocabulary)
        return self

    def plot_training(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot log joint, topics per level and speed over the sweeps, and return a matplotlib Figure.

        With a path that ends in .svg, .pdf or .png, also write the figure there.
        """
        check_is_fitted(self)
        from topicgrove.plotting import plot_training

        return plot_training(self.history_, int(self.tree_.n_tokens.sum()), path)

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
