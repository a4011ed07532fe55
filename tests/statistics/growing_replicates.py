"""Draws of (z, w) from the nested HDP, and what growth and sweeps make of them; see simulation.py for the test."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove import Corpus
from topicgrove.several_paths.growth import Growth, regrow
from topicgrove.several_paths.shape import WalkHyper, levels_of
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import Workers

from .nested_simulation import NestedDraw, NestedSimulator

LENGTHS, N_WORDS = [4, 3, 5], 3
BETA, STOP, TAU, GAMMA = (0.5, 0.3, 0.1), (0.7, 0.4), (1.5, 1.1), 0.8

N_STEPS = 4
"""Redraws of the words, draws of the shares and sweeps between the two ends of a replicate."""

FREE_CHILDREN = 12
"""Births are too rare by (.8 / 1.8)^12, .00006."""

ALL = 1 << 20


class GrowingReplicates:
    """Independent pairs of statistics: of a draw from the prior, and of what a growing chain makes of it."""

    def __init__(self, seed: int, **wrong: Any) -> None:
        gammas = (GAMMA,) * len(TAU)
        self.simulator = NestedSimulator(LENGTHS, N_WORDS, BETA, STOP, TAU, gammas, seed)
        believed: dict[str, Any] = {"beta": BETA, "stop": STOP, "gamma": GAMMA, **wrong}
        self.beta, self.stop = np.array(believed["beta"]), np.append(believed["stop"], 1.0)
        self.growth = Growth(believed["gamma"], len(BETA), np.array(TAU), self.stop[:-1], FREE_CHILDREN)
        corpus = Corpus.from_documents([[0] * n for n in LENGTHS], n_words=N_WORDS)
        ones = WalkHyper(self.beta, np.ones(2), np.ones(2))
        self.state = WalkState(corpus, np.array([-1, 0]), ones, seed, Workers(1), few_topics=ALL)
        self.owner = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
        self.n_sweeps = 0

    def pair(self) -> tuple[list[float], list[float]]:
        """Statistics of a draw, and after growth and sweeps."""
        draw = self.simulator.draw()
        before = self.statistics(draw.nodes, np.array(draw.parent), draw.words)
        self._plant(draw)
        state = self.state
        for _ in range(N_STEPS):
            draw = self.simulator.draw_words(state.node.astype(np.int64), state.parent.tolist())
            state.tokens.words[:] = draw.words
            state.place(draw.nodes, state.parent, state.hyper)
            self.n_sweeps += 1
            regrow(state, self.growth, self.n_sweeps)
            state.sweep(self.n_sweeps)
        return before, self.statistics(state.node.astype(np.int64), state.parent, state.tokens.words)

    def statistics(
        self, nodes: NDArray[np.integer[Any]], parent: NDArray[np.int64], words: NDArray[np.integer[Any]]
    ) -> list[float]:
        """Functions of walks and words that depend neither on ids nor on the order of a document's tokens."""
        level = levels_of(parent)
        used = np.zeros(len(parent), np.bool_)
        used[nodes] = True
        for t in range(len(parent) - 1, 0, -1):
            used[parent[t]] |= used[t]
        n_topics = np.bincount(level[used], minlength=3)[1:].astype(float).tolist()
        by_level = np.bincount(level[nodes], minlength=3).astype(float)
        branch = np.where(level[nodes] == 2, parent[nodes], nodes)
        together = [float((branch == here).sum() ** 2) for here in np.unique(branch[branch > 0])]
        with_words = np.zeros((len(parent), N_WORDS))
        np.add.at(with_words, (nodes, words), 1)
        in_document = np.zeros((len(LENGTHS), len(parent)))
        np.add.at(in_document, (self.owner, nodes), 1)
        return [
            *n_topics, *[n * n for n in n_topics], n_topics[0] * n_topics[1], float(len(np.unique(nodes))),
            *by_level.tolist(), *(by_level**2).tolist(), sum(together), max(together, default=0.0),
            *[float((with_words[level == at] ** 2).sum()) for at in range(3)],
            float((in_document**2).sum()), float((words == words[0]).sum() ** 2), n_topics[1] * by_level[2],
        ]  # fmt: skip

    def _plant(self, draw: NestedDraw) -> None:
        """Give the state the draw's tree, numbered breadth first, and the shares that it was made with."""
        parent = np.array(draw.parent)
        level = levels_of(parent)
        old = np.zeros(1, np.int64)
        for at in range(1, int(level.max(initial=0)) + 1):
            here = np.flatnonzero(level == at)
            place = np.empty(len(parent), np.int64)
            place[old] = np.arange(len(old))
            old = np.append(old, here[np.argsort(place[parent[here]], kind="stable")])
        new = np.empty(len(parent), np.int64)
        new[old] = np.arange(len(old))
        parent, level = np.append(-1, new[parent[old][1:]]), level[old]
        tau = np.append(TAU, 0.0)[level]
        weight = np.array(draw.share)[old] * np.append(1.0, tau[parent[1:]])
        rest = np.maximum(tau - np.bincount(parent[1:], weights=weight[1:], minlength=len(parent)), 0.0)
        self.state.place(new[draw.nodes], parent, WalkHyper(self.beta, weight, self.stop[level], rest))
