"""The words' rows of a matrix, shared out to the ranks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from topicgrove.communication.communicator import Communicator
from topicgrove.workers import ROWS, Workers


class Rows:
    """Rows in whole blocks: about as many for each rank.

    >>> rows = Rows(600, Workers(1), Communicator())
    >>> rows.bounds
    [(0, 600)]
    """

    def __init__(self, n_words: int, workers: Workers, comm: Communicator) -> None:
        self.n_words = n_words
        self.workers = workers
        self.comm = comm
        blocks = np.linspace(0, -(-n_words // ROWS), comm.size + 1).astype(np.int64)
        self.bounds = list(pairwise(np.minimum(blocks * ROWS, n_words).tolist()))
        """First and last row, exclusive, of each rank."""

    def own(self, task: Callable[[int, int], None], block: int = ROWS) -> None:
        """Run ``task(first, last)`` for this rank's rows, in blocks."""
        begin, end = self.bounds[self.comm.rank]
        self.workers.ranges(end - begin, lambda a, b: task(begin + a, begin + b), block)
