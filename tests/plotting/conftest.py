"""Trees of any shape, with words."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy import sparse

from topicgrove.tree import TopicTree


@pytest.fixture
def make_tree() -> Callable[..., TopicTree]:
    """A tree from its parents: every topic has all words, each less often than the one before."""

    def make(parent: Sequence[int], words: Sequence[str], n_docs: Sequence[int] | None = None) -> TopicTree:
        level = [0]
        for above in parent[1:]:
            level.append(level[above] + 1)
        counts = np.array([[(t + 2) * 3 ** (len(words) - v) for v in range(len(words))] for t in range(len(parent))])
        return TopicTree(
            np.array(parent),
            np.array(level),
            np.array(n_docs if n_docs is not None else [10] * len(parent)),
            counts.sum(axis=1),
            word_counts=sparse.csr_array(counts),
            vocabulary=tuple(words),
        )

    return make
