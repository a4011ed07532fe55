"""The topics of a state as users see them: without what only holds the place of seeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.seeds.pinned import SeedPrior, seed_prior, settled
from topicgrove.state import State
from topicgrove.topics import Nodes


class Published(NamedTuple):
    """Topics, the paths of the documents in them, and what seeds say of them."""

    nodes: Nodes
    paths: NDArray[np.int32]
    names: dict[int, str]
    seeds: SeedPrior | None


def publish(state: State, paths: NDArray[np.int32]) -> Published:
    """Return the living topics; ``paths`` are those of the documents of all ranks.

    With seeds, topics are counted without the pinned documents. Those that only pinned documents use are left out,
    except for one path below each seeded topic that has no documents.
    """
    nodes = state.nodes()
    if state.pinned is None:
        return Published(nodes, paths, {}, None)
    n_docs = np.bincount(paths.ravel(), minlength=len(nodes.slot))
    before = state.pinned_paths(nodes)
    now = settled(state.pinned, before, nodes.parent, n_docs)
    kept = n_docs > 0
    kept[now] = True
    seeded = state.seeded(nodes)
    nodes, new = renumbered(nodes, n_docs, kept)
    names = dict(zip(new[seeded].tolist(), state.pinned.names, strict=True))
    prior = seed_prior(state.pinned, new[now], len(nodes.slot), state.n_words)
    return Published(nodes, new[paths].astype(np.int32), names, prior)


def renumbered(
    nodes: Nodes, n_docs: NDArray[np.int64], kept: NDArray[np.bool_] | None = None
) -> tuple[Nodes, NDArray[np.int64]]:
    """Return the kept topics, siblings ordered by these numbers of documents, and their new numbers; -1 for others.

    >>> parent, level = np.array([0, 0, 0, 1, 2]), np.array([0, 1, 1, 2, 2])
    >>> nodes, new = renumbered(Nodes(parent, level, level, level), np.array([3, 1, 2, 1, 2]))
    >>> new.tolist(), nodes.parent.tolist(), nodes.n_docs.tolist()
    ([0, 2, 1, 4, 3], [0, 0, 0, 1, 2], [3, 2, 1, 2, 1])
    """
    kept = np.ones(len(n_docs), np.bool_) if kept is None else kept
    new = np.full(len(n_docs), -1, np.int64)
    order = [np.zeros(1, np.int64)]
    new[0], done = 0, 1
    for level in range(1, int(nodes.level.max()) + 1):
        here = np.flatnonzero(kept & (nodes.level == level))
        here = here[np.lexsort((here, -n_docs[here], new[nodes.parent[here]]))]
        new[here] = np.arange(done, done + len(here))
        done += len(here)
        order.append(here)
    old = np.concatenate(order)
    return Nodes(new[nodes.parent[old]], nodes.level[old], n_docs[old], nodes.slot[old]), new
