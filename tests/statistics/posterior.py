"""Exact posteriors of tiny corpora, by enumerating every tree and assignment of levels, and chains' distance from them.

Run as a program, it prints how far a chain of the installed topicgrove is from fixture C's posterior: the mutation
tests run it on damaged copies of the source.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import topicgrove
from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus

Tree = tuple[tuple[int, ...], ...]
"""For every document its path below the root, each step the number of the child in order of first appearance."""


class Problem(NamedTuple):
    """A corpus and its hyper-parameters; documents are sorted by word, as they are in a Corpus."""

    docs: tuple[tuple[int, ...], ...]
    n_words: int
    alpha: tuple[float, ...]
    beta: tuple[float, ...]
    gamma: tuple[float, ...]

    @property
    def n_levels(self) -> int:
        return len(self.alpha)

    @property
    def corpus(self) -> Corpus:
        assert all(list(doc) == sorted(doc) for doc in self.docs), "a Corpus sorts documents, so must a Problem"
        return Corpus.from_documents(self.docs, n_words=self.n_words)

    def model(self, **options: Any) -> HierarchicalLDA:
        return HierarchicalLDA(self.n_levels, alpha=self.alpha, beta=self.beta, gamma=self.gamma, **options)


FIXTURES = {
    "A": Problem(((0, 0, 1), (0, 1, 2), (2, 2)), 3, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5), (0.6, 0.6)),
    "B": Problem(((0, 0), (0, 1), (1, 2), (2, 2)), 3, (0.8, 0.5, 0.3), (1.0, 0.5, 0.25), (1.5, 0.4)),
    "C": Problem(((0, 0, 1), (0, 0, 1), (1, 2, 2)), 3, (0.4, 0.8, 1.5), (0.3, 0.1, 0.05), (0.8, 0.3)),
    "four levels": Problem(((0, 0), (0, 1), (1, 1)), 2, (0.3, 0.5, 0.9, 1.2), (0.9, 0.4, 0.2, 0.1), (0.4, 1.1, 0.7)),
}
"""A, B and C are those of shared/reference/posterior.json, their documents sorted."""


class Posterior(NamedTuple):
    """p(c, z | w) of a problem."""

    log_evidence: float
    trees: dict[Tree, float]
    tree_prior: dict[Tree, float]
    levels: NDArray[np.float64]  # [N, L] P(z_n = l)


class Distance(NamedTuple):
    """Total variation between a chain's frequencies and the posterior: of trees, and of the worst token's levels."""

    tree: float
    levels: float


class SeededPrior(NamedTuple):
    """Paths that are there from the start, and what is added to beta of each word in topics at the ends of paths."""

    paths: Tree = ()
    added: tuple[tuple[tuple[int, ...], tuple[float, ...]], ...] = ()

    def beta(self, problem: Problem, topic: tuple[int, ...]) -> NDArray[np.float64]:
        """Asymmetric beta of a topic, whose path is given below the root."""
        return problem.beta[len(topic)] + np.array(dict(self.added).get(topic, (0.0,) * problem.n_words))


NO_SEEDS = SeededPrior()


def enumerate_trees(n_docs: int, gamma: Sequence[float], start: Tree = ()) -> Iterator[tuple[Tree, float]]:
    """Every tree of that many documents, with its log probability under the nested Chinese restaurant process.

    Paths in ``start`` come first in all of them.
    """

    def place(tree: Tree, log_prior: float) -> Iterator[tuple[Tree, float]]:
        if len(tree) == len(start) + n_docs:
            yield tree, log_prior
            return
        for path, log_weight in continuations(tree, ()):
            yield from place((*tree, path), log_prior + log_weight)

    def continuations(tree: Tree, start: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], float]]:
        level = len(start)
        if level == len(gamma):
            yield start, 0.0
            return
        here = [path[level] for path in tree if path[:level] == start]
        for child in range(len(set(here)) + 1):
            weight = here.count(child) or gamma[level]
            for path, log_weight in continuations(tree, (*start, child)):
                yield path, log_weight + math.log(weight / (len(here) + gamma[level]))

    return place(start, 0.0)


def log_rising(start: float, n: NDArray[np.int64]) -> NDArray[np.float64]:
    """log start (start + 1) ... (start + n - 1)."""
    table = np.concatenate([[0.0], np.cumsum(np.log(start + np.arange(n.max(initial=0))))])
    return table[n]


@cache
def exact_posterior(problem: Problem, seeded: SeededPrior = NO_SEEDS) -> Posterior:
    """Sum p(w, z, c) over all z for all c; seeded paths are the first ones of every tree."""
    n_levels = problem.n_levels
    words = np.concatenate([np.array(doc, np.int64) for doc in problem.docs])
    owner = np.repeat(np.arange(len(problem.docs)), [len(doc) for doc in problem.docs])
    z = np.array(list(product(range(n_levels), repeat=len(words))))
    on_level = z[:, :, None] == np.arange(n_levels)
    log_z = np.zeros(len(z))
    for d in range(len(problem.docs)):
        of_document = on_level[:, owner == d].sum(axis=1)
        for level, alpha in enumerate(problem.alpha):
            log_z += log_rising(alpha, of_document[:, level])
        log_z -= log_rising(sum(problem.alpha), of_document.sum(axis=1))

    @cache
    def log_topic(topic: tuple[int, ...], members: tuple[int, ...]) -> NDArray[np.float64]:
        mine = on_level[:, :, len(topic)] & np.isin(owner, members)
        per_word = [mine[:, words == word].sum(axis=1) for word in range(problem.n_words)]
        beta = seeded.beta(problem, topic)
        numerator = sum(log_rising(b, n) for b, n in zip(beta, per_word, strict=True))
        return numerator - log_rising(beta.sum(), mine.sum(axis=1))

    prior = dict(enumerate_trees(len(problem.docs), problem.gamma, seeded.paths))
    log_tree = {}
    level_sums = []
    for tree, log_prior in prior.items():
        log_joint = log_prior + log_z
        for level in range(n_levels):
            members = defaultdict(list)
            for d, path in enumerate(tree[len(seeded.paths) :]):
                members[path[:level]].append(d)
            for topic, documents in members.items():
                log_joint = log_joint + log_topic(topic, tuple(documents))
        log_tree[tree] = np.logaddexp.reduce(log_joint)
        level_sums.append(np.exp(log_joint) @ on_level.reshape(len(z), -1))
    log_evidence = float(np.logaddexp.reduce(list(log_tree.values())))
    return Posterior(
        log_evidence,
        {tree: math.exp(value - log_evidence) for tree, value in log_tree.items()},
        {tree: math.exp(value) for tree, value in prior.items()},
        np.sum(level_sums, axis=0).reshape(len(words), n_levels) / math.exp(log_evidence),
    )


def log_joint_by_chain_rule(problem: Problem, paths: Sequence[Sequence[int]], levels: Sequence[int]) -> float:
    """log p(w, z, c), one conditional probability at a time: of a step of a path, of a level, of a word.

    ``paths`` are topic ids from the root down, ``levels`` those of all tokens in order.
    """
    visits: dict[Any, int] = defaultdict(int)
    counts: dict[Any, int] = defaultdict(int)
    totals: dict[Any, int] = defaultdict(int)
    remaining = iter(levels)
    logs = []
    for doc, path in zip(problem.docs, paths, strict=True):
        for level, gamma in enumerate(problem.gamma):
            parent, child = tuple(path[: level + 1]), tuple(path[: level + 2])
            is_old = visits[child] > 0
            is_new_parent = visits[parent] == 0
            if not is_new_parent:
                taken = visits[child] if is_old else gamma
                logs.append(math.log(taken) - math.log(visits[parent] + gamma))
        for level in range(problem.n_levels):
            visits[tuple(path[: level + 1])] += 1
        own = [0] * problem.n_levels
        for n, word in enumerate(doc):
            level = int(next(remaining))
            logs.append(math.log((own[level] + problem.alpha[level]) / (n + sum(problem.alpha))))
            own[level] += 1
            topic, beta = tuple(path[: level + 1]), problem.beta[level]
            logs.append(math.log((counts[topic, word] + beta) / (totals[topic] + problem.n_words * beta)))
            counts[topic, word] += 1
            totals[topic] += 1
    return math.fsum(logs)


def canonical_tree(paths: NDArray[np.integer[Any]]) -> Tree:
    """Topic ids from the root down, renamed to numbers of children in order of first appearance."""
    children: dict[int, list[int]] = defaultdict(list)
    tree = []
    for path in paths.tolist():
        steps = []
        for parent, child in pairwise(path):
            if child not in children[parent]:
                children[parent].append(child)
            steps.append(children[parent].index(child))
        tree.append(tuple(steps))
    return tuple(tree)


class Frequencies:
    """A callback that counts trees, with the paths of so many seeds first, and levels, starting at a given sweep."""

    def __init__(self, burn_in: int, n_seeded: int = 0) -> None:
        self.burn_in = burn_in
        self.n_seeded = n_seeded
        self._paths: list[NDArray[np.int32]] = []
        self._levels: list[NDArray[np.uint8]] = []

    def __call__(self, event: Any) -> None:
        if event.iteration > self.burn_in:
            self._paths.append(np.vstack([event.state.pinned_paths(event.nodes)[: self.n_seeded], event.paths]))
            self._levels.append(event.token_levels)

    @property
    def trees(self) -> dict[Tree, float]:
        different, counts = np.unique(np.array(self._paths), axis=0, return_counts=True)
        frequencies: dict[Tree, float] = defaultdict(float)
        for paths, count in zip(different, counts, strict=True):
            frequencies[canonical_tree(paths)] += count / len(self._paths)
        return frequencies

    def levels(self, n_levels: int) -> NDArray[np.float64]:
        levels = np.array(self._levels)
        return np.stack([(levels == level).mean(axis=0) for level in range(n_levels)], axis=1)

    def distance(self, posterior: Posterior) -> Distance:
        trees = self.trees
        by_tree = [trees.get(tree, 0.0) - posterior.trees.get(tree, 0.0) for tree in {*trees, *posterior.trees}]
        by_level = np.abs(self.levels(posterior.levels.shape[1]) - posterior.levels).sum(axis=1)
        return Distance(0.5 * float(np.abs(by_tree).sum()), 0.5 * float(by_level.max()))


BURN_IN = 100
"""Sweeps that don't count; the first 32 are the initialisation, which is no Gibbs sampling."""


def distance_of_chain(
    problem: Problem, n_iter: int, seed: int = 0, seeded: SeededPrior = NO_SEEDS, **options: Any
) -> Distance:
    """Measure how far a chain's trees and levels are from the exact posterior."""
    frequencies = Frequencies(BURN_IN, len(seeded.paths))
    problem.model(n_iter=n_iter + BURN_IN, random_state=seed, callbacks=[frequencies], **options).fit(problem.corpus)
    return frequencies.distance(exact_posterior(problem, seeded))


if __name__ == "__main__":
    distance = distance_of_chain(FIXTURES["C"], int(sys.argv[1]), sampler="cgs")
    print(json.dumps({**distance._asdict(), "source": topicgrove.__file__}))
