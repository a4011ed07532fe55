"""Reassignment of documents to the paths that explain them best, with levels summed out in closed form.

With uniform levels, p(w_d | c) = prod_n 1/L sum_l phi_{c_l, w_n}: a plain row sum once M[v, leaf], the logarithm of the
mixture, is tabulated. The best few paths of a document are scored again with proportions theta fitted by EM. This is a
heuristic, not a Gibbs move: plain sweeps follow it, and it is off where exactness is claimed.
"""

from __future__ import annotations

import numpy as np

from topicgrove.kernels.mixture import Candidates, Scratch, best_paths, tabulate_mixture
from topicgrove.kernels.structures import LINE
from topicgrove.memory import aligned
from topicgrove.samplers.distributions import refresh_phi
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.workers import DOCUMENTS, ROWS

FINALISTS = 4
"""Paths of a document that are scored again with fitted proportions."""

EM_STEPS = 4
"""EM steps of that fit."""

STREAMS = 1 << 32
"""Keeps the streams of these sweeps apart from those of training."""


def is_due(iteration: int, first: int, last: int) -> bool:
    """Return whether to refine: every second iteration after the early phase, except in the last quarter of the rest.

    >>> [i for i in range(1, 30) if is_due(i, first=10, last=26)]
    [12, 14, 16, 18, 20, 22]
    """
    return first < iteration <= last - (last - first) // 4 and (iteration - first) % 2 == 0


def refine(state: State, sweeper: Sweeper, iteration: int) -> None:
    """Move every document to the best of the existing paths, and draw its levels there.

    The sampler's refresh brings counts and tree up to date afterwards.
    """
    state.topics.instantiate_all()
    refresh_phi(state, draw=False)
    take_best_paths(state)
    sweeper.sweep(np.arange(state.n_docs), iteration + STREAMS, fixed_paths=True)
    state.topics.count_documents()


def take_best_paths(state: State) -> None:
    """Move every document to the path that explains it best; all topics must be slow, with phi made."""
    last = state.n_levels - 1
    first, end = state.topics.layout.slow_start[last], state.topics.layout.slow_start[last + 1]
    leaves = np.flatnonzero(state.topics.tree.n_docs[first:end]) + first
    mixture = aligned((state.n_words, -(-len(leaves) // LINE) * LINE), np.float32)
    tree, log_phi, docs = state.topics.tree, state.topics.words.log_phi, state.docs
    paths = np.empty((len(leaves), state.n_levels), np.int64)
    log_prior = np.zeros(len(leaves))
    slot = leaves
    for level in range(last, -1, -1):
        paths[:, level] = slot
        if level > 0:
            slot = tree.parent[slot].astype(np.int64)
            log_prior += tree.log_weight[paths[:, level]] - tree.log_visits[slot]
    state.workers.ranges(state.n_words, lambda a, b: tabulate_mixture(a, b, log_phi, paths, mixture), ROWS)
    candidates, alpha = Candidates(paths, log_prior, mixture), state.hyper.alpha

    def reassign(begin: int, stop: int) -> None:
        theta, share = np.zeros((2, state.n_levels))
        scratch = Scratch(
            score=np.zeros(mixture.shape[1], np.float32),
            ones=np.ones(state.assignments.longest, np.float32),
            phi=np.zeros((state.assignments.longest, state.n_levels)),
            theta=theta,
            share=share,
            best=np.zeros(FINALISTS, np.int64),
        )
        best_paths(begin, stop, docs, log_phi, candidates, alpha, EM_STEPS, scratch)

    state.workers.ranges(state.n_docs, reassign, DOCUMENTS)
