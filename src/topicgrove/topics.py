"""The topics: their tree, their words, and their columns in the matrices of counts and of phi.

Kernels change the arrays inside a sweep. Between sweeps, topics get new columns here: slow ones first, then rapid ones,
with room for births.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.assignments import Assignments
from topicgrove.columns import kept, lines, odd_lines, packed, runs
from topicgrove.kernels.levels import root_likelihoods
from topicgrove.kernels.structures import ROOT, Control, Layout, Prior, TopicArrays, TopicWords, Tree
from topicgrove.kernels.topics import clear_columns, move_columns, put_columns
from topicgrove.kernels.tree import has_room, new_column
from topicgrove.memory import Reserve, control, floats
from topicgrove.workers import ROWS, Workers


class Nodes(NamedTuple):
    """The living topics in breadth-first order, siblings together; -1 stands for a topic without a slot."""

    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    n_docs: NDArray[np.int64]
    slot: NDArray[np.int64]


def stored_name(field: str) -> str:
    """Return the name of a field of `Tree` in a snapshot.

    >>> stored_name("parent"), stored_name("log_weight")
    ('tree.parent', 'tree.log_docs')
    """
    return "tree.log_docs" if field == "log_weight" else f"tree.{field}"


class Topics:
    """Owner of the topics' arrays (``arrays``, for kernels) and of their meaning.

    In a run of several processes, all ranks have the same topics between two sweeps.
    """

    tree: Tree
    words: TopicWords
    layout: Layout

    def __init__(self, n_words: int, prior: Prior, assignments: Assignments, workers: Workers) -> None:
        self.n_words = n_words
        self.n_levels = len(prior.alpha)
        self.prior = prior
        self.n_slow_topics = 0
        self.control: Control = control()
        # No count of a word exceeds its frequency, and narrow counts are read twice as fast.
        self.count_type: type = np.uint16 if assignments.most_frequent < 2**16 else np.int32
        self._assignments = assignments
        self._workers = workers
        self._slot_levels = np.zeros(0, np.int64)
        self._levels_of: Layout | None = None
        self._phi_memory = Reserve()
        self._count_memory = [Reserve(), Reserve()]
        self._lay_out_root()

    def _lay_out_root(self) -> None:
        """Lay out a tree of a rapid root alone."""
        empty = np.zeros(0, np.int32)
        nothing = np.zeros(self.n_levels + 1, np.int64)
        self.layout = Layout(nothing, nothing.copy(), nothing[1:].copy(), nothing[1:].copy(), empty)
        self.tree = Tree(empty, empty, empty.astype(np.float32), empty.astype(np.float32), empty)
        no_columns: NDArray[Any] = np.zeros((self.n_words, 0), self.count_type)
        self.words = TopicWords(no_columns, no_columns.astype(np.float32), floats(self.n_words), empty)
        one = np.zeros(1, np.int64)
        self.lay_out(Nodes(one, one, one, one - 1), np.zeros(1, np.bool_))

    @property
    def arrays(self) -> TopicArrays:
        """The arrays for kernels, valid until the layout changes."""
        return TopicArrays(self.tree, self.words, self.layout, self.control)

    @property
    def n_topics(self) -> int:
        """T, the root included."""
        return int(self.control.n_topics[0])

    @property
    def n_slots(self) -> int:
        """Number of slots, used or not."""
        return len(self.tree.parent)

    @property
    def n_slow(self) -> int:
        """Columns of slow topics, padding included: the slot of the first rapid one."""
        return int(self.words.log_phi.shape[1])

    @property
    def n_bytes(self) -> int:
        """Memory of the matrices: phi once, counts twice, as they move when the layout changes."""
        return sum(reserve.n_bytes for reserve in (self._phi_memory, *self._count_memory))

    def slot_levels(self) -> NDArray[np.int64]:
        """Return the level of every slot, padding and unused columns included."""
        if self._levels_of is self.layout:
            return self._slot_levels
        levels = np.arange(self.n_levels)
        slow = np.repeat(levels, np.diff(self.layout.slow_start))
        rapid = np.repeat(levels, np.diff(self.layout.rapid_start))
        padding = np.full(self.n_slow - len(slow), self.n_levels - 1)
        rest = np.full(self.words.rapid.shape[1] - len(rapid), self.n_levels - 1)
        self._slot_levels, self._levels_of = np.concatenate([slow, padding, rapid, rest]), self.layout
        return self._slot_levels

    def nodes(self) -> Nodes:
        """Return the living topics and the root, breadth first, siblings by documents, then by ids."""
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

    def paths(self, nodes: Nodes) -> NDArray[np.int32]:
        """Return (n_docs, n_levels) positions in ``nodes``; -1 for documents that have not entered."""
        leaf = self._assignments.docs.leaf
        index = np.full(self.n_slots, -1, np.int32)
        index[nodes.slot] = np.arange(len(nodes.slot))
        paths = np.empty((len(leaf), self.n_levels), np.int32)
        entered = leaf >= 0
        here = np.where(entered, index[leaf], -1)
        for level in range(self.n_levels - 1, -1, -1):
            paths[:, level] = here
            here = np.where(entered, nodes.parent[here], -1)
        return paths

    def lay_out(self, nodes: Nodes, slow: NDArray[np.bool_], *, tidy: bool = True) -> None:
        """Give every node a slot: slow ones first, by level, then rapid ones with room for births.

        Counts of rapid topics move along, or stay in their columns if ``tidy`` is False. Topics that were slow are
        counted from the documents. The distributions of slow topics have to be computed afterwards.
        """
        n_nodes = np.bincount(nodes.level[slow], minlength=self.n_levels)
        start = np.append(0, np.cumsum(lines(n_nodes)))
        slot = np.empty(len(slow), np.int64)
        for level in range(self.n_levels):
            slot[slow & (nodes.level == level)] = start[level] + np.arange(n_nodes[level])
        log_phi = self._phi_memory.array((self.n_words, odd_lines(int(start[-1]))), np.float32)
        self._place(nodes, slow, slot, start, log_phi, tidy=tidy)
        self.n_slow_topics = int(slow.sum())

    def instantiate_all(self, nodes: Nodes | None = None) -> NDArray[np.int64]:
        """Make all topics slow; return their slots in the order of ``nodes``, by default the living topics."""
        nodes = self.nodes() if nodes is None else nodes
        self.lay_out(nodes, np.ones(len(nodes.slot), np.bool_))
        order = np.argsort(nodes.level, kind="stable")
        levels = nodes.level[order]
        within = np.arange(len(order)) - np.searchsorted(levels, levels)
        slots = np.empty(len(order), np.int64)
        slots[order] = self.layout.slow_start[levels] + within
        return slots

    def grow(self, births: NDArray[np.int64] | int = 0) -> None:
        """Make room for more births in the middle of a sweep; slow topics keep their columns and their phi.

        ``births`` are the births of each level that need room on top of the usual.
        """
        nodes = self.nodes()
        slow = nodes.slot < self.n_slow
        self._place(nodes, slow, nodes.slot.copy(), self.layout.slow_start, self.words.log_phi, births)

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
        """Place the rapid nodes after the slow ones, whose slots are given, and move everything there."""
        n_slow, n_old_slow, room = log_phi.shape[1], self.n_slow, 2 * self._workers.n_threads
        before = np.where(nodes.slot < n_old_slow, -1, nodes.slot - n_old_slow)
        columns = None if tidy else kept(self.layout, nodes.level, slow, before, slow_start, room)
        if columns is None:
            columns = packed(nodes.level, slow, slow_start, room + births)
            words = self._moved_words(before, columns.column, len(columns.layout.free), log_phi)
        else:
            words = self._kept_words(before[slow & (before >= 0)], log_phi)
        slot[~slow] = n_slow + columns.column[~slow]
        self._assignments.rename_leaves(nodes.slot, slot, self.n_slots)
        self.tree = self._moved_tree(nodes, slot, n_slow + len(columns.layout.free))
        self.words, self.layout = words, columns.layout
        self.control.n_topics[0] = len(nodes.slot)
        self.set_weights(slot, nodes.level)
        was_slow = slot[~slow & (nodes.slot >= 0) & (nodes.slot < n_old_slow)]
        if len(was_slow):
            self._count_rapid(was_slow)

    def _moved_tree(self, nodes: Nodes, slot: NDArray[np.int64], n_slots: int) -> Tree:
        """Return a tree with the nodes in their slots; their weights have to be set afterwards."""
        tree = Tree(
            parent=np.zeros(n_slots, np.int32),
            n_docs=np.zeros(n_slots, np.int32),
            log_weight=np.full(n_slots, -np.inf, np.float32),
            log_visits=np.zeros(n_slots, np.float32),
            id=np.zeros(n_slots, np.int32),
        )
        tree.parent[slot] = slot[nodes.parent]
        tree.n_docs[slot] = nodes.n_docs
        known = nodes.slot >= 0
        tree.id[slot[known]] = self.tree.id[nodes.slot[known]]
        return tree

    def _moved_words(
        self, before: NDArray[np.int64], column: NDArray[np.int64], n_columns: int, log_phi: NDArray[np.float32]
    ) -> TopicWords:
        """Return matrices with the counts of nodes that keep a column, moved to other memory; the rest is zero."""
        old = self.words
        self._count_memory.reverse()
        rapid = self._count_memory[0].array((self.n_words, n_columns), self.count_type)
        words = TopicWords(rapid, log_phi, old.root_phi, np.zeros(n_columns, np.int32))
        stays = (before >= 0) & (column >= 0)
        moves = runs(column[stays], before[stays])
        words.totals[column[stays]] = old.totals[before[stays]]
        self._workers.ranges(self.n_words, lambda a, b: move_columns(a, b, old.rapid, rapid, moves), ROWS * 4)
        return words

    def _kept_words(self, left: NDArray[np.int64], log_phi: NDArray[np.float32]) -> TopicWords:
        """Keep the counts where they are, and clear the columns of topics that ``left``."""
        words = self.words._replace(log_phi=log_phi)
        words.totals[left] = 0
        self._workers.ranges(self.n_words, lambda a, b: clear_columns(a, b, left, words.rapid), ROWS * 4)
        return words

    def _count_rapid(self, slots: NDArray[np.int64]) -> None:
        """Count the tokens of topics that were slow into their columns, which must be zero."""
        rapid, columns = self.words.rapid, slots - self.n_slow
        # Use the memory that does not hold the counts.
        counted = self._count_memory[1].array((self.n_words, len(slots)), np.int32)
        counted.fill(0)
        totals, _ = self.count(slots, np.arange(len(slots)), counted)
        self._workers.ranges(self.n_words, lambda a, b: put_columns(a, b, counted, columns, rapid), ROWS * 4)
        self.words.totals[columns] = totals[slots]

    def count(
        self, slots: NDArray[np.int64], columns: NDArray[np.int64], matrix: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the tokens of some topics into columns of a zero ``matrix``, over all ranks.

        Returns the tokens of those topics and the documents of all topics, by slot.
        """
        return self._assignments.count(self.tree.parent, slots, columns, matrix)

    def count_here(
        self, slots: NDArray[np.int64], columns: NDArray[np.int64], matrix: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count as `count` does, for this rank's documents alone."""
        return self._assignments.count_here(self.tree.parent, slots, columns, matrix)

    def set_weights(self, slots: NDArray[np.int64], levels: NDArray[np.int64]) -> None:
        """Set log m and log(gamma + m) of the given topics."""
        n_docs = self.tree.n_docs[slots]
        with np.errstate(divide="ignore"):
            self.tree.log_weight[slots] = np.log(n_docs)
            visits = np.log(n_docs + self.prior.gamma[levels])
        self.tree.log_visits[slots] = np.where(n_docs > 0, visits, self.prior.log_gamma[levels])

    def set_prior(self, prior: Prior) -> None:
        """Use these hyper-parameters from now on."""
        self.prior = prior
        nodes = self.nodes()
        self.set_weights(nodes.slot, nodes.level)

    def keep_root(self) -> None:
        """Copy the root's phi to a vector of its own; call this whenever log phi has been computed."""
        self.words.root_phi[:] = root_likelihoods(self.words.log_phi)

    def count_documents(self) -> None:
        """Count m of every topic from the documents, over all ranks, after paths changed outside a sweep."""
        self.tree.n_docs[:] = self._assignments.count_documents(self.tree.parent)
        self.set_weights(np.arange(self.n_slots), self.slot_levels())
        self.control.n_topics[0] = max(1, int(np.count_nonzero(self.tree.n_docs)))

    def add_documents(self, slots: NDArray[np.int64], levels: NDArray[np.int64], change: NDArray[np.int64]) -> None:
        """Add ``change`` to m of some topics; topics without documents die."""
        tree, layout = self.tree, self.layout
        before = tree.n_docs[slots]
        now = before + change
        tree.n_docs[slots] = now
        self.set_weights(slots, levels)
        below = levels > 0
        self.control.n_topics[0] += np.count_nonzero(now[below]) - np.count_nonzero(before[below])
        for slot, level in zip(slots.tolist(), levels.tolist(), strict=True):
            if level > 0 and slot >= self.n_slow and tree.n_docs[slot] == 0:
                layout.free[layout.rapid_start[level] + layout.n_free[level]] = slot - self.n_slow
                layout.n_free[level] += 1

    def has_room(self, births: NDArray[np.int64]) -> bool:
        """Return whether that many topics of each level can be born without growing."""
        return all(has_room(self.layout, level, int(n)) for level, n in enumerate(births) if n)

    def new_slot(self, level: int) -> int:
        """Return a slot for a new rapid topic; there must be room."""
        return self.n_slow + int(new_column(self.layout, level))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return the tree and its layout, dead columns included; counts and phi can be recomputed.

        Slots matter: the order of candidates decides which of them a random number picks.
        """
        arrays: dict[str, NDArray[Any]] = {
            "widths": np.array([self.n_slow, self.words.rapid.shape[1], self.n_slow_topics]),
            "n_ids": self.control.n_ids.copy(),
        }
        arrays |= {stored_name(name): array for name, array in self.tree._asdict().items()}
        return arrays | {f"layout.{name}": array for name, array in self.layout._asdict().items()}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Restore a snapshot whose documents are assigned already, and count them.

        Phi has to be computed afterwards.
        """
        n_slow, n_rapid, self.n_slow_topics = arrays["widths"].tolist()
        # Copies, since arrays from a file may be read-only, which Numba treats as another type.
        self.tree = Tree(*(np.array(arrays[stored_name(name)]) for name in Tree._fields))
        dead = self.tree.n_docs == 0
        for array, nothing in zip(self.tree, (0, 0, -np.inf, 0, 0), strict=True):
            array[dead] = nothing
        self.layout = Layout(*(np.array(arrays[f"layout.{name}"]) for name in Layout._fields))
        self.control.n_ids[0] = arrays["n_ids"][0]
        self.control.n_topics[0] = np.count_nonzero(self.tree.n_docs)
        rapid = self._count_memory[0].array((self.n_words, n_rapid), self.count_type)
        rapid.fill(0)
        log_phi = self._phi_memory.array((self.n_words, n_slow), np.float32)
        self.words = TopicWords(rapid, log_phi, self.words.root_phi, np.zeros(n_rapid, np.int32))
        slots = n_slow + np.flatnonzero(self.tree.n_docs[n_slow:])
        totals, _ = self.count(slots, slots - n_slow, rapid)
        self.words.totals[:] = totals[n_slow:]
