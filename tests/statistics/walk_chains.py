"""Chains of walks on a fixed tree, and how far they are from the model: by enumeration, and by draws of (z, w).

Run as a program, it prints what it finds of the installed topicgrove: the mutation tests run it on damaged copies of
the source. ``gate FEW N`` compares N sweeps with an enumerated posterior. ``joint FEW`` is the test of the joint
distribution in simulation.py: (z, w) from the prior, words drawn given z and a sweep in turns, and the result is still
the prior.

Both are run with all topics weighed for every token, and with proposals that come from tables. The tables are of
another state than the chain's, so that a chain that leans on them without correcting them goes astray.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import topicgrove
from topicgrove import Corpus
from topicgrove.several_paths.samplers import PartiallyCollapsedWalks, set_phi
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import Workers

from .enumerated_walks import FixedPosterior, FixedTree, fixed_posterior
from .simulation import verdict

SMALL = FixedTree(
    parent=(-1, 0, 0, 1, 1, 2, 2),
    docs=((0, 0, 1), (0, 1, 1)),
    n_words=2,
    alpha=(0.0, 1.6, 0.4, 0.5, 1.2, 0.9, 0.3),
    stop=(0.6, 0.9, 0.3, 0.0, 0.0, 0.0, 0.0),
    beta=(0.9, 0.4, 0.15),
)
"""Two inner siblings, so that one may be taken for the other."""

TALL = FixedTree(
    parent=(-1, 0, 0, 0, 1, 1, 2, 4, 4, 6),
    docs=((0,) * 4, (0,) * 3, (0,) * 5),
    n_words=3,
    alpha=(0.0, 1.1, 0.5, 0.3, 0.8, 0.4, 1.3, 0.6, 0.9, 0.7),
    stop=(0.7, 0.4, 1.1, 0.0, 0.5, 0.0, 0.8, 0.0, 0.0, 0.0),
    beta=(0.5, 0.3, 0.1, 0.2),
)
"""Four levels, and leaves on three of them; its documents only give lengths."""

REFRESH_EVERY = 400
"""Sweeps between two refreshes of tables. A table made of the state itself, over and over, would be an adaptive
proposal, which is exact only in the limit."""

N_STEPS = 4
"""Redraws of the words and sweeps between the two ends of a replicate."""

SLOW = (0, 2, 3, 6)
"""Some of SMALL's topics on every level, and of TALL's, whose phi is instantiated."""

ALL, FEW = 32, 1
"""Trees with at most this many topics are weighed whole."""


class WalkDistance(NamedTuple):
    """Largest differences to the posterior: of P(token n stops at t), and of P(tokens n and m stop at one node)."""

    node: float
    same: float


def distance(topics: NDArray[np.integer[Any]], exact: FixedPosterior) -> WalkDistance:
    """Measure how far a chain's topics of tokens, [sweeps, N], are from the posterior."""
    node = np.stack([(topics == t).mean(axis=0) for t in range(exact.node.shape[1])], axis=1)
    same = np.stack([(topics == topics[:, [n]]).mean(axis=0) for n in range(topics.shape[1])])
    return WalkDistance(float(np.abs(node - exact.node).max()), float(np.abs(same - exact.same).max()))


def state_of(problem: FixedTree, few_topics: int, seed: int) -> WalkState:
    """Make a state with the problem's tree, documents and hyper-parameters."""
    hyper = WalkHyper(*(np.array(value, float) for value in (problem.beta, problem.alpha, problem.stop)))
    corpus = Corpus.from_documents(problem.docs, n_words=problem.n_words)
    return WalkState(corpus, np.array(problem.parent), hyper, seed, Workers(1), few_topics=few_topics)


def chain(
    problem: FixedTree, n_sweeps: int, few_topics: int, seed: int = 0, slow: Sequence[int] = ()
) -> NDArray[np.int32]:
    """Return the topics of all tokens after each sweep; phi of ``slow`` topics is drawn before it."""
    state = state_of(problem, few_topics, seed)
    state.start()
    sampler = SlowTopics(state, slow)
    topics = np.empty((n_sweeps, len(state.node)), np.int32)
    for sweep in range(n_sweeps):
        if sweep % REFRESH_EVERY == 0:
            state.refresh()
        sampler.instantiate(sweep + 1)
        state.sweep(sweep + 1)
        topics[sweep] = state.node
    return topics


class SlowTopics:
    """Topics whose phi is instantiated, always the same."""

    def __init__(self, state: WalkState, slow: Sequence[int]) -> None:
        self.state, self.sampler = state, PartiallyCollapsedWalks(np.inf, draw_phi=True)
        state.make_slow(np.isin(np.arange(state.n_nodes), slow))

    def instantiate(self, sweep: int) -> None:
        """Count these topics, and draw their phi."""
        if self.state.words.any_slow[0]:
            self.sampler.count(self.state)
            set_phi(self.state, sweep, draw=True)


class FixedSimulator:
    """Draws (z, w) on a fixed tree, for documents as long as the problem's."""

    def __init__(self, problem: FixedTree, seed: int) -> None:
        self.problem, self.random = problem, np.random.default_rng(seed)
        self.owner = np.repeat(np.arange(len(problem.docs)), [len(doc) for doc in problem.docs])
        self.children = [np.flatnonzero(np.array(problem.parent) == i) for i in range(len(problem.parent))]
        self.beta = np.array(problem.beta)[problem.level]

    def draw(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(z, w) ~ p(w | z) p(z)."""
        return self.draw_words(np.concatenate([self._document(len(doc)) for doc in self.problem.docs]))

    def draw_words(self, z: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """w ~ p(w | z); a document's tokens are then sorted by word, and their nodes with them."""
        phi = self.random.standard_gamma(np.repeat(self.beta[:, None], self.problem.n_words, axis=1)) + 1e-300
        running = np.cumsum(phi, axis=1)
        steps = running[z, :-1] / running[z, -1:]
        words = (self.random.random((len(z), 1)) >= steps).sum(axis=1).astype(np.int32)
        order = np.lexsort((words, self.owner))
        return z[order], words[order]

    def _document(self, length: int) -> NDArray[np.int32]:
        reach = np.zeros(len(self.problem.parent))
        reach[0] = 1.0
        for i, own in enumerate(self.children):
            if len(own):
                psi = self.random.dirichlet([self.problem.stop[i], *(self.problem.alpha[j] for j in own)])
                reach[own] = reach[i] * psi[1:]
                reach[i] *= psi[0]
        return self.random.choice(len(reach), length, p=reach / reach.sum()).astype(np.int32)


class WalkReplicates:
    """Independent pairs of statistics: of a draw from the prior, and of what sweeps make of it."""

    def __init__(
        self, problem: FixedTree, few_topics: int, seed: int, slow: Sequence[int] = (), **wrong: Sequence[float]
    ) -> None:
        self.simulator = FixedSimulator(problem, seed)
        self.state = state_of(problem._replace(**wrong), few_topics, seed)
        self.level = np.array(problem.level)
        self.parent = np.array(problem.parent)
        self.sampler = SlowTopics(self.state, slow)
        self.n_sweeps = 0

    def pair(self) -> tuple[list[float], list[float]]:
        """Statistics of a draw, and after sweeps with tables that are of another one."""
        self._plant(*self.simulator.draw())
        self.state.refresh()
        z, words = self.simulator.draw()
        before = self.statistics(z, words)
        for _ in range(N_STEPS):
            z, words = self.simulator.draw_words(z)
            self._plant(z, words)
            self.n_sweeps += 1
            self.sampler.instantiate(self.n_sweeps)
            self.state.sweep(self.n_sweeps)
            z = self.state.node.copy()
        return before, self.statistics(z, words)

    def statistics(self, z: NDArray[np.int32], words: NDArray[np.int32]) -> list[float]:
        """Functions of walks and words that do not depend on the order of a document's tokens."""
        owner, level = self.simulator.owner, self.level[z]
        by_level = [float((level == k).sum()) for k in range(len(self.simulator.problem.beta))]
        by_node = np.bincount(z, minlength=len(self.parent)).astype(float)
        in_document = np.zeros((len(self.simulator.problem.docs), len(self.parent)))
        np.add.at(in_document, (owner, z), 1)
        with_words = np.zeros((len(self.parent), self.simulator.problem.n_words))
        np.add.at(with_words, (z, words), 1)
        kinds = [(with_words[self.level == k] ** 2).sum() for k in range(len(by_level))]
        mixed = [by_level[0] ** 2, by_level[1] * by_level[2], float(len(np.unique(z)))]
        squares = [*kinds, float((in_document**2).sum()), float((words == words[0]).sum() ** 2)]
        return [*by_level, *by_node.tolist(), *(by_node**2).tolist(), *mixed, *squares]

    def _plant(self, z: NDArray[np.int32], words: NDArray[np.int32]) -> None:
        """Give the state walks and words, and leave its tables of proposals as they are."""
        tokens, counted = self.state.tokens, self.state.words
        tokens.node[:], tokens.words[:] = z, words
        counted.counts.fill(0)
        np.add.at(counted.counts, words.astype(np.int64) * len(self.parent) + z, 1)
        counted.totals[:] = np.bincount(z, minlength=len(self.parent))
        counted.inverse[:] = 1.0 / (counted.totals + counted.mass)


def main(what: str, few_topics: str, n_sweeps: str = "0", *slow: str) -> None:
    """Print the verdict as JSON."""
    found: dict[str, Any]
    if what == "gate":
        topics = chain(SMALL, int(n_sweeps), int(few_topics), slow=[int(t) for t in slow])
        found = distance(topics, fixed_posterior(SMALL))._asdict()
    else:
        passes, p_value = verdict(WalkReplicates(TALL, int(few_topics), seed=0), n=1_000)
        found = {"passes": passes, "p_value": p_value}
    print(json.dumps({**found, "source": topicgrove.__file__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
