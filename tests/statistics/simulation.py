"""Draws from the model, and the test that a sampler preserves the model's joint distribution p(w, z, c).

Gandy and Scott, Unit testing for MCMC and other Monte Carlo methods (2020): draw (c, z, w) from the prior; repeatedly
redraw the words given (c, z) and sweep; the result must still follow the prior. Replicates are independent, so the
chain's autocorrelation does not matter. Run as a program, it prints the verdict on the installed topicgrove: the
mutation tests run it on damaged copies of the source.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import topicgrove
from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.samplers import CollapsedGibbs, Sampler
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.topics import Nodes
from topicgrove.workers import Workers


class Draw(NamedTuple):
    """A draw of (c, z, w) from the model."""

    paths: NDArray[np.int64]  # [D, L] topic ids, in order of first appearance on a level; 0 is the root
    levels: NDArray[np.uint8]
    words: NDArray[np.int32]


class Simulator:
    """Draws from the model, for documents of given lengths."""

    def __init__(
        self,
        lengths: Sequence[int],
        n_words: int,
        alpha: Sequence[float],
        beta: Sequence[float],
        gamma: Sequence[float],
        seed: int,
    ) -> None:
        self.lengths, self.n_words = np.array(lengths), n_words
        self.alpha, self.beta, self.gamma = np.array(alpha), np.array(beta), np.array(gamma)
        self.owner = np.repeat(np.arange(len(lengths)), lengths)
        self.random = np.random.default_rng(seed)

    def draw(self) -> Draw:
        """(c, z, w) ~ p(w | z, c) p(z) p(c)."""
        paths = self._paths()
        theta = self.random.dirichlet(self.alpha, len(self.lengths))
        steps = np.cumsum(theta, axis=1)[self.owner, :-1]
        levels = (self.random.random((len(steps), 1)) >= steps).sum(axis=1).astype(np.uint8)
        return self.draw_words(paths, levels)

    def draw_words(self, paths: NDArray[np.int64], levels: NDArray[np.uint8]) -> Draw:
        """w ~ p(w | z, c), with phi drawn along; tokens are then sorted by word, levels with them."""
        topic, where = np.unique((levels.astype(np.int64) << 32) + paths[self.owner, levels], return_inverse=True)
        beta = self.beta[topic >> 32]
        weights = self.random.standard_gamma(np.repeat(beta[:, None], self.n_words, axis=1)) + 1e-300
        running = np.cumsum(weights, axis=1)
        steps = (running[:, :-1] / running[:, -1:])[where]
        words = (self.random.random((len(steps), 1)) >= steps).sum(axis=1).astype(np.int32)
        order = np.lexsort((words, self.owner))
        return Draw(paths, levels[order], words[order])

    def _paths(self) -> NDArray[np.int64]:
        children: dict[Any, list[int]] = defaultdict(list)
        sizes: dict[Any, list[int]] = defaultdict(list)
        n_topics = [1] * (len(self.gamma) + 1)
        paths = np.zeros((len(self.lengths), len(self.alpha)), np.int64)
        for path in paths:
            for level, gamma in enumerate(self.gamma):
                parent = (level, int(path[level]))
                weights = np.cumsum([*sizes[parent], gamma])
                k = int(np.searchsorted(weights, self.random.random() * weights[-1], side="right"))
                if k == len(sizes[parent]):
                    children[parent].append(n_topics[level + 1])
                    sizes[parent].append(0)
                    n_topics[level + 1] += 1
                sizes[parent][k] += 1
                path[level + 1] = children[parent][k]
        return paths


N_STEPS = 5
"""Redraws of the words and sweeps between the two ends of a replicate."""

FALSE_ALARM = 1e-5
"""Probability that a right sampler fails the sequential test."""

MODEL: dict[str, Sequence[float]] = {"alpha": (0.4, 0.8, 1.5), "beta": (0.3, 0.1, 0.05), "gamma": (0.8, 0.3)}
LENGTHS = (3, 4, 5, 2)
N_WORDS = 4


class Replicates:
    """Independent pairs of statistics: of a draw from the prior, and of what a sampler makes of it."""

    def __init__(self, sampler: Sampler, seed: int, **wrong: Sequence[float]) -> None:
        self.simulator = Simulator(LENGTHS, N_WORDS, **MODEL, seed=seed)
        self.sampler = sampler
        words = np.zeros(sum(LENGTHS), np.int32)
        offsets = np.append(0, np.cumsum(LENGTHS)).astype(np.int64)
        believed: dict[str, Any] = {**MODEL, **wrong}
        hyper = HyperParameters.of(3, **believed)
        self.state = State(Corpus(words, offsets, N_WORDS), hyper, seed, Workers(1))
        self.sweeper = Sweeper(self.state, n_samples=1, fixed_weights=False, max_topics=None)
        self.n_sweeps = 0

    def pair(self) -> tuple[list[float], list[float]]:
        draw = self.simulator.draw()
        before = self.statistics(draw)
        self._plant(draw)
        for _ in range(N_STEPS):
            draw = self.simulator.draw_words(draw.paths, draw.levels)
            self._set_tokens(draw)
            self.sampler.refresh(self.state)
            self.n_sweeps += 1
            self.sweeper.sweep(np.arange(len(LENGTHS)), self.n_sweeps)
            draw = Draw(self._paths(), self.state.docs.levels.copy(), self.state.docs.words.copy())
        return before, self.statistics(draw)

    def statistics(self, draw: Draw) -> list[float]:
        """Functions of tree, levels and words; none depends on the names of topics or the order of tokens."""
        paths, levels, words = draw
        owner = self.simulator.owner
        n_middle, n_leaves = len(set(paths[:, 1].tolist())), len(set(paths[:, 2].tolist()))
        at_root, at_leaf = int((levels == 0).sum()), int((levels == 2).sum())
        joint = [float(a == b) for a, b in ((paths[0, 1], paths[1, 1]), (paths[2, 2], paths[3, 2]))]
        together = [0.0] * 3
        tokens = np.stack([levels, paths[owner, levels], words], axis=1)
        for (level, _, _), count in Counter(map(tuple, tokens.tolist())).items():
            together[level] += count * count
        first = float((levels[owner == 0] == 0).sum())
        all_in_one = float(n_leaves == 1)
        return [
            n_middle, n_leaves, at_root, at_leaf, *joint, *together, all_in_one, at_root**2, at_leaf**2,
            n_leaves * at_leaf, n_leaves * at_root, joint[1] * at_leaf, joint[0] * first, n_middle * together[1],
            n_leaves * together[2], float((words == words[0]).sum() ** 2),
        ]  # fmt: skip

    def _plant(self, draw: Draw) -> None:
        """Give the state the draw's tree, every topic rapid."""
        n_topics = draw.paths.max(axis=0) + 1
        start = np.append(0, np.cumsum(n_topics))
        level = np.repeat(np.arange(3), n_topics)
        parent = np.zeros(len(level), np.int64)
        parent[start[1:-1][None, :] + draw.paths[:, 1:]] = start[:-2][None, :] + draw.paths[:, :-1]
        n_docs = np.bincount((start[:-1] + draw.paths).ravel(), minlength=len(level))
        nodes = Nodes(parent, level, n_docs, np.full(len(level), -1))
        self.state.topics.lay_out(nodes, np.zeros(len(level), np.bool_))
        self.state.docs.leaf[:] = self.state.topics.layout.rapid_start[2] + draw.paths[:, 2]

    def _set_tokens(self, draw: Draw) -> None:
        state = self.state
        state.docs.words[:] = draw.words
        state.docs.levels[:] = draw.levels
        state.topics.words.rapid.fill(0)
        slots = np.unique(self._paths())
        rapid = slots[slots >= state.topics.n_slow]
        totals, _ = state.topics.count(rapid, rapid - state.topics.n_slow, state.topics.words.rapid)
        state.topics.words.totals[:] = totals[state.topics.n_slow :]

    def _paths(self) -> NDArray[np.int64]:
        parent, leaf = self.state.topics.tree.parent, self.state.docs.leaf
        return np.stack([parent[parent[leaf]], parent[leaf], leaf], axis=1).astype(np.int64)


def p_values(replicates: Replicates, n: int) -> NDArray[np.float64]:
    """For each statistic, how likely so large a mean difference between the ends of n pairs is; in [0, 1]."""
    before, after = np.array([replicates.pair() for _ in range(n)]).transpose(1, 0, 2)
    difference = after - before
    deviation = difference.std(axis=0, ddof=1)
    z = difference.mean(axis=0) / (deviation / math.sqrt(n))
    return np.array([math.erfc(abs(value) / math.sqrt(2)) for value in z])


def verdict(replicates: Replicates, n: int = 3_000, n_rounds: int = 7, growth: int = 3) -> tuple[bool, float]:
    """Gandy and Scott's sequential test: whether the sampler is right, and the least p-value, times their number.

    A right sampler fails with probability FALSE_ALARM at most: round i is reached with probability gamma^i and fails
    with probability beta / gamma^i, whatever the dependence between the statistics (Bonferroni).
    """
    beta = FALSE_ALARM / n_rounds
    gamma = beta ** (1 / n_rounds)
    least = 1.0
    for i in range(n_rounds):
        values = p_values(replicates, n)
        least = min(1.0, float(values.min()) * len(values))
        if least <= beta:
            return False, least
        if least > gamma + beta:
            break
        beta /= gamma
        n *= growth if i == 0 else 1
    return True, least


if __name__ == "__main__":
    passes, p_value = verdict(Replicates(CollapsedGibbs(), seed=0))
    print(json.dumps({"passes": passes, "p_value": p_value, "source": topicgrove.__file__}))
