"""A tree of seven topics on three levels, from hand-made documents."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from topicgrove.tree import Documents, TopicTree

WORDS = ("the", "space", "moon", "orbit", "game", "goal", "team", "of")
PATHS = np.array([[0, 1, 3]] * 4 + [[0, 1, 4]] * 2 + [[0, 2, 5]] * 2 + [[0, 2, 6]])
PARENT = np.array([-1, 0, 0, 1, 1, 2, 2])
LEVEL = np.array([0, 1, 1, 2, 2, 2, 2])
WORDS_OF = np.array(
    [
        [9, 0, 0, 0, 0, 0, 0, 8],
        [1, 7, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 6, 0, 0, 1],
        [0, 1, 8, 0, 0, 0, 0, 0],
        [0, 1, 0, 4, 0, 0, 0, 0],
        [0, 0, 0, 0, 2, 5, 0, 0],
        [0, 0, 0, 0, 1, 0, 2, 0],
    ]
)


def share_out(paths: np.ndarray, n_tokens: np.ndarray) -> np.ndarray:
    """Level counts of documents that share each topic's tokens among them, those of low numbers first."""
    counts = np.zeros(paths.shape, np.int64)
    for topic, n in enumerate(n_tokens):
        documents, levels = np.nonzero(paths == topic)
        for k in range(n):
            counts[documents[k % len(documents)], levels[k % len(documents)]] += 1
    return counts


@pytest.fixture
def make_tree() -> Callable[..., TopicTree]:
    def make(**changes: object) -> TopicTree:
        n_tokens = WORDS_OF.sum(axis=1)
        arrays = {
            "parent": PARENT.copy(),
            "level": LEVEL.copy(),
            "n_docs": np.bincount(PATHS.ravel()),
            "n_tokens": n_tokens,
            "word_counts": sparse.csr_array(WORDS_OF),
            "vocabulary": WORDS,
            "beta": np.array([0.5, 0.25, 0.1]),
            "documents": Documents(
                PATHS.copy(),
                share_out(PATHS, n_tokens),
                ids=tuple(f"doc-{d}" for d in range(len(PATHS))),
                titles=tuple(f"Title {d}" for d in range(len(PATHS))),
            ),
        }
        return TopicTree(**(arrays | changes))

    return make


@pytest.fixture
def tree(make_tree: Callable[..., TopicTree]) -> TopicTree:
    return make_tree()
