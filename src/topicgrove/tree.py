"""The tree of topics as users see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TopicTree:
    """Topics 0 .. T-1 in breadth-first order: the root is 0, siblings follow each other, most documents first.

    Parameters
    ----------
    parent : array of shape (T,)
        The parent's id; -1 for the root.
    level : array of shape (T,)
        0 for the root.
    n_docs, n_tokens : arrays of shape (T,)
        Documents whose path goes through a topic, and tokens assigned to it.

    Examples
    --------
    >>> import numpy as np
    >>> parent, level = np.array([-1, 0, 0, 1]), np.array([0, 1, 1, 2])
    >>> tree = TopicTree(parent, level, n_docs=np.array([3, 2, 1, 2]), n_tokens=np.array([9, 4, 2, 1]))
    >>> tree.children[0].tolist(), tree.path(3), len(tree)
    ([1, 2], [0, 1, 3], 4)
    """

    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    n_docs: NDArray[np.int64]
    n_tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"<TopicTree: {len(self)} topics, {'-'.join(map(str, self.n_topics_per_level))} by level>"

    @property
    def n_levels(self) -> int:
        """Levels, the root's included."""
        return int(self.level[-1]) + 1

    @property
    def n_topics_per_level(self) -> list[int]:
        """Topics on each level, the root's first."""
        return [int(n) for n in np.bincount(self.level)]

    @cached_property
    def children(self) -> tuple[NDArray[np.int64], ...]:
        """The ids of each topic's children, most documents first."""
        # Breadth first means that children of one topic are consecutive, in the order of their parents.
        ends = np.cumsum(np.bincount(self.parent[1:], minlength=len(self))) + 1
        return tuple(np.split(np.arange(1, len(self)), ends[:-1] - 1))

    def path(self, topic: int) -> list[int]:
        """The topics from the root to this one."""
        path = [topic]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]
