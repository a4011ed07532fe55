"""The input of tree metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from topicgrove.tree import TopicTree

if TYPE_CHECKING:
    from topicgrove.prior import HyperParameters
    from topicgrove.several_paths.shape import WalkHyper


class Measured(NamedTuple):
    """A tree, its words, and the documents that measure it: the arguments of `evaluate_tree`."""

    tree: TopicTree
    word_counts: Any
    hyper: HyperParameters | WalkHyper
    corpus: Any
    top_words: list[list[int]]
    classes: Iterable[Sequence[str] | None] | None
    paths: ArrayLike | None
