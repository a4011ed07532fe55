"""Steering to a number of topics."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topicgrove import HierarchicalLDA
from topicgrove.adjust import SteerTopics
from topicgrove.adjust.steering import GAMMA_LIMITS, steered_start
from topicgrove.corpus import Corpus, read_uci
from topicgrove.prior import HyperParameters
from topicgrove.samplers import BlockedGibbs, PartiallyCollapsedGibbs
from topicgrove.state import State
from topicgrove.training import Schedule, Trainer
from topicgrove.workers import Workers

from .conftest import MakeTrainer

N_ITER, EARLY = 50, 32


@pytest.fixture(scope="module")
def bbc() -> Corpus:
    """Every third article."""
    file = Path(__file__).parents[2].parent / "shared" / "data" / "bbc" / "docword.bbc.txt.gz"
    if not file.is_file():
        pytest.skip("the shared corpora are not here")
    return read_uci(file).take(np.arange(0, 2225, 3))


def defaults(corpus: Corpus, n_levels: int = 4) -> HyperParameters:
    sizes = {"n_words": corpus.n_words, "n_tokens": corpus.n_tokens, "mean_length": corpus.n_tokens / corpus.n_docs}
    return HyperParameters.of(n_levels, **sizes)


def steered(corpus: Corpus, target: int, n_levels: int = 4, *, beta: bool = True, gamma: bool = True) -> State:
    usual = defaults(corpus, n_levels)
    hyper = steered_start(usual, usual, target, corpus.n_tokens, beta=beta, gamma=gamma)
    state = State(corpus, hyper, 1, Workers(1))
    steering = SteerTopics(target, EARLY, beta=beta, gamma=gamma)
    schedule = Schedule(N_ITER, EARLY, init_samples=1, batch_size=None, max_topics=None)
    Trainer(state, PartiallyCollapsedGibbs(64, draw_phi=False), schedule, [steering]).run()
    return state


@pytest.mark.parametrize(("target", "n_levels"), [(30, 4), (100, 4), (300, 4), (100, 2), (100, 3), (100, 6)])
def test_trees_have_about_as_many_topics_as_asked_for(bbc: Corpus, target: int, n_levels: int) -> None:
    state = steered(bbc, target, n_levels)
    assert abs(len(state.nodes().slot) / target - 1) < 0.2


@pytest.mark.parametrize(("target", "beta"), [(60, True), (200, True), (40, False), (60, False)])
def test_one_parameter_alone_can_be_steered(bbc: Corpus, target: int, beta: bool) -> None:
    state = steered(bbc, target, beta=beta, gamma=not beta)
    assert abs(len(state.nodes().slot) / target - 1) < 0.25
    usual = defaults(bbc)
    if beta:
        assert_array_equal(state.hyper.log_gamma, usual.log_gamma)
    else:
        assert_array_equal(state.hyper.beta, usual.beta)


def test_the_start_has_finer_topics_for_larger_targets() -> None:
    hyper = HyperParameters.of(4, alpha=0.7)
    betas = [steered_start(hyper, hyper, target, 100_000).beta for target in (20, 100, 1000)]
    assert (np.diff(betas, axis=0) < 0).all()
    gammas = [steered_start(hyper, hyper, target, 100_000, beta=False).log_gamma for target in (20, 100, 1000)]
    assert (np.diff(gammas, axis=0) > 0).all()


def test_what_is_given_stays_as_it_is() -> None:
    hyper = HyperParameters.of(4, alpha=0.7, beta=[3, 2, 1, 0.1], gamma=[9.0, 1e-5, 2.0])
    start = partial(steered_start, hyper, HyperParameters.of(4), 100, 100_000)
    assert start(beta=False, gamma=False) is hyper
    assert_array_equal(start(gamma=False).log_gamma, hyper.log_gamma)
    assert_array_equal(start(beta=False).beta, hyper.beta)
    assert_array_equal(start().alpha, hyper.alpha)


def test_a_gamma_above_one_is_left_alone(trainer: MakeTrainer) -> None:
    hyper = HyperParameters.of(3, beta=0.2, gamma=[9.0, 1.0])
    it = trainer(hyper=hyper, n_iter=10, init_iterations=8, adjusters=[SteerTopics(40, 8, gamma=False)])
    it.run()
    assert_array_equal(it.state.hyper.log_gamma, hyper.log_gamma)
    assert not np.array_equal(it.state.hyper.beta, hyper.beta)


def test_hyper_parameters_rest_after_the_early_phase(trainer: MakeTrainer) -> None:
    start = steered_start(HyperParameters.of(3), HyperParameters.of(3), 40, 8_000)
    it = trainer(hyper=start, n_iter=12, init_iterations=6, adjusters=[SteerTopics(40, 6)])
    seen = []
    for _ in range(12):
        it.step()
        seen.append(it.state.hyper)
    assert len({id(hyper) for hyper in seen[:6]}) == 6
    assert len({id(hyper) for hyper in seen[5:]}) == 1
    near, far = (limit * start.log_gamma for limit in GAMMA_LIMITS)
    assert all(((hyper.log_gamma <= near) & (hyper.log_gamma >= far)).all() for hyper in seen)
    assert (seen[-1].log_gamma <= start.log_gamma).all()


def test_extreme_targets_give_finite_values(trainer: MakeTrainer) -> None:
    for target in (3, 10**9):
        start = steered_start(HyperParameters.of(3), HyperParameters.of(3), target, 8_000)
        it = trainer(hyper=start, n_iter=40, init_iterations=40, adjusters=[SteerTopics(target, 40)])
        it.run()
        for values in it.state.hyper:
            assert np.isfinite(values).all()


def test_the_blocked_sampler_is_steered_by_beta(bbc: Corpus) -> None:
    hyper = HyperParameters.of(4, gamma=1.0)
    hyper = steered_start(hyper, defaults(bbc), 100, bbc.n_tokens, gamma=False)
    state = State(bbc, hyper, 1, Workers(1))
    steering = SteerTopics(100, EARLY, gamma=False)
    Trainer(state, BlockedGibbs(2, draw_phi=False), Schedule(40, EARLY, 1, None, None), [steering]).run()
    assert_allclose(len(state.nodes().slot), 100, rtol=0.3)


def test_a_target_below_a_path_is_refused() -> None:
    with pytest.raises(ValueError, match=r"target_topics must be at least n_levels \(4\)"):
        steered_start(HyperParameters.of(4), HyperParameters.of(4), 3, 10_000)


@pytest.mark.parametrize("target", [30, 100, 250])
def test_a_bottom_up_start_ends_with_about_as_many_topics_as_asked_for(bbc: Corpus, target: int) -> None:
    model = HierarchicalLDA(target_topics=target, n_iter=40, random_state=1).fit(bbc)
    assert abs(len(model.tree_) / target - 1) < 0.3


@pytest.mark.parametrize("target", [(5, 20, 60), (12, 24, 100)])
def test_a_bottom_up_start_ends_with_about_as_many_topics_on_each_level_as_asked_for(
    bbc: Corpus, target: tuple[int, ...]
) -> None:
    model = HierarchicalLDA(target_topics=target, n_iter=40, random_state=1).fit(bbc)
    assert model.history_[0]["n_topics_per_level"][1:3] == list(target[:2])
    assert_allclose(model.tree_.n_topics_per_level[1:], target, rtol=0.25)


def test_targets_of_levels_steer_the_beta_of_each_level_and_the_gamma_above_it(trainer: MakeTrainer) -> None:
    start = HyperParameters.of(3)
    it = trainer(hyper=start, n_iter=10, init_iterations=8, adjusters=[SteerTopics((1, 10_000), 8)])
    it.step()
    assert it.state.hyper.beta[0] == start.beta[0]
    assert it.state.hyper.beta[1] > start.beta[1]
    assert it.state.hyper.beta[2] < start.beta[2]
    assert it.state.hyper.log_gamma[0] < start.log_gamma[0]
    assert it.state.hyper.log_gamma[1] > start.log_gamma[1]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ((10, 50), "target_topics must be one number, or one for each of the 3 levels below the root"),
        ((10, 50, 40), "target_topics must not fall from level to level"),
        ((0, 5, 6), "target_topics must be between 1 and "),
        ((10, 50, 200), "max_topics must be at least 261, the topics that target_topics asks for"),
    ],
)
def test_other_targets_of_levels_are_refused(target: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match="topics must") as caught:
        HierarchicalLDA(target_topics=target, max_topics=100).fit(np.eye(30, dtype=int))
    assert message in str(caught.value)
