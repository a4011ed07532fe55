"""Topic names that all ranks understand, valid for one sweep.

A sweep begins with the same topics on all ranks, numbered alike: these numbers are both ids and names. A topic born
during the sweep gets the next id of its rank. On other ranks, where its id is different, its name is
(rank + 1) 2^32 + id.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.structures import ROOT
from topicgrove.state import State

NO_SLOT = -1
"""The slot of a topic that this rank does not have now."""

_BIRTHS = 1 << 32


class Ids:
    """The name, parent and level of every id. Arrays grow; existing entries do not change."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.name = np.zeros(0, np.int64)
        self.parent = np.zeros(0, np.int64)
        self.level = np.zeros(0, np.int64)
        self._slow = self._slow_slot = np.zeros(0, np.int64)
        self._by_name: dict[int, int] = {}
        self._n_common = 0
        self._n_known = 0

    def __len__(self) -> int:
        return int(self.state.topics.control.n_ids[0])

    def begin(self) -> None:
        """Number the topics in the same order on all ranks, and forget the names of the previous sweep."""
        state = self.state
        nodes = state.nodes()
        state.topics.tree.id[nodes.slot] = np.arange(len(nodes.slot))
        state.topics.control.n_ids[0] = self._n_common = self._n_known = len(nodes.slot)
        self._by_name.clear()
        room = 2 * len(nodes.slot) + 1024
        self.name = np.arange(room)
        self.parent, self.level = np.zeros((2, room), np.int64)
        self._slow = np.flatnonzero(nodes.slot < state.topics.n_slow)
        self._slow_slot = nodes.slot[self._slow]
        self.parent[: len(nodes.slot)] = nodes.parent
        self.level[: len(nodes.slot)] = nodes.level

    def register_births(self) -> None:
        """Register the topics born on this rank since the last call."""
        if len(self) == self._n_known:
            return
        tree = self.state.topics.tree
        self._fit()
        born = np.flatnonzero((tree.id >= self._n_known) & (tree.n_docs > 0))
        ids = tree.id[born].astype(np.int64)
        self.name[ids] = (self.state.comm.rank + 1) * _BIRTHS + ids
        self.parent[ids] = tree.id[tree.parent[born]]
        self.level[ids] = self.state.topics.slot_levels()[born]
        self._by_name |= dict(zip(self.name[ids].tolist(), ids.tolist(), strict=True))
        self._n_known = len(self)

    def ids_of(
        self, names: NDArray[np.int64], parents: NDArray[np.int64], levels: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the ids of topics by name, parents before children; unknown names get new ids."""
        ids = names.copy()
        for i in np.flatnonzero(names >= _BIRTHS).tolist():
            name = int(names[i])
            if name not in self._by_name:
                self._add(name, int(parents[i]), int(levels[i]))
            ids[i] = self._by_name[name]
        return ids

    def slots(self) -> NDArray[np.int64]:
        """Return the slot of each id, or ``NO_SLOT``. A slow topic keeps its slot during the sweep, dead or alive."""
        tree, n_slow = self.state.topics.tree, self.state.topics.n_slow
        slots = np.full(len(self), NO_SLOT, np.int64)
        rapid = n_slow + np.flatnonzero(tree.n_docs[n_slow:])
        slots[tree.id[rapid]] = rapid
        slots[self._slow] = self._slow_slot
        slots[ROOT] = ROOT
        return slots

    def settle(self) -> None:
        """Renumber the living topics by name, which makes ids the same on all ranks again."""
        state = self.state
        alive = np.flatnonzero(state.topics.tree.n_docs > 0)
        order = np.argsort(self.name[state.topics.tree.id[alive]])
        state.topics.tree.id[alive[order]] = np.arange(len(alive))
        state.topics.control.n_ids[0] = len(alive)

    def _add(self, name: int, parent: int, level: int) -> None:
        new = len(self)
        self.state.topics.control.n_ids[0] = self._n_known = new + 1
        self._fit()
        self.name[new] = name
        self.parent[new] = parent if parent < _BIRTHS else self._by_name[parent]
        self.level[new] = level
        self._by_name[name] = new

    def _fit(self) -> None:
        missing = len(self) - len(self.name)
        if missing > 0:
            room = np.zeros(missing + len(self.name), np.int64)
            self.name, self.parent, self.level = (
                np.concatenate([array, room]) for array in (self.name, self.parent, self.level)
            )
