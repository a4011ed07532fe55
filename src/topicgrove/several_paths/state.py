"""The state of the several-paths model: a tree, the node of every token, and the counts that follow from them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus
from topicgrove.kernels.walk_structures import WalkSpace, WalkTokens, WalkTree, WalkWords
from topicgrove.kernels.walk_tables import count_walks, refresh_words
from topicgrove.kernels.walks import draw_walks, start_walks
from topicgrove.memory import aligned, floats, longs
from topicgrove.several_paths.shape import WalkHyper, levels_of, walk_tree
from topicgrove.workers import ROWS, Workers

FEW_TOPICS = 32
"""Maximum number of topics for which every topic is weighed for every token."""

BLOCK_TOKENS = 1 << 14
"""Least number of tokens that a thread takes at once."""


class WalkState:
    """Documents whose tokens walk down a tree.

    ``parent`` has -1 for the root and numbers nodes breadth first. Initially, all tokens are at the root and none is
    counted: call `start`, `place` or `observe` next. The seed and a key of each document start the random streams. The
    key is the document's number unless ``keys`` are given.

    With several ranks, the documents are those of this one, and the counts of words those of all. `start` and `place`
    are collective.
    """

    tree: WalkTree

    def __init__(
        self,
        corpus: Corpus,
        parent: NDArray[np.integer],
        hyper: WalkHyper,
        seed: int,
        workers: Workers,
        keys: NDArray[np.uint64] | None = None,
        few_topics: int = FEW_TOPICS,
        comm: Communicator | None = None,
    ) -> None:
        self.comm = comm or Communicator()
        self.few_topics = few_topics
        self.n_words = corpus.n_words
        self.seed = np.uint64(seed)
        self.workers = workers
        if keys is None:
            keys = np.arange(corpus.n_docs, dtype=np.uint64)
        self.tokens = WalkTokens(corpus.words, corpus.offsets, keys, np.zeros(corpus.n_tokens, np.int32))
        self.n_moved = 0
        self.refreshed: NDArray[np.int32] | None = None
        self._lay_out(parent, hyper)

    @property
    def n_docs(self) -> int:
        """The number of documents, including empty ones."""
        return len(self.tokens.offsets) - 1

    @property
    def n_nodes(self) -> int:
        """T, the number of topics."""
        return len(self.parent)

    @property
    def node(self) -> NDArray[np.int32]:
        """The node of every token."""
        return self.tokens.node

    def place(
        self,
        node: NDArray[np.integer],
        parent: NDArray[np.integer],
        hyper: WalkHyper,
        old: NDArray[np.integer] | None = None,
    ) -> None:
        """Place every token at a node of a tree, and count.

        ``old`` has the numbers of the topics in the current tree, -1 for new ones: topics that are slow stay so, and
        have no phi until it is instantiated. Without it, all topics are collapsed.
        """
        self.tokens.node[:] = node
        slow = np.zeros(len(parent), np.uint8) if old is None else np.where(old >= 0, self.words.slow[old], 0)
        self._lay_out(parent, hyper)
        self.make_slow(slow > 0)
        self._count()

    def keep_refreshed(self) -> None:
        """Keep the node of every token at each refresh in ``refreshed``; called right after one."""
        self.refreshed = self.node.copy()

    def restore(
        self,
        node: NDArray[np.integer],
        refreshed: NDArray[np.integer],
        parent: NDArray[np.integer],
        hyper: WalkHyper,
    ) -> None:
        """Go on where another state was, with the nodes of its tokens now and at its last refresh."""
        self.place(refreshed, parent, hyper)
        self.keep_refreshed()
        self.tokens.node[:] = node
        self._tally()
        self._invert()

    def start(self, *, learning: bool = True) -> None:
        """Draw the node of every token from the prior and the current knowledge of its word."""

        def draw(first: int, last: int) -> None:
            start_walks(first, last, self.seed, self.tokens, self.tree, self.words, self._stream())

        self.workers.ranges(self.n_docs, draw, ROWS)
        if learning:
            self._count()

    def observe(self, counts: sparse.csr_array) -> None:
        """Use counts of words from elsewhere: (T, V) tokens of each word in each topic."""
        dense = self.words.counts.reshape(self.n_words, self.n_nodes)
        dense.fill(0)
        entries = counts.tocoo()
        dense[entries.col, entries.row] = entries.data
        self.words.totals[:] = np.asarray(counts.sum(axis=1)).ravel()
        self.refresh()

    def set_hyper(self, hyper: WalkHyper) -> None:
        """Set the hyper-parameters, and rebuild the tables that depend on them."""
        self.hyper = hyper
        self.tree = walk_tree(self.parent, hyper)
        beta = hyper.beta[self.level]
        self.words.beta[:] = beta
        self.words.mass[:] = beta * self.n_words
        self.refresh()

    def make_slow(self, slow: NDArray[np.bool_]) -> None:
        """Say whose phi is instantiated; it has to be set before the next sweep."""
        self.words.slow[:] = slow
        self.words.any_slow[0] = slow.any()

    def collapse(self) -> None:
        """Make no topic slow, and rebuild the tables."""
        if self.words.any_slow[0]:
            self.make_slow(np.zeros(self.n_nodes, np.bool_))
            self.refresh()

    def refresh(self, *, fresh: bool = True) -> None:
        """Rebuild the tables of phi and H from the counts; if not ``fresh``, H alone."""
        self._invert()
        if fresh and self.refreshed is not None:
            self.refreshed[:] = self.node

        def fill(first: int, last: int) -> None:
            refresh_words(first, last, fresh, self.tree, self.words)

        self.workers.ranges(self.n_words, fill, ROWS)

    def sweep(
        self,
        iteration: int,
        *,
        learning: bool = True,
        on_documents: Callable[[int], None] = lambda n_drawn: None,
    ) -> None:
        """Draw the node of every token once; counts of words change only while learning."""
        self.draw(0, self.n_docs, iteration, learning=learning, on_documents=on_documents)

    def draw(
        self,
        first: int,
        last: int,
        iteration: int,
        *,
        learning: bool = True,
        on_documents: Callable[[int], None] = lambda n_drawn: None,
    ) -> None:
        """Draw the node of every token of the documents first..last."""
        blocks, turn, n_drawn = self._blocks(first, last), threading.Lock(), [0]
        for space in self.spaces:
            space.moved[0] = 0

        def work(thread: int) -> None:
            space = self.spaces[thread]
            while True:
                with turn:
                    block = next(blocks, None)
                if block is None:
                    return
                draw_walks(*block, self.seed, np.uint64(iteration), learning, self.tokens, self.tree, self.words, space)
                n_drawn[0] = max(n_drawn[0], block[1])
                if self.workers.n_threads == 1:
                    on_documents(n_drawn[0])

        self.workers.each(work, meanwhile=lambda: on_documents(n_drawn[0]))
        self.n_moved = sum(int(space.moved[0]) for space in self.spaces)

    def counts(self) -> sparse.csr_array:
        """Return (T, V) tokens of each word in each topic."""
        dense = self.words.counts.reshape(self.n_words, self.n_nodes)
        return sparse.csr_array(sparse.csc_array(dense.T))

    def document_counts(self) -> sparse.csr_array:
        """Return (D, T) tokens of each document of this rank in each topic."""
        return document_counts(self.tokens.offsets, self.node, self.n_nodes)

    def _blocks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        parts = (self.tokens.offsets[first + 1 : last + 1] - 1) // BLOCK_TOKENS
        bounds = [first, *(first + 1 + np.flatnonzero(np.diff(parts))).tolist(), last]
        return pairwise(bounds)

    def _count(self) -> None:
        self._tally()
        self.refresh()

    def _invert(self) -> None:
        self.words.inverse[:] = np.float32(1.0) / (self.words.totals.astype(np.float32) + self.words.mass)

    def _tally(self) -> None:
        self.words.counts.fill(0)
        self.words.totals.fill(0)

        def count(first: int, last: int) -> None:
            count_walks(first, last, self.n_nodes, self.tokens, self.words)

        self.workers.ranges(self.n_docs, count, ROWS)
        self.comm.allreduce_sum(self.words.counts, "slow")
        self.comm.allreduce_sum(self.words.totals, "slow")

    def _lay_out(self, parent: NDArray[np.integer], hyper: WalkHyper) -> None:
        self.parent = np.asarray(parent, np.int64)
        self.level = levels_of(self.parent)
        self.words = _walk_words(self.n_words, self.n_nodes, len(walk_tree(self.parent, hyper).nodes))
        self.spaces = [_walk_space(self.n_nodes) for _ in range(self.workers.n_threads)]
        for space in self.spaces:
            space.every[0] = self.n_nodes <= self.few_topics
        self.set_hyper(hyper)

    @staticmethod
    def _stream() -> NDArray[np.uint64]:
        return np.zeros(2, np.uint64)


def document_counts(offsets: NDArray[np.int64], node: NDArray[np.integer[Any]], n_topics: int) -> sparse.csr_array:
    """Return (D, T) tokens of each document in each topic."""
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    ones = np.ones(len(document), np.int32)
    return sparse.coo_array((ones, (document, node)), shape=(len(offsets) - 1, n_topics)).tocsr()


def _walk_words(n_words: int, n_nodes: int, n_inner: int) -> WalkWords:
    return WalkWords(
        counts=aligned((n_words * n_nodes,), np.int32),
        totals=aligned((n_nodes,), np.int32),
        inverse=floats(n_nodes),
        beta=floats(n_nodes),
        mass=floats(n_nodes),
        phi=floats(n_words * n_nodes),
        below=floats(n_words * n_inner),
        slow=aligned((n_nodes,), np.uint8),
        any_slow=aligned((1,), np.uint8),
    )


def _walk_space(n_nodes: int) -> WalkSpace:
    slot = aligned((n_nodes,), np.int32)
    slot.fill(-1)
    return WalkSpace(
        stream=aligned((2,), np.uint64),
        own=aligned((n_nodes,), np.int32),
        through=aligned((n_nodes,), np.int32),
        slot=slot,
        size=longs(2),
        node=aligned((n_nodes,), np.int32),
        source=aligned((n_nodes,), np.int32),
        gain=floats(n_nodes),
        phi=floats(n_nodes),
        drawn=floats(n_nodes),
        inner=aligned((n_nodes,), np.int32),
        above=aligned((n_nodes,), np.int32),
        ratio=floats(n_nodes),
        reach=floats(n_nodes),
        smooth=floats(n_nodes),
        path=aligned((n_nodes,), np.int32),
        every=longs(1),
        moved=longs(1),
    )
