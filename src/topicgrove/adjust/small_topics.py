"""No tiny topics: documents of topics with few of them move to the paths that are left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.samplers.distributions import refresh_phi
from topicgrove.state import Nodes, State
from topicgrove.sweeps import Sweeper
from topicgrove.training import Trainer

SETTLING = 3
"""Sweeps over the levels alone, after the last document has moved."""

STREAMS = 2 << 32
"""Sets the streams of these sweeps apart from those of training and of refining."""


def dissolve_small(trainer: Trainer, min_docs: int) -> int:
    """Dissolve topics below the root that have fewer than ``min_docs`` documents; returns how many.

    To be called after the last sweep. The documents of these topics leave them all at once and take paths that exist,
    drawn with the others' phi and documents held fixed; that repeats until no small topic is left. The largest child
    of a topic that stays is never dissolved, so every path keeps its full depth, and a corpus of fewer than
    ``min_docs`` documents ends in one path. Sweeps over the levels alone follow. Nothing of this is a Gibbs move.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove.corpus import Corpus
    >>> from topicgrove.prior import HyperParameters
    >>> from topicgrove.samplers import CollapsedGibbs
    >>> from topicgrove.state import State
    >>> from topicgrove.training import Schedule, Trainer
    >>> from topicgrove.workers import Workers
    >>> corpus = Corpus.from_matrix(np.eye(6, dtype=int) * 5)
    >>> state = State(corpus, HyperParameters.of(2, beta=0.1, gamma=9.0), 0, Workers(1))
    >>> trainer = Trainer(state, CollapsedGibbs(), Schedule(5, 0, 1, None, None))
    >>> trainer.run()
    >>> dissolve_small(trainer, min_docs=2) > 0, int(state.nodes().n_docs.min()) >= 2
    (True, True)
    """
    state = trainer.state
    sweeper = Sweeper(state, n_samples=1, fixed_weights=True, max_topics=None)
    n_dissolved, n_sweeps = 0, STREAMS + trainer.iteration
    while (dissolved := small_topics(state.nodes(), min_docs)).any():
        moved = _take_out(state, dissolved)
        sweeper.sweep(moved, n_sweeps)
        state.count_documents()
        n_dissolved += int(dissolved.sum())
        n_sweeps += 1
    if n_dissolved:
        _settle(state, sweeper, n_sweeps)
        trainer.sampler.refresh(state)
    return n_dissolved


def small_topics(nodes: Nodes, min_docs: int) -> NDArray[np.bool_]:
    """Which topics are to be dissolved: small ones and all below them, but the first child of a topic that stays.

    >>> parent, level, n_docs = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 2, 2]), np.array([9, 6, 3, 3, 3, 3])
    >>> small_topics(Nodes(parent, level, n_docs, parent), min_docs=4).tolist()
    [False, False, True, False, True, True]
    """
    # Siblings are sorted by documents: where the first is small, all are.
    first = np.unique(nodes.parent[1:], return_index=True)[1] + 1
    dissolved: NDArray[np.bool_] = nodes.n_docs < min_docs
    dissolved[0] = dissolved[first] = False
    for level in range(1, int(nodes.level.max()) + 1):
        here = nodes.level == level
        dissolved[here] |= dissolved[nodes.parent[here]]
    return dissolved


def _take_out(state: State, dissolved: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Take the documents of these topics out, and make everything that stays slow; returns the documents."""
    nodes = state.nodes()
    leaves = nodes.slot[dissolved & (nodes.level == state.n_levels - 1)]
    moved = np.flatnonzero(np.isin(state.docs.leaf, leaves))
    state.docs.leaf[moved] = -1
    state.count_documents()
    _make_slow(state)
    return moved


def _make_slow(state: State) -> None:
    nodes = state.nodes()
    state.lay_out(nodes, np.ones(len(nodes.slot), np.bool_))
    refresh_phi(state, draw=False)


def _settle(state: State, sweeper: Sweeper, first_stream: int) -> None:
    """Draw the levels of all documents a few times, paths fixed."""
    for k in range(SETTLING):
        _make_slow(state)
        sweeper.sweep(np.arange(state.n_docs), first_stream + k, fixed_paths=True)
