"""Paths and levels of the documents, and counts made from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus
from topicgrove.corpus.shards import blocks_of_documents, shard_bounds
from topicgrove.kernels.structures import Documents
from topicgrove.kernels.topics import count_tokens
from topicgrove.memory import longs
from topicgrove.workers import Workers

Totals = tuple[NDArray[np.int64], NDArray[np.int64]]


class Assignments:
    """The assignments c and z of this rank's documents.

    In a run of several processes, each has its own documents. Methods that say "over all ranks" are called by all of
    them. ``docs`` has the arrays for kernels.
    """

    def __init__(
        self,
        corpus: Corpus,
        n_levels: int,
        workers: Workers,
        comm: Communicator,
        keys: NDArray[np.uint64] | None = None,
    ) -> None:
        self.comm = comm
        self.n_levels = n_levels
        self._workers = workers
        self.starts = np.zeros((comm.size + 1, 2), np.int64)
        self.starts[comm.rank + 1] = corpus.n_docs, corpus.n_tokens
        comm.allreduce_sum(self.starts)
        np.cumsum(self.starts, axis=0, out=self.starts)
        self.docs = Documents(
            words=corpus.words,
            offsets=corpus.offsets,
            levels=np.zeros(corpus.n_tokens, np.uint8),
            leaf=np.full(corpus.n_docs, -1, np.int32),
            key=np.arange(*self.own_docs, dtype=np.uint64) if keys is None else keys,
        )
        self.longest = int(corpus.document_lengths.max(initial=1))
        frequency = np.zeros(corpus.n_words, np.int64)
        for _, tokens in blocks_of_documents(corpus.offsets):
            frequency += np.bincount(corpus.words[tokens], minlength=corpus.n_words)
        self._word_bounds = shard_bounds(np.append(0, np.cumsum(frequency)), workers.n_threads)
        comm.allreduce_sum(frequency)
        self.most_frequent = int(frequency.max(initial=0))
        """Tokens of the most frequent word, over all ranks."""

    @property
    def own_docs(self) -> tuple[int, int]:
        """Return where this rank's documents begin and end among those of all ranks."""
        first, last = self.starts[self.comm.rank : self.comm.rank + 2, 0]
        return int(first), int(last)

    @property
    def own_tokens(self) -> tuple[int, int]:
        """Return where this rank's tokens begin and end among those of all ranks."""
        first, last = self.starts[self.comm.rank : self.comm.rank + 2, 1]
        return int(first), int(last)

    @property
    def n_docs(self) -> int:
        """D, of this rank."""
        return len(self.docs.leaf)

    @property
    def n_tokens_in_all(self) -> int:
        """N, over all ranks."""
        return int(self.starts[-1, 1])

    def rename_leaves(self, old: NDArray[np.int64], new: NDArray[np.int64], n_old: int) -> None:
        """Move documents from slots ``old``, of ``n_old`` in all, to slots ``new``; -1 means no slot."""
        table = np.full(n_old + 1, -1, np.int32)
        known = old >= 0
        table[old[known]] = new[known]
        # Documents that have not entered have leaf -1, which finds the last entry: -1 again.
        np.take(table, self.docs.leaf, out=self.docs.leaf, mode="wrap")

    def count(
        self, parent: NDArray[np.int32], slots: NDArray[np.int64], columns: NDArray[np.int64], matrix: NDArray[Any]
    ) -> Totals:
        """Count the tokens of some topics into columns of a zero ``matrix``, over all ranks.

        Returns the tokens of those topics and the documents of all topics, by slot.
        """
        totals, n_docs = self.count_here(parent, slots, columns, matrix)
        self.comm.allreduce_sum(matrix, "slow")
        self.comm.allreduce_sum(totals)
        self.comm.allreduce_sum(n_docs)
        return totals, n_docs

    def count_here(
        self, parent: NDArray[np.int32], slots: NDArray[np.int64], columns: NDArray[np.int64], matrix: NDArray[Any]
    ) -> Totals:
        """Count as `count` does, for this rank's documents alone."""
        target = np.full(len(parent), -1, np.int32)
        target[slots] = columns
        docs, sums = self.docs, []

        def count_words(part: int, _end: int) -> None:
            words = self._word_bounds[part]
            (totals, n_docs), scratch = longs(2, len(target)), longs(4, self.n_levels)
            for some, _ in blocks_of_documents(docs.offsets):
                if words[0] < words[1]:
                    count_tokens((some.start, some.stop), words, docs, parent, target, matrix, totals, n_docs, scratch)
            sums.append((totals, n_docs))

        self._workers.ranges(len(self._word_bounds), count_words, 1)
        totals, n_docs = np.sum(sums, axis=0)
        return totals, n_docs

    def count_documents(self, parent: NDArray[np.int32]) -> NDArray[np.int64]:
        """Count m of every slot, over all ranks."""
        none = np.zeros(0, np.int64)
        n_docs = self.count_here(parent, none, none, np.zeros((0, 1), np.int32))[1]
        self.comm.allreduce_sum(n_docs)
        return n_docs

    def level_counts(self) -> NDArray[np.int64]:
        """Count (n_docs, n_levels) C_dl."""
        counts = np.empty((self.n_docs, self.n_levels), np.int64)
        for docs, tokens in blocks_of_documents(self.docs.offsets):
            n_docs = docs.stop - docs.start
            document = np.repeat(np.arange(n_docs), np.diff(self.docs.offsets[docs.start : docs.stop + 1]))
            flat = np.bincount(document * self.n_levels + self.docs.levels[tokens], minlength=n_docs * self.n_levels)
            counts[docs] = flat.reshape(n_docs, self.n_levels)
        return counts
