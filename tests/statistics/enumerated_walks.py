"""Exact posteriors of the nested HDP on tiny corpora, by enumeration of every way in which tokens share nodes.

Model. A node t of level l has words phi_t ~ Dir(beta_l). At an inner node i, pi_i ~ GEM(gamma_l) weighs its endless
children, and document d draws psi_di ~ Dir(stop_l; tau_l pi_i1, tau_l pi_i2, ...). A token walks down from the root: at
i it stops with probability psi_di0, or goes on to child j with probability psi_dij; on the last level it stops. Where
it stopped it takes its word.

Of psi_di, integrated out, the tokens of d at i leave (stop + tau below)

    p(tokens of d at i | pi_i) = G(stop + tau) / G(stop + tau + n_d.) * G(stop + n_d0) / G(stop)
                                 * prod_j G(tau pi_ij + n_dj) / G(tau pi_ij),

n_d0 of them stopping at i, n_dj going on to j. With s(n, m) the unsigned Stirling numbers of the first kind,

    G(a + n) / G(a) = sum_m s(n, m) a^m,

so m_dj, the tables of d that serve j, enter as powers of pi_ij, and pi_i can be integrated out. What is left is
the probability of a partition: to sum over which of the endless children the K that have tokens are,

    sum E[prod_j pi_ij^m_.j] = gamma^K G(gamma) / G(gamma + m_..) * prod_j (m_.j - 1)!.

p(z) is the product of that over inner nodes, summed over all m; p(w | z) is the product over nodes of Dirichlet
multinomials. A state is a partition: nodes without tokens in or below them are not there, and children are numbered in
the order in which tokens first take them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Walk = tuple[int, ...]
"""The number of the child at every step of a token; the root's is empty."""

Walks = tuple[Walk, ...]
"""Those of all tokens: documents in order, tokens sorted by word."""

Weights = tuple[float, ...]


class NestedProblem(NamedTuple):
    """A corpus whose documents are sorted by word, and its hyper-parameters by level; the last level only has beta."""

    docs: tuple[tuple[int, ...], ...]
    n_words: int
    beta: Weights
    stop: Weights
    tau: Weights
    gamma: Weights

    @property
    def n_levels(self) -> int:
        return len(self.beta)

    @property
    def words(self) -> NDArray[np.int64]:
        return np.concatenate([np.array(doc, np.int64) for doc in self.docs])

    @property
    def owner(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.docs)), [len(doc) for doc in self.docs])


PROBLEMS = {
    "two levels": NestedProblem(((0, 0, 0), (0, 1)), 2, (0.6, 0.3), (0.5,), (1.5,), (0.8,)),
    "three levels": NestedProblem(((0, 0), (1,)), 2, (0.8, 0.5, 0.2), (0.6, 0.6), (1.4, 1.4), (0.7, 0.7)),
    "four tokens": NestedProblem(((0, 0, 0), (1,)), 2, (0.8, 0.5, 0.2), (0.5, 0.5), (1.8, 1.8), (0.9, 0.9)),
    "five tokens": NestedProblem(((0, 0, 1), (0, 1)), 2, (0.9, 0.4, 0.15), (0.3, 0.5), (2.0, 1.4), (0.7, 1.2)),
}
"""So few tokens, because 100,000 independent draws of the posteriors' states alone differ from them by .009, .008 and
.014. The last, with 5,804 states, has different rates on all levels."""


class NestedPosterior(NamedTuple):
    """p(z | w) of a problem, and what it says of single tokens, pairs and sizes."""

    log_evidence: float
    states: dict[Walks, float]
    levels: NDArray[np.float64]  # [N, L] P(token n stops on level l)
    same: NDArray[np.float64]  # [N, N] P(tokens n and m stop at one node)
    n_topics: dict[int, float]  # nodes with a token in or below them


class NestedDistance(NamedTuple):
    """Total variations between a chain and the posterior; of levels and pairs, the worst token's and pair's."""

    states: float
    levels: float
    same: float
    n_topics: float


def enumerate_walks(n_tokens: int, n_levels: int) -> Iterator[Walks]:
    """Yield every way in which the given number of tokens can share the nodes of a tree."""

    def continuations(before: Walks, start: Walk) -> Iterator[Walk]:
        yield start
        if len(start) < n_levels - 1:
            taken = {walk[len(start)] for walk in before if walk[: len(start)] == start and len(walk) > len(start)}
            for child in range(len(taken) + 1):
                yield from continuations(before, (*start, child))

    def place(before: Walks) -> Iterator[Walks]:
        if len(before) == n_tokens:
            yield before
            return
        for walk in continuations(before, ()):
            yield from place((*before, walk))

    return place(())


@cache
def stirling(n: int, m: int) -> int:
    """Count permutations of n with m cycles: unsigned Stirling numbers of the first kind.

    >>> [stirling(4, m) for m in range(5)]
    [0, 6, 11, 6, 1]
    """
    if n == 0 or m == 0:
        return int(n == m)
    return stirling(n - 1, m - 1) + (n - 1) * stirling(n - 1, m)


def log_rising(start: float, n: int) -> float:
    """log G(start + n) / G(start)."""
    return math.lgamma(start + n) - math.lgamma(start)


@cache
def node_probability(
    stopped: tuple[int, ...], gone: tuple[tuple[int, ...], ...], stop: float, tau: float, gamma: float
) -> float:
    """Probability of what tokens do at an inner node: ``stopped`` by document, ``gone`` by child and document."""
    log_documents = 0.0
    for d, n_stopped in enumerate(stopped):
        n_gone = sum(child[d] for child in gone)
        log_documents += log_rising(stop, n_stopped) - log_rising(stop + tau, n_stopped + n_gone)
    by_tables = np.ones(1)  # the coefficient of every m_..
    for child in gone:
        of_child = np.ones(1)
        for n in child:
            of_child = np.convolve(of_child, [stirling(n, m) for m in range(n + 1)])
        of_child = [0.0 if m == 0 else c * tau**m * math.factorial(m - 1) for m, c in enumerate(of_child)]
        by_tables = np.convolve(by_tables, of_child)
    shared = sum(c * math.exp(-log_rising(gamma, m)) for m, c in enumerate(by_tables))
    return math.exp(log_documents) * gamma ** len(gone) * shared


def log_prior(problem: NestedProblem, walks: Walks) -> float:
    """log p(z), tables and sticks integrated out."""
    n_docs = len(problem.docs)
    stopped: dict[Walk, list[int]] = defaultdict(lambda: [0] * n_docs)
    gone: dict[Walk, list[int]] = defaultdict(lambda: [0] * n_docs)
    for d, walk in zip(problem.owner.tolist(), walks, strict=True):
        stopped[walk][d] += 1
        for step in range(len(walk)):
            gone[walk[: step + 1]][d] += 1
    log_p = 0.0
    for node in {walk[:step] for walk in walks for step in range(len(walk) + 1)}:
        level = len(node)
        if level < problem.n_levels - 1:
            children = sorted(tuple(counts) for child, counts in gone.items() if child[:-1] == node)
            rates = (problem.stop[level], problem.tau[level], problem.gamma[level])
            log_p += math.log(node_probability(tuple(stopped[node]), tuple(children), *rates))
    return log_p


def log_words(words: Iterable[int], nodes: Iterable[Hashable], n_words: int, beta: Callable[[Any], float]) -> float:
    """log p(w | z): a Dirichlet multinomial for every node, phi integrated out."""
    counts = Counter(zip(nodes, words, strict=True))
    totals: Counter[Any] = Counter()
    for (node, _), n in counts.items():
        totals[node] += n
    return sum(log_rising(beta(node), n) for (node, _), n in counts.items()) - sum(
        log_rising(n_words * beta(node), n) for node, n in totals.items()
    )


def log_joint(problem: NestedProblem, walks: Walks) -> float:
    """log p(z, w), everything else integrated out."""
    of_words = log_words(problem.words.tolist(), walks, problem.n_words, lambda walk: problem.beta[len(walk)])
    return log_prior(problem, walks) + of_words


@cache
def nested_posterior(problem: NestedProblem) -> NestedPosterior:
    """Sum p(w, z) over all z."""
    states = list(enumerate_walks(len(problem.words), problem.n_levels))
    log_p = np.array([log_joint(problem, walks) for walks in states])
    log_evidence = float(np.logaddexp.reduce(log_p))
    share = dict(zip(states, np.exp(log_p - log_evidence).tolist(), strict=True))
    return NestedPosterior(log_evidence, share, *marginals(share, problem.n_levels))


def marginals(
    share: Mapping[Walks, float], n_levels: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[int, float]]:
    """P(level) of tokens, P(same node) of pairs, P(number of nodes), from the shares of states."""
    n_tokens = len(next(iter(share)))
    levels, same = np.zeros((n_tokens, n_levels)), np.zeros((n_tokens, n_tokens))
    n_topics: dict[int, float] = defaultdict(float)
    for walks, p in share.items():
        for n, walk in enumerate(walks):
            levels[n, len(walk)] += p
            same[n] += [p * (walk == other) for other in walks]
        n_topics[len({walk[:step] for walk in walks for step in range(len(walk) + 1)})] += p
    return levels, same, dict(n_topics)


def canonical_walks(nodes: Sequence[int], parent: Sequence[int]) -> Walks:
    """Return the state that the nodes of tokens represent, whatever their ids."""
    walks = []
    for node in nodes:
        steps: list[int] = []
        while parent[node] >= 0:
            steps.insert(0, int(node))
            node = parent[node]
        walks.append(tuple(steps))
    return _renumbered(walks)


@cache
def orbit(problem: NestedProblem, walks: Walks) -> Walks:
    """The least of the states that differ only by which of a document's tokens of one word is which."""
    alike: dict[tuple[int, int], list[int]] = defaultdict(list)
    for n, (d, word) in enumerate(zip(problem.owner.tolist(), problem.words.tolist(), strict=True)):
        alike[d, word].append(n)
    orders = product(*(permutations(group) for group in alike.values()))
    return min(_renumbered([walks[n] for group in order for n in group]) for order in orders)


def _renumbered(walks: Iterable[Walk]) -> Walks:
    """Number children in the order of first appearance."""
    numbers: dict[Walk, dict[int, int]] = defaultdict(dict)
    return tuple(
        tuple(numbers[walk[:k]].setdefault(step, len(numbers[walk[:k]])) for k, step in enumerate(walk))
        for walk in walks
    )


def by_orbit(problem: NestedProblem, share: Mapping[Walks, float]) -> dict[Walks, float]:
    """Shares of states, those that the posterior cannot tell apart added up."""
    shares: dict[Walks, float] = defaultdict(float)
    for walks, p in share.items():
        shares[orbit(problem, walks)] += p
    return shares


def total_variation(one: Mapping[Any, float], other: Mapping[Any, float]) -> float:
    """Return half the sum of all differences."""
    return 0.5 * sum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in {*one, *other})


def distance(counts: Mapping[Walks, int], problem: NestedProblem) -> NestedDistance:
    """Measure how far the states that a chain visited are from the posterior."""
    exact = nested_posterior(problem)
    total = sum(counts.values())
    share = {walks: count / total for walks, count in counts.items()}
    levels, same, n_topics = marginals(share, problem.n_levels)
    return NestedDistance(
        total_variation(by_orbit(problem, share), by_orbit(problem, exact.states)),
        0.5 * float(np.abs(levels - exact.levels).sum(axis=1).max()),
        float(np.abs(same - exact.same).max()),
        total_variation(n_topics, exact.n_topics),
    )


class FixedTree(NamedTuple):
    """A tree that does not grow: psi_di ~ Dir(stop_i; alpha_j for each child j of i)."""

    parent: tuple[int, ...]
    docs: tuple[tuple[int, ...], ...]
    n_words: int
    alpha: Weights  # [T] of the edge into a node
    stop: Weights  # [T] of inner nodes
    beta: Weights  # by level

    @property
    def level(self) -> list[int]:
        level: list[int] = []
        for up in self.parent:
            level.append(0 if up < 0 else level[up] + 1)
        return level


class FixedPosterior(NamedTuple):
    """p(z | w) on a fixed tree."""

    log_evidence: float
    node: NDArray[np.float64]  # [N, T]
    same: NDArray[np.float64]  # [N, N]


def fixed_posterior(problem: FixedTree) -> FixedPosterior:
    """Sum p(w, z) over every assignment of tokens to nodes."""
    n_nodes, level = len(problem.parent), np.array(problem.level)
    words = np.array([word for doc in problem.docs for word in doc])
    z = np.array(list(product(range(n_nodes), repeat=len(words))), np.int8)
    log_p, first = np.zeros(len(z)), 0
    for doc in problem.docs:
        own, which = np.unique(z[:, first : first + len(doc)], axis=0, return_inverse=True)
        log_p += np.array([_log_document(problem, row) for row in own.tolist()])[which.ravel()]
        first += len(doc)
    for t in range(n_nodes):
        beta, here = problem.beta[level[t]], z == t
        of_words = np.array([log_rising(beta, n) for n in range(len(words) + 1)])
        of_total = np.array([log_rising(problem.n_words * beta, n) for n in range(len(words) + 1)])
        log_p -= of_total[here.sum(axis=1)]
        for word in range(problem.n_words):
            log_p += of_words[here[:, words == word].sum(axis=1)]
    log_evidence = float(np.logaddexp.reduce(log_p))
    p = np.exp(log_p - log_evidence)
    node = np.stack([p @ (z == t) for t in range(n_nodes)], axis=1)
    same = np.stack([p @ (z == z[:, [n]]) for n in range(len(words))])
    return FixedPosterior(log_evidence, node, same)


def _log_document(problem: FixedTree, z: Sequence[int]) -> float:
    """log p(z) of a document, psi integrated out."""
    children = [[j for j, up in enumerate(problem.parent) if up == i] for i in range(len(problem.parent))]
    stopped, through = Counter(z), Counter[int]()
    for t in z:
        while t >= 0:
            through[t] += 1
            t = problem.parent[t]
    log_p = 0.0
    for i, own in enumerate(children):
        if own:
            log_p += log_rising(problem.stop[i], stopped[i]) + sum(
                log_rising(problem.alpha[j], through[j]) for j in own
            )
            log_p -= log_rising(problem.stop[i] + sum(problem.alpha[j] for j in own), through[i])
    return log_p
