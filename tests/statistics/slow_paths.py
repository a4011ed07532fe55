"""A chain in which inner topics are slow: how far its trees and levels are from the exact posterior.

PCGS decides by the state which topics are slow, and then nothing says what a chain converges to. Here one document is
held fixed during a sweep, and the topics on its path are slow. The others cannot empty those topics, and whatever they
open is rapid, so the slow topics are the same ones all sweep long. A sweep draws

    phi_t ~ Dir(beta + C_t) for all t on the path, given the paths and levels of all documents;
    (c_d, z_d) of every other document, given phi and the documents besides,

which are Gibbs steps on p(c, z, phi | w): each leaves p(c, z | w) as it is, and so do sweeps in which all documents are
held fixed in turns.
"""

from __future__ import annotations

import numpy as np

from topicgrove.kernels.structures import ROOT
from topicgrove.prior import HyperParameters
from topicgrove.samplers import CollapsedGibbs
from topicgrove.samplers.distributions import refresh_phi
from topicgrove.samplers.first_tree import place_pinned
from topicgrove.samplers.layout import keep_tidy
from topicgrove.seeds.pinned import Pinned
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers

from .posterior import BURN_IN, NO_SEEDS, Distance, Frequencies, Problem, SeededPrior, exact_posterior

HOLD = 5
"""Sweeps in a row that hold the same document, as laying topics out takes longer than a sweep."""


def make_path_slow(state: State, document: int) -> None:
    """Make exactly the topics on a document's path slow."""
    nodes = state.nodes()
    slow = np.zeros(len(nodes.slot), np.bool_)
    slow[state.paths(nodes)[document]] = True
    keep_tidy(state, nodes, slow)
    assert state.topics.n_slow_topics == state.n_levels, "exactly the path is slow"
    assert slow[ROOT]


def distance_with_slow_paths(
    problem: Problem, n_iter: int, seed: int = 0, pinned: Pinned | None = None, seeded: SeededPrior = NO_SEEDS
) -> Distance:
    """Total variation between the exact posterior and a chain in which all documents' paths are slow in turns."""
    frequencies = Frequencies(BURN_IN, len(seeded.paths))
    hyper = HyperParameters.of(problem.n_levels, problem.alpha, problem.beta, problem.gamma)
    with Workers(1) as workers:
        state = State(problem.corpus, hyper, seed, workers, pinned=pinned)
        if pinned is not None:
            place_pinned(state)
            CollapsedGibbs().refresh(state)
        sweeper = Sweeper(state, n_samples=1, fixed_weights=False, max_topics=None)
        everyone, n_tokens = np.arange(state.n_docs), problem.corpus.n_tokens
        sweeper.sweep(everyone, 0)
        for iteration in range(1, n_iter + BURN_IN + 1):
            held = iteration // HOLD % state.n_docs
            if iteration % HOLD == 0 or iteration == 1:
                make_path_slow(state, held)
            refresh_phi(state, draw=True)
            sweeper.sweep(np.delete(everyone, held), iteration)
            frequencies(SweepEvent(iteration, n_iter, 0.0, n_tokens, state))
    return frequencies.distance(exact_posterior(problem, seeded))
