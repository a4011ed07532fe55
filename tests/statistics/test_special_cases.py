"""Where hierarchical LDA is a simpler model it has that model's posterior; where numbers are extreme, finite ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs, Sampler
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.training import Schedule, SweepEvent, Trainer
from topicgrove.workers import Workers

from .posterior import BURN_IN, Frequencies, Problem

CHAIN = Problem(((0, 0, 1), (1, 2), (0, 2, 2)), 3, (0.4, 0.8, 1.5), (0.3, 0.1, 0.6), (1e-300, 1e-300))
"""So small a gamma that no topic is ever born but the first ones: a chain."""

MIXTURE = Problem(((0, 0), (0, 1), (1, 1), (0, 0, 1, 1)), 2, (1e-6, 1.0), (1.0, 0.4), (0.9,))
"""So small an alpha of the root that all tokens are in the leaves."""


def log_rising(start: float, n: int) -> float:
    """log start (start + 1) ... (start + n - 1)."""
    return math.lgamma(start + n) - math.lgamma(start)


def log_dirichlet_multinomial(prior: Sequence[float], counts: Sequence[int]) -> float:
    """log probability of a sequence of draws with these counts."""
    each = sum(log_rising(a, n) for a, n in zip(prior, counts, strict=True))
    return each - log_rising(sum(prior), sum(counts))


def log_lda(problem: Problem, levels: Sequence[int]) -> float:
    """log p(w, z) of LDA with one topic per level."""
    remaining = iter(levels)
    words: list[Counter[int]] = [Counter() for _ in problem.alpha]
    total = 0.0
    for doc in problem.docs:
        mine = [int(next(remaining)) for _ in doc]
        total += log_dirichlet_multinomial(problem.alpha, [mine.count(level) for level in range(problem.n_levels)])
        for word, level in zip(doc, mine, strict=True):
            words[level][word] += 1
    for beta, counts in zip(problem.beta, words, strict=True):
        total += log_dirichlet_multinomial([beta] * problem.n_words, [counts[v] for v in range(problem.n_words)])
    return total


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Every partition of n things, as the number of each thing's block in order of first appearance."""

    def extend(start: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(start) == n:
            yield start
            return
        for block in range(max(start, default=-1) + 2):
            yield from extend((*start, block))

    return extend(())


def mixture_posterior(problem: Problem) -> dict[tuple[int, ...], float]:
    """p(partition | w) of a Dirichlet process mixture of multinomials: prod_k gamma (m_k - 1)! p(w of block k)."""
    log_weight = {}
    for partition in partitions(len(problem.docs)):
        total = 0.0
        for block in set(partition):
            members = [doc for doc, b in zip(problem.docs, partition, strict=True) if b == block]
            counts = Counter(word for doc in members for word in doc)
            beta = [problem.beta[1]] * problem.n_words
            total += math.log(problem.gamma[0]) + math.lgamma(len(members))
            total += log_dirichlet_multinomial(beta, [counts[v] for v in range(problem.n_words)])
        log_weight[partition] = total
    norm = np.logaddexp.reduce(list(log_weight.values()))
    return {partition: math.exp(value - norm) for partition, value in log_weight.items()}


def run(problem: Problem, n_iter: int, **options: Any) -> tuple[Frequencies, HierarchicalLDA]:
    frequencies = Frequencies(BURN_IN)
    model = problem.model(n_iter=n_iter + BURN_IN, random_state=0, callbacks=[frequencies], **options)
    return frequencies, model.fit(problem.corpus)


def test_with_tiny_gamma_the_levels_are_the_topics_of_lda() -> None:
    assignments = np.array(list(product(range(3), repeat=8)))
    log_joint = np.array([log_lda(CHAIN, levels) for levels in assignments.tolist()])
    weights = np.exp(log_joint - np.logaddexp.reduce(log_joint))
    exact = np.stack([weights @ (assignments == level) for level in range(3)], axis=1)
    frequencies, model = run(CHAIN, 20_000, sampler="cgs")
    assert list(frequencies.trees) == [((0, 0), (0, 0), (0, 0))]
    assert model.tree_.n_topics_per_level == [1, 1, 1]
    distance = 0.5 * np.abs(frequencies.levels(3) - exact).sum(axis=1)
    assert distance.max() < 0.02


@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_with_tiny_gamma_the_joint_is_that_of_lda(sampler: str) -> None:
    """A chain of topics has probability 1 but for a part of size gamma."""
    joints: list[tuple[float, list[int]]] = []

    def note(event: SweepEvent) -> None:
        joints.append((event.log_joint, event.token_levels.tolist()))

    CHAIN.model(n_iter=30, sampler=sampler, random_state=0, callbacks=[note]).fit(CHAIN.corpus)
    for log_joint, levels in joints:
        assert log_joint == pytest.approx(log_lda(CHAIN, levels), rel=1e-6)


def test_with_two_levels_and_an_empty_root_it_is_a_dirichlet_process_mixture() -> None:
    exact = mixture_posterior(MIXTURE)
    assert len(exact) == 15
    frequencies, model = run(MIXTURE, 60_000, sampler="cgs")
    seen = {tuple(step for (step,) in tree): share for tree, share in frequencies.trees.items()}
    distance = 0.5 * sum(abs(seen.get(partition, 0.0) - share) for partition, share in exact.items())
    assert distance < 0.02
    assert frequencies.levels(2)[:, 0].max() < 0.001
    assert model.tree_.n_levels == 2


def made_counts() -> NDArray[np.int64]:
    """Documents of two kinds with common words besides."""
    random = np.random.default_rng(4)
    counts = random.poisson(0.4, (40, 30))
    counts[:20, :10] += random.poisson(3.0, (20, 10))
    counts[20:, 10:20] += random.poisson(3.0, (20, 10))
    return counts


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
@pytest.mark.parametrize(
    "extreme",
    [
        {"gamma": 1e-100},
        {"gamma": 1e-300},
        {"gamma": 1e300},
        {"beta": 1e-6},
        {"beta": 1e6},
        {"alpha": 1e-6},
        {"alpha": 1e6},
        {"gamma": 1e-300, "beta": 1e-6, "alpha": 1e6},
    ],
    ids=str,
)
def test_extreme_hyper_parameters_give_finite_numbers(extreme: dict[str, float], sampler: str) -> None:
    seen: list[float] = []
    counts = made_counts()
    model = HierarchicalLDA(
        **{"n_levels": 3, "gamma": 1.0, "beta": 0.3, "alpha": 0.2, **extreme},
        sampler=sampler,
        collapse_below=8,
        n_iter=50,
        random_state=0,
        callbacks=[lambda event: seen.append(event.log_joint)],
    ).fit(counts)
    assert np.isfinite(seen).all()
    assert max(seen) < 0, "a probability above 1"
    assert model.tree_.n_levels == 3
    assert np.isfinite(model.log_joint_)
    assert int(model.topic_word_counts_.sum()) == int(counts.sum())
    assert int(model.tree_.n_docs[0]) == 40
    assert np.isfinite(model.perplexity(counts, random_state=0, n_samples=2, burn_in=6))


LONG = 1_500
"""Tokens of the long documents: the product of their probabilities is around 1e-4000."""


class LongDocuments:
    """A trained state of long documents, of which one is drawn once more while its path weights are looked at."""

    def __init__(self, sampler: Sampler, beta: Sequence[float], gamma: float = 1e-30) -> None:
        random = np.random.default_rng(6)
        themes = random.dirichlet(np.full(800, 0.05), 5)
        docs = [random.choice(800, LONG, p=0.3 * themes[4] + 0.7 * themes[d % 4]) for d in range(24)]
        self.corpus = Corpus.from_documents(docs, n_words=800)
        hyper = HyperParameters.of(3, alpha=0.3, beta=(1.0, 0.5, 0.25), gamma=gamma)
        self.state = State(self.corpus, hyper, 2, Workers(1))
        schedule = Schedule(n_iter=12, init_iterations=2, init_samples=1, batch_size=4, max_topics=None)
        Trainer(self.state, sampler, schedule).run()
        # Whatever beta is asked for, the tree is one with many paths.
        self.hyper = HyperParameters.of(3, alpha=0.3, beta=beta, gamma=gamma)
        self.state.topics.prior = self.hyper.for_kernels(self.corpus.n_words)

    def weights(self, d: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Log weights of all ways for document d: as the kernel has them, and made from scratch in float64."""
        expected = self._expected(d)
        sweeper = Sweeper(self.state, n_samples=1, fixed_weights=False, max_topics=None)
        sweeper.sweep(np.array([d]), 99)
        candidate = sweeper._workspaces[0].paths.candidate[0].astype(np.float64)
        slots = np.array(sorted(expected))
        return candidate[slots], np.array([expected[slot] for slot in slots])

    def _expected(self, d: int) -> dict[int, float]:
        """By slot: a leaf's path, or a new branch below an internal topic; the root's score left out."""
        state = self.state
        nodes = state.nodes()
        paths, levels, words = state.paths(nodes), state.docs.levels, self.corpus.words
        owner = np.repeat(np.arange(self.corpus.n_docs), self.corpus.document_lengths)
        others = owner != d
        n_topics = len(nodes.slot)
        counts = np.zeros((n_topics, self.corpus.n_words))
        np.add.at(counts, (paths[owner, levels][others], words[others]), 1)
        own = np.zeros((3, self.corpus.n_words))
        np.add.at(own, (levels[~others], words[~others]), 1)
        m = nodes.n_docs.copy()
        m[paths[d]] -= 1
        beta = self.state.prior.beta.astype(np.float64)
        gamma = np.exp(self.hyper.log_gamma)

        def score(level: int, topic: int | None) -> float:
            if topic is not None and nodes.slot[topic] < state.topics.n_slow:
                log_phi = state.topics.words.log_phi[:, nodes.slot[topic]].astype(np.float64)
                return float(own[level] @ log_phi)
            before = counts[topic] + beta[level] if topic is not None else np.full(self.corpus.n_words, beta[level])
            n = own[level].sum()
            rising = gammaln(before + own[level]) - gammaln(before)
            return float(rising.sum() - gammaln(before.sum() + n) + gammaln(before.sum()))

        new = [0.0, score(1, None) + score(2, None), score(2, None)]
        found = {int(nodes.slot[0]): self.hyper.log_gamma[0] - np.log(m[0] + gamma[0]) + new[1]}
        for a in np.flatnonzero((nodes.level == 1) & (m > 0)):
            through = score(1, a) + np.log(m[a]) - np.log(m[0] + gamma[0]) - np.log(m[a] + gamma[1])
            found[int(nodes.slot[a])] = through + self.hyper.log_gamma[1] + new[2]
            for b in np.flatnonzero((nodes.parent == a) & (nodes.level == 2) & (m > 0)):
                found[int(nodes.slot[b])] = through + score(2, b) + np.log(m[b])
        return found


@pytest.mark.parametrize(
    "sampler",
    [CollapsedGibbs(), PartiallyCollapsedGibbs(3, draw_phi=False), PartiallyCollapsedGibbs(3, draw_phi=True)],
    ids=["collapsed", "slow mean", "slow drawn"],
)
@pytest.mark.parametrize("beta", [(1.0, 0.5, 0.25), (1e-7, 1e-8, 1e-9), (50.0, 20.0, 10.0)], ids=str)
def test_path_weights_of_long_documents_are_those_of_float64(sampler: Sampler, beta: Sequence[float]) -> None:
    long = LongDocuments(sampler, beta)
    n_ways = 0
    for d in range(0, 24, 3):
        got, expected = long.weights(d)
        assert expected.min() < -1_000
        np.testing.assert_allclose(got, expected, rtol=1e-5)
        # The draw sees differences: 1e-5 of a large number would be too much there.
        np.testing.assert_allclose(got - expected, 0, atol=0.02)
        n_ways += len(got)
    assert n_ways > 8 * 4
