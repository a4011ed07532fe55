"""The sampler's state: assignments, the tree and the counts, and how their columns are laid out.

Kernels change the state inside a sweep; here it is looked at, checked, and laid out anew between sweeps.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.columns import kept, lines, odd_lines, packed, runs
from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus
from topicgrove.corpus.shards import blocks_of_documents, shard_bounds
from topicgrove.kernels.levels import root_likelihoods
from topicgrove.kernels.structures import (
    CONTROL_STRIDE,
    N_CONTROL,
    N_IDS,
    N_TOPICS,
    ROOT,
    Counts,
    Documents,
    Layout,
    Tree,
)
from topicgrove.kernels.topics import clear_columns, count_tokens, move_columns, put_columns
from topicgrove.memory import Reserve, floats, longs
from topicgrove.prior import HyperParameters
from topicgrove.workers import Workers

ROWS = 256
"""Words that a thread takes at once."""

DOCUMENTS = 256
"""Documents that a thread takes at once."""


class Nodes(NamedTuple):
    """The living topics in breadth-first order, siblings together; -1 is no slot."""

    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    n_docs: NDArray[np.int64]
    slot: NDArray[np.int64]


class State:
    """All that a sampler changes.

    In a run of several processes each has the state of its own documents; the tree, the counts of topics and their
    distributions are those of all documents. Methods that say "over all ranks" are called by all of them.
    """

    def __init__(
        self,
        corpus: Corpus,
        hyper: HyperParameters,
        seed: int,
        workers: Workers,
        keys: NDArray[np.uint64] | None = None,
        comm: Communicator | None = None,
    ) -> None:
        self.comm = comm or Communicator()
        self.hyper = hyper
        self.n_levels = hyper.n_levels
        self.n_words = corpus.n_words
        self.prior = hyper.for_kernels(corpus.n_words)
        self.workers = workers
        self.seed = np.uint64(seed)
        self.starts = np.zeros((self.comm.size + 1, 2), np.int64)
        self.starts[self.comm.rank + 1] = corpus.n_docs, corpus.n_tokens
        self.comm.allreduce_sum(self.starts)
        np.cumsum(self.starts, axis=0, out=self.starts)
        self.docs = Documents(
            words=corpus.words,
            offsets=corpus.offsets,
            levels=np.zeros(corpus.n_tokens, np.uint8),
            leaf=np.full(corpus.n_docs, -1, np.int32),
            key=np.arange(*self.own_docs, dtype=np.uint64) if keys is None else keys,
        )
        self.control = np.zeros(N_CONTROL * CONTROL_STRIDE, np.int64)
        self.control[N_IDS * CONTROL_STRIDE] = 1
        blocks = np.linspace(0, -(-self.n_words // ROWS), self.comm.size + 1).astype(np.int64)
        self.row_bounds = list(pairwise(np.minimum(blocks * ROWS, self.n_words).tolist()))
        self.refreshes = 0
        # No count of a word exceeds its frequency, and what is half as wide is read twice as fast.
        frequency = np.zeros(corpus.n_words, np.int64)
        for _, tokens in blocks_of_documents(corpus.offsets):
            frequency += np.bincount(corpus.words[tokens], minlength=corpus.n_words)
        self.word_bounds = shard_bounds(np.append(0, np.cumsum(frequency)), workers.n_threads)
        self.comm.allreduce_sum(frequency)
        self.count_type: type = np.uint16 if int(frequency.max(initial=0)) < 2**16 else np.int32
        self.longest = int(corpus.document_lengths.max(initial=1))
        self._slot_levels = np.zeros(0, np.int64)
        self._levels_of: Layout | None = None
        self._phi_memory = Reserve()
        self._count_memory = [Reserve(), Reserve()]
        self._first_layout()

    @property
    def own_docs(self) -> tuple[int, int]:
        """Where this rank's documents begin and end among those of all ranks."""
        first, last = self.starts[self.comm.rank : self.comm.rank + 2, 0]
        return int(first), int(last)

    @property
    def n_tokens_in_all(self) -> int:
        """N of all ranks."""
        return int(self.starts[-1, 1])

    @property
    def n_docs(self) -> int:
        """D, of this rank."""
        return len(self.docs.leaf)

    @property
    def n_slow(self) -> int:
        """Columns of slow topics, padding included: the slot of the first rapid one."""
        return int(self.counts.log_phi.shape[1])

    @property
    def matrix_bytes(self) -> int:
        """Memory of the topic matrices: phi, and counts twice, as they move when the layout changes."""
        return sum(reserve.n_bytes for reserve in (self._phi_memory, *self._count_memory))

    def _first_layout(self) -> None:
        """A root alone, rapid."""
        empty = np.zeros(0, np.int32)
        nothing = np.zeros(self.n_levels + 1, np.int64)
        self.layout = Layout(nothing, nothing.copy(), nothing[1:].copy(), nothing[1:].copy(), empty)
        self.tree = Tree(empty, empty, empty.astype(np.float32), empty.astype(np.float32), empty)
        no_columns: NDArray[Any] = np.zeros((self.n_words, 0), self.count_type)
        self.counts = Counts(no_columns, no_columns.astype(np.float32), floats(self.n_words), empty)
        one = np.zeros(1, np.int64)
        root = Nodes(one, one, one, one - 1)
        self.lay_out(root, np.zeros(1, np.bool_))

    def slot_levels(self) -> NDArray[np.int64]:
        """The level of every slot, padding and unused columns included."""
        if self._levels_of is self.layout:
            return self._slot_levels
        levels = np.arange(self.n_levels)
        slow = np.repeat(levels, np.diff(self.layout.slow_start))
        rapid = np.repeat(levels, np.diff(self.layout.rapid_start))
        padding = np.full(self.n_slow - len(slow), self.n_levels - 1)
        rest = np.full(self.counts.rapid.shape[1] - len(rapid), self.n_levels - 1)
        self._slot_levels, self._levels_of = np.concatenate([slow, padding, rapid, rest]), self.layout
        return self._slot_levels

    def nodes(self) -> Nodes:
        """The living topics (and the root), breadth first, siblings by documents, then by their ids."""
        tree = self.tree
        alive = tree.n_docs > 0
        alive[ROOT] = True
        levels = self.slot_levels()
        rank = np.full(len(levels), -1, np.int64)
        rank[ROOT] = 0
        slots = [np.array([ROOT])]
        done = 1
        for level in range(1, self.n_levels):
            here = np.flatnonzero(alive & (levels == level))
            here = here[np.lexsort((tree.id[here], -tree.n_docs[here], rank[tree.parent[here]]))]
            rank[here] = np.arange(done, done + len(here))
            done += len(here)
            slots.append(here)
        slot = np.concatenate(slots)
        parent = rank[tree.parent[slot]]
        return Nodes(parent, levels[slot], tree.n_docs[slot].astype(np.int64), slot)

    def lay_out(self, nodes: Nodes, slow: NDArray[np.bool_], *, tidy: bool = True) -> None:
        """Give every node a slot: slow ones first, by level, then rapid ones, with room for births beside them.

        Counts of rapid topics move along, or stay where they are if it need not be tidy; those of topics that were slow
        are counted from the documents. The distributions of slow topics are left to be made.
        """
        n_nodes = np.bincount(nodes.level[slow], minlength=self.n_levels)
        start = np.append(0, np.cumsum(lines(n_nodes)))
        slot = np.empty(len(slow), np.int64)
        for level in range(self.n_levels):
            slot[slow & (nodes.level == level)] = start[level] + np.arange(n_nodes[level])
        log_phi = self._phi_memory.array((self.n_words, odd_lines(int(start[-1]))), np.float32)
        self._place(nodes, slow, slot, start, log_phi, tidy=tidy)
        self.n_slow_topics = int(slow.sum())

    def slots_of(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Slots of nodes of these levels, all slow and just laid out in this order."""
        order = np.argsort(levels, kind="stable")
        within = np.arange(len(order)) - np.searchsorted(levels[order], levels[order])
        slots = np.empty(len(order), np.int64)
        slots[order] = self.layout.slow_start[levels[order]] + within
        return slots

    def grow(self, births: NDArray[np.int64] | int = 0) -> None:
        """Make room for further births in the middle of a sweep; slow topics stay where they are, with their phi.

        ``births`` are those of each level that there has to be room for besides the usual.
        """
        nodes = self.nodes()
        slow = nodes.slot < self.n_slow
        self._place(nodes, slow, nodes.slot.copy(), self.layout.slow_start, self.counts.log_phi, births)

    def _place(
        self,
        nodes: Nodes,
        slow: NDArray[np.bool_],
        slot: NDArray[np.int64],
        slow_start: NDArray[np.int64],
        log_phi: NDArray[np.float32],
        births: NDArray[np.int64] | int = 0,
        tidy: bool = True,
    ) -> None:
        """Place the rapid nodes behind the slow ones, whose slots are given, and move everything there."""
        n_slow, n_old_slow, room = log_phi.shape[1], self.n_slow, 2 * self.workers.n_threads
        before = np.where(nodes.slot < n_old_slow, -1, nodes.slot - n_old_slow)
        columns = None if tidy else kept(self.layout, nodes.level, slow, before, slow_start, room)
        if columns is None:
            columns = packed(nodes.level, slow, slow_start, room + births)
            counts = self._moved_counts(before, columns.column, len(columns.layout.free), log_phi)
        else:
            counts = self._kept_counts(before[slow & (before >= 0)], log_phi)
        slot[~slow] = n_slow + columns.column[~slow]
        self._rename_leaves(nodes.slot, slot, len(self.tree.parent))
        self.tree = self._moved_tree(nodes, slot, n_slow + len(columns.layout.free))
        self.counts, self.layout = counts, columns.layout
        self.control[N_TOPICS * CONTROL_STRIDE] = len(nodes.slot)
        self.set_weights(slot, nodes.level)
        was_slow = slot[~slow & (nodes.slot >= 0) & (nodes.slot < n_old_slow)]
        if len(was_slow):
            self._count_rapid(was_slow)

    def _moved_tree(self, nodes: Nodes, slot: NDArray[np.int64], n_slots: int) -> Tree:
        """The nodes in their slots; their weights are left to be set."""
        tree = Tree(
            parent=np.zeros(n_slots, np.int32),
            n_docs=np.zeros(n_slots, np.int32),
            log_docs=np.full(n_slots, -np.inf, np.float32),
            log_visits=np.zeros(n_slots, np.float32),
            id=np.zeros(n_slots, np.int32),
        )
        tree.parent[slot] = slot[nodes.parent]
        tree.n_docs[slot] = nodes.n_docs
        known = nodes.slot >= 0
        tree.id[slot[known]] = self.tree.id[nodes.slot[known]]
        return tree

    def _moved_counts(
        self, before: NDArray[np.int64], column: NDArray[np.int64], n_columns: int, log_phi: NDArray[np.float32]
    ) -> Counts:
        """Counts of the nodes that have a column and had one, in other memory; zero elsewhere."""
        old = self.counts
        self._count_memory.reverse()
        rapid = self._count_memory[0].array((self.n_words, n_columns), self.count_type)
        counts = Counts(rapid, log_phi, old.root_phi, np.zeros(n_columns, np.int32))
        stays = (before >= 0) & (column >= 0)
        moves = runs(column[stays], before[stays])
        counts.totals[column[stays]] = old.totals[before[stays]]
        self.workers.ranges(self.n_words, lambda a, b: move_columns(a, b, old.rapid, rapid, moves), ROWS * 4)
        return counts

    def _kept_counts(self, left: NDArray[np.int64], log_phi: NDArray[np.float32]) -> Counts:
        """Counts where they are, but for the columns of topics that ``left``."""
        counts = self.counts._replace(log_phi=log_phi)
        counts.totals[left] = 0
        self.workers.ranges(self.n_words, lambda a, b: clear_columns(a, b, left, counts.rapid), ROWS * 4)
        return counts

    def _count_rapid(self, slots: NDArray[np.int64]) -> None:
        """Count the tokens of topics that were slow into their columns, which are zero."""
        rapid, columns = self.counts.rapid, slots - self.n_slow
        # In the memory that the counts are not in.
        counted = self._count_memory[1].array((self.n_words, len(slots)), np.int32)
        counted.fill(0)
        totals, _ = self.count(slots, np.arange(len(slots)), counted)
        self.workers.ranges(self.n_words, lambda a, b: put_columns(a, b, counted, columns, rapid), ROWS * 4)
        self.counts.totals[columns] = totals[slots]

    def _rename_leaves(self, old: NDArray[np.int64], new: NDArray[np.int64], n_old: int) -> None:
        table = np.full(n_old + 1, -1, np.int32)
        known = old >= 0
        table[old[known]] = new[known]
        # Documents that have not entered have leaf -1, which finds the last entry: -1 again.
        np.take(table, self.docs.leaf, out=self.docs.leaf, mode="wrap")

    def set_weights(self, slots: NDArray[np.int64], levels: NDArray[np.int64]) -> None:
        """log m and log(gamma + m) of the given topics."""
        n_docs = self.tree.n_docs[slots]
        with np.errstate(divide="ignore"):
            self.tree.log_docs[slots] = np.log(n_docs)
            visits = np.log(n_docs + self.prior.gamma[levels])
        self.tree.log_visits[slots] = np.where(n_docs > 0, visits, self.prior.log_gamma[levels])

    def set_hyper(self, hyper: HyperParameters) -> None:
        """Other hyper-parameters from here on; the sampler's refresh has to follow and makes phi and pi of them."""
        if np.array_equal(hyper.beta, self.hyper.beta):
            self.prior = hyper.with_tables(self.prior)
        else:
            self.prior = hyper.for_kernels(self.n_words)
        self.hyper = hyper
        nodes = self.nodes()
        self.set_weights(nodes.slot, nodes.level)

    def own_rows(self, task: Callable[[int, int], None], block: int = ROWS) -> None:
        """Run ``task(first, last)`` for this rank's words, in blocks; together the ranks have all words."""
        begin, end = self.row_bounds[self.comm.rank]
        self.workers.ranges(end - begin, lambda a, b: task(begin + a, begin + b), block)

    def keep_root(self) -> None:
        """The root's phi in a vector of its own; to be called whenever log phi was made."""
        self.counts.root_phi[:] = root_likelihoods(self.counts.log_phi)

    def count(
        self, slots: NDArray[np.int64], columns: NDArray[np.int64], matrix: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the tokens of some topics into columns of a zero ``matrix``, over all ranks.

        Returns the tokens of those topics and the documents of all, by slot.
        """
        totals, n_docs = self.count_here(slots, columns, matrix)
        self.comm.allreduce_sum(matrix, "slow")
        self.comm.allreduce_sum(totals)
        self.comm.allreduce_sum(n_docs)
        return totals, n_docs

    def count_here(
        self, slots: NDArray[np.int64], columns: NDArray[np.int64], matrix: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same for this rank's documents alone."""
        target = np.full(len(self.tree.parent), -1, np.int32)
        target[slots] = columns
        docs, parent = self.docs, self.tree.parent
        sums = []

        def count_words(part: int, _end: int) -> None:
            words = self.word_bounds[part]
            (totals, n_docs), scratch = longs(2, len(target)), longs(4, self.n_levels)
            for some, _ in blocks_of_documents(docs.offsets):
                if words[0] < words[1]:
                    count_tokens((some.start, some.stop), words, docs, parent, target, matrix, totals, n_docs, scratch)
            sums.append((totals, n_docs))

        self.workers.ranges(len(self.word_bounds), count_words, 1)
        totals, n_docs = np.sum(sums, axis=0)
        return totals, n_docs

    def count_documents(self) -> None:
        """m of every topic, from the documents: for those that changed paths outside the tree's book-keeping."""
        none = np.zeros(0, np.int64)
        n_docs = self.count_here(none, none, self.counts.rapid)[1]
        self.comm.allreduce_sum(n_docs)
        self.tree.n_docs[:] = n_docs
        self.set_weights(np.arange(len(self.tree.n_docs)), self.slot_levels())
        self.control[N_TOPICS * CONTROL_STRIDE] = max(1, int(np.count_nonzero(self.tree.n_docs)))

    def level_counts(self) -> NDArray[np.int64]:
        """(n_docs, n_levels) C_dl."""
        counts = np.empty((self.n_docs, self.n_levels), np.int64)
        for docs, tokens in blocks_of_documents(self.docs.offsets):
            n_docs = docs.stop - docs.start
            document = np.repeat(np.arange(n_docs), np.diff(self.docs.offsets[docs.start : docs.stop + 1]))
            flat = np.bincount(document * self.n_levels + self.docs.levels[tokens], minlength=n_docs * self.n_levels)
            counts[docs] = flat.reshape(n_docs, self.n_levels)
        return counts

    def paths(self, nodes: Nodes) -> NDArray[np.int32]:
        """(n_docs, n_levels) positions in ``nodes``; -1 for documents that have not entered."""
        index = np.full(len(self.tree.parent), -1, np.int32)
        index[nodes.slot] = np.arange(len(nodes.slot))
        paths = np.empty((self.n_docs, self.n_levels), np.int32)
        entered = self.docs.leaf >= 0
        here = np.where(entered, index[self.docs.leaf], -1)
        for level in range(self.n_levels - 1, -1, -1):
            paths[:, level] = here
            here = np.where(entered, nodes.parent[here], -1)
        return paths
