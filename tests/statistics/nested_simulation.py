"""Draws from the nested HDP itself, sticks and all: what the enumeration of its posteriors is compared with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .enumerated_walks import NestedProblem, Walk, Walks, Weights, canonical_walks

N_STICKS = 40
"""Children of a node; with gamma at most 1.2 those beyond have 1e-10 of its weight."""


class NestedDraw(NamedTuple):
    """A draw of (z, w); ids of nodes are those of the simulation."""

    nodes: NDArray[np.int64]
    parent: list[int]
    words: NDArray[np.int64]
    share: tuple[float, ...] = ()
    """pi_ij of every node j below its parent i, and 1 for the root."""

    @property
    def walks(self) -> Walks:
        """The state that it amounts to."""
        return canonical_walks(self.nodes.tolist(), self.parent)


class NestedSimulator:
    """Draws from the model, for documents of given lengths."""

    def __init__(
        self, lengths: list[int], n_words: int, beta: Weights, stop: Weights, tau: Weights, gamma: Weights, seed: int
    ) -> None:
        self.lengths, self.n_words = lengths, n_words
        self.beta, self.stop, self.tau, self.gamma = beta, stop, tau, gamma
        self.random = np.random.default_rng(seed)

    @classmethod
    def of(cls, problem: NestedProblem, seed: int) -> NestedSimulator:
        """For documents as long as a problem's, with its hyper-parameters."""
        lengths = [len(doc) for doc in problem.docs]
        return cls(lengths, problem.n_words, problem.beta, problem.stop, problem.tau, problem.gamma, seed)

    def draw(self) -> NestedDraw:
        """(z, w) ~ p(w | z) p(z)."""
        self._pi: dict[Walk, NDArray[np.float64]] = {}
        ids: dict[Walk, int] = {}
        parent: list[int] = []
        share: list[float] = []
        nodes = []
        for length in self.lengths:
            psi: dict[Walk, NDArray[np.float64]] = {}
            for _ in range(length):
                walk = self._walk(psi)
                for k in range(len(walk) + 1):
                    if walk[:k] not in ids:
                        ids[walk[:k]] = len(parent)
                        parent.append(ids[walk[: k - 1]] if k else -1)
                        share.append(float(self._pi[walk[: k - 1]][walk[k - 1] - 1]) if k else 1.0)
                nodes.append(ids[walk])
        return self.draw_words(np.array(nodes), parent)._replace(share=tuple(share))

    def draw_words(self, nodes: NDArray[np.int64], parent: list[int]) -> NestedDraw:
        """w ~ p(w | z); a document's tokens are then sorted by word, and their nodes with them."""
        level = [0] * len(parent)
        for t, up in enumerate(parent):
            level[t] = level[up] + 1 if up >= 0 else 0
        phi = {t: self.random.dirichlet([self.beta[level[t]]] * self.n_words) for t in np.unique(nodes).tolist()}
        running = {t: np.cumsum(p)[:-1] for t, p in phi.items()}
        draws = self.random.random(len(nodes))
        words = np.array([np.searchsorted(running[t], u) for t, u in zip(nodes.tolist(), draws, strict=True)])
        order = np.lexsort((words, np.repeat(np.arange(len(self.lengths)), self.lengths)))
        return NestedDraw(nodes[order], parent, words[order])

    def _walk(self, psi: dict[Walk, NDArray[np.float64]]) -> Walk:
        walk: Walk = ()
        while len(walk) < len(self.stop):
            if walk not in psi:
                psi[walk] = self._proportions(walk)
            way = int(np.searchsorted(psi[walk], self.random.random(), side="right"))
            if way == 0:
                break
            walk = (*walk, way)
        return walk

    def _proportions(self, node: Walk) -> NDArray[np.float64]:
        """The running sums of psi_di ~ Dir(stop; tau pi_i), the chance to stop first."""
        level = len(node)
        if node not in self._pi:
            stick = self.random.beta(1.0, self.gamma[level], N_STICKS)
            stick[-1] = 1.0
            self._pi[node] = stick * np.append(1.0, np.cumprod(1.0 - stick[:-1]))
        weights = np.append(self.stop[level], self.tau[level] * self._pi[node])
        draws = self.random.standard_gamma(np.maximum(weights, 1e-300))
        running: NDArray[np.float64] = np.cumsum(draws)
        return running / running[-1]
