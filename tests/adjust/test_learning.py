"""Learning hyper-parameters: updates against slow twins, and known values recovered from drawn data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, logsumexp, psi

from topicgrove.adjust import learning
from topicgrove.adjust.learning import Histogram, LearnHyper, draw_log_gamma, learn_alpha, learn_beta
from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.samplers import CollapsedGibbs
from topicgrove.state import State
from topicgrove.topics import Nodes
from topicgrove.training import Schedule, Trainer
from topicgrove.workers import Workers

from ..statistics.simulation import Draw, Simulator
from .conftest import MakeTrainer

ALPHA, BETA, GAMMA = (0.4, 0.8, 1.5), (0.5, 0.1, 0.05), (2.0, 0.7)


def draw_counts(alpha: list[float], n_rows: int, length: int, seed: int = 0) -> NDArray[np.int64]:
    random = np.random.default_rng(seed)
    return np.array([random.multinomial(random.poisson(length), theta) for theta in random.dirichlet(alpha, n_rows)])


def slow_step(alpha: list[float], counts: NDArray[np.int64]) -> list[float]:
    """Minka's equation 55, document by document."""
    below = sum(psi(row.sum() + sum(alpha)) - psi(sum(alpha)) for row in counts)
    return [a * sum(psi(row[k] + a) - psi(a) for row in counts) / below for k, a in enumerate(alpha)]


def log_likelihood(beta: float, counts: NDArray[np.int64]) -> float:
    n_words = counts.shape[1]
    parts = gammaln(counts + beta).sum(axis=1) - gammaln(counts.sum(axis=1) + n_words * beta)
    return float((parts + gammaln(n_words * beta) - n_words * gammaln(beta)).sum())


def posterior_of_log_gamma(n_docs: NDArray[np.int64], n_children: int) -> tuple[float, float]:
    """Compute mean and deviation from the density on a grid."""
    grid = np.linspace(-12, 5, 4000)
    gamma = np.exp(grid)
    density = learning.GAMMA_SHAPE * grid - learning.GAMMA_RATE * gamma + n_children * grid
    density += (gammaln(gamma)[:, None] - gammaln(gamma[:, None] + n_docs)).sum(axis=1)
    weights = np.exp(density - logsumexp(density))
    mean = float(weights @ grid)
    return mean, float(np.sqrt(weights @ (grid - mean) ** 2))


def test_a_step_for_alpha_equals_its_slow_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "STEPS", 1)
    counts = draw_counts([0.3, 1.0, 2.0], 50, 20)
    start = [1.0, 0.5, 0.7]
    assert_allclose(learn_alpha(np.array(start), counts, symmetric=False), slow_step(start, counts))
    twin = np.mean(slow_step([0.6] * 3, counts))
    assert_allclose(learn_alpha(np.full(3, 0.6), counts, symmetric=True), np.full(3, twin))


@pytest.mark.parametrize("start", [0.05, 5.0])
def test_beta_goes_to_the_maximum_of_its_likelihood(start: float) -> None:
    counts = draw_counts([0.2] * 40, 30, 200)
    beta = start
    for _ in range(10):
        beta = learn_beta(beta, Histogram(counts), Histogram(counts.sum(axis=1)), 40)
    best = minimize_scalar(lambda b: -log_likelihood(b, counts), bounds=(0.01, 10), method="bounded").x
    assert_allclose(beta, best, rtol=1e-3)
    assert abs(beta - 0.2) < 0.02


def test_alpha_is_found_again() -> None:
    counts = draw_counts(list(ALPHA), 3000, 60)
    alpha = np.ones(3)
    for _ in range(10):
        alpha = learn_alpha(alpha, counts, symmetric=False)
    assert_allclose(alpha, ALPHA, rtol=0.1)


def test_levels_that_nobody_uses_leave_finite_values() -> None:
    alpha = np.full(3, 0.2)
    for _ in range(50):
        alpha = learn_alpha(alpha, np.array([[5, 0, 0], [7, 0, 0]]), symmetric=False)
    assert (alpha >= learning.ALPHA_LIMITS[0]).all()
    assert (alpha <= learning.ALPHA_LIMITS[1]).all()
    assert_allclose(learn_alpha(np.full(2, 0.2), np.zeros((4, 2), np.int64), symmetric=True), 0.2)
    nothing = Histogram(np.zeros(3, np.int64))
    assert learn_beta(0.3, nothing, nothing, 10) == 0.3


@pytest.mark.parametrize("start", [-200.0, 5.0])
@pytest.mark.parametrize(("n_docs", "n_children"), [([100], 12), ([40, 3, 1, 1, 60], 14), ([5], 1)])
def test_gamma_is_drawn_from_its_posterior(start: float, n_docs: list[int], n_children: int) -> None:
    """The chain's mean and deviation equal those of the density on a grid, wherever it starts."""
    random = np.random.default_rng(1)
    m = np.array(n_docs)
    chain = [start]
    for _ in range(20_000):
        chain.append(draw_log_gamma(chain[-1], m, n_children, random))
    draws = np.array(chain[100:])
    mean, deviation = posterior_of_log_gamma(m, n_children)
    assert abs(draws.mean() - mean) < 0.06 * deviation
    assert abs(draws.std() / deviation - 1) < 0.05


def planted(draw: Draw, simulator: Simulator, hyper: HyperParameters) -> Trainer:
    """Make a trainer whose state is that of the draw."""
    lengths = simulator.lengths
    corpus = Corpus(draw.words, np.append(0, np.cumsum(lengths)).astype(np.int64), simulator.n_words)
    state = State(corpus, hyper, 0, Workers(1))
    n_topics = draw.paths.max(axis=0) + 1
    start = np.append(0, np.cumsum(n_topics))
    level = np.repeat(np.arange(3), n_topics)
    parent = np.zeros(len(level), np.int64)
    parent[start[1:-1] + draw.paths[:, 1:]] = start[:-2] + draw.paths[:, :-1]
    n_docs = np.bincount((start[:-1] + draw.paths).ravel())
    state.topics.lay_out(Nodes(parent, level, n_docs, np.full(len(level), -1)), np.zeros(len(level), np.bool_))
    state.docs.leaf[:] = state.topics.layout.rapid_start[2] + draw.paths[:, 2]
    state.docs.levels[:] = draw.levels
    return Trainer(state, CollapsedGibbs(), Schedule(100, 0, 1, None, None), iteration=1)


def test_all_values_are_found_again_in_a_draw_from_the_model() -> None:
    """The assignments stay those of the draw; updates alone are repeated."""
    simulator = Simulator([60] * 1500, 80, ALPHA, BETA, GAMMA, seed=3)
    trainer = planted(simulator.draw(), simulator, HyperParameters.of(3, alpha=1.0, beta=1.0, gamma=1e-50))
    learner = LearnHyper(("alpha", "beta", "gamma"), every=1, symmetric=False)
    log_gammas = []
    for _ in range(200):
        trainer.iteration += 1
        learner.after_sweep(trainer)
        log_gammas.append(trainer.state.hyper.log_gamma)
    hyper = trainer.state.hyper
    assert_allclose(hyper.alpha, ALPHA, rtol=0.15)
    assert_allclose(hyper.beta[1:], BETA[1:], rtol=0.15)
    assert_allclose(hyper.beta[0], BETA[0], rtol=0.5)
    draws = np.array(log_gammas[20:])
    nodes = trainer.state.nodes()
    for level, gamma in enumerate(GAMMA):
        n_children = int((nodes.level == level + 1).sum())
        mean, deviation = posterior_of_log_gamma(nodes.n_docs[nodes.level == level], n_children)
        assert abs(np.log(gamma) - mean) < 2.5 * deviation
        assert abs(draws[:, level].mean() - mean) < 0.4 * deviation


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_learning_while_training_raises_the_likelihood_of_what_is_learnt(trainer: MakeTrainer, sampler: str) -> None:
    plain = trainer(sampler, n_iter=20)
    learnt = trainer(sampler, n_iter=20, adjusters=[LearnHyper(("alpha",), every=2, start=4)])
    plain.run()
    learnt.run()
    counts = learnt.state.assignments.level_counts()
    hyper = learnt.state.hyper
    assert hyper.alpha[0] != plain.state.hyper.alpha[0]
    assert len(set(hyper.alpha.tolist())) == 1
    best = minimize_scalar(lambda a: -log_likelihood(a, counts), bounds=(0.01, 50), method="bounded").x
    assert abs(np.log(hyper.alpha[0] / best)) < 0.2
    assert hyper.beta is plain.state.hyper.beta or np.array_equal(hyper.beta, plain.state.hyper.beta)


def test_updates_come_at_their_times(trainer: MakeTrainer) -> None:
    it = trainer(n_iter=12, adjusters=[LearnHyper(("beta",), every=3, start=4)])
    changed = []
    before = it.state.hyper
    for _ in range(12):
        it.step()
        if it.state.hyper is not before:
            changed.append(it.iteration)
        before = it.state.hyper
    assert changed == [7, 10]
