"""Adjusters in the loop: what they set takes effect, ends runs, and survives a resumption."""

import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topicgrove.adjust import LearnHyper, SteerTopics, StopOnPlateau
from topicgrove.prior import HyperParameters
from topicgrove.training import Adjuster, Trainer

from ..threads.test_counts_stay_right import assert_phi_is_the_mean, assert_tree_is_right, recount
from .conftest import SAMPLERS, MakeTrainer, same

OTHER = HyperParameters.of(3, alpha=[1.0, 2.0, 3.0], beta=[0.3, 0.4, 0.5], gamma=[1e-30, 7.0])


class Once:
    """Sets other hyper-parameters after the third sweep."""

    def after_sweep(self, trainer: Trainer) -> None:
        if trainer.iteration == 3:
            trainer.state.set_hyper(OTHER)

    def to_dict(self) -> dict[str, Any]:
        return {}

    def restore(self, saved: dict[str, Any]) -> None:
        """Nothing to remember."""


@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_weights_and_phi_follow_new_hyper_parameters(trainer: MakeTrainer, sampler: str) -> None:
    it = trainer(sampler, n_iter=3, adjusters=[Once()])
    it.run()
    true = recount(it.state)
    assert it.state.hyper is OTHER
    assert_tree_is_right(it.state, true)
    assert_phi_is_the_mean(it.state, true)


def test_new_sticks_are_drawn_with_the_new_gamma(trainer: MakeTrainer) -> None:
    """With a tiny gamma free children get next to nothing."""
    it = trainer("bgs", n_iter=3, adjusters=[Once()])
    it.run()
    tree, levels = it.state.topics.tree, it.state.topics.slot_levels()
    free = (tree.n_docs == 0) & np.isfinite(tree.log_weight) & (tree.parent == 0) & (levels == 1)
    assert free.sum() == 2
    assert (tree.log_weight[free] < -10).all()


@pytest.mark.parametrize("beta", [[0.5, 0.2, 0.1], [0.3, 0.4, 0.5]])
def test_kernels_get_the_tables_of_the_new_hyper_parameters(trainer: MakeTrainer, beta: list[float]) -> None:
    """Also where beta stays as it is and the old tables are kept."""
    state = trainer().state
    hyper = HyperParameters.of(3, alpha=3.0, beta=beta, gamma=7.0)
    state.set_hyper(hyper)
    for mine, fresh in zip(state.prior, hyper.for_kernels(state.n_words), strict=True):
        assert_array_equal(mine, fresh)


@pytest.mark.parametrize("name", ["stopped", "interrupted"])
def test_a_run_ends_after_the_sweep_at_hand(trainer: MakeTrainer, name: str) -> None:
    it = trainer(n_iter=9)
    seen = []

    def end(event: Any) -> None:
        seen.append(event.iteration)
        setattr(it, name, event.iteration == 2)

    it.run([end])
    assert seen == [1, 2]


ADJUSTERS: dict[str, Callable[[], list[Adjuster]]] = {
    "steering": lambda: [SteerTopics(40, 8)],
    "learning": lambda: [LearnHyper(("alpha", "beta", "gamma"), every=2)],
    "stopping": lambda: [StopOnPlateau(3, tolerance=1.0, start=2)],
    "all": lambda: [SteerTopics(40, 5), LearnHyper(("beta", "gamma"), every=2, start=5), StopOnPlateau(2, start=6)],
}


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
@pytest.mark.parametrize("kind", sorted(ADJUSTERS))
@pytest.mark.parametrize("k", [1, 6])
def test_a_resumed_run_is_bit_identical(trainer: MakeTrainer, sampler: str, kind: str, k: int) -> None:
    straight = trainer(sampler, adjusters=ADJUSTERS[kind]())
    straight.run()
    first = trainer(sampler, adjusters=ADJUSTERS[kind]())
    for _ in islice(first.sweeps(), k):
        pass
    adjusters = ADJUSTERS[kind]()
    for old, new in zip(first.adjusters, adjusters, strict=True):
        new.restore(json.loads(json.dumps(old.to_dict())), first.state.hyper)
    second = Trainer(first.state, first.sampler, first.schedule, adjusters, iteration=k)
    second.run()
    assert second.iteration == straight.iteration
    assert same(second.state, straight.state)


class Looking:
    """Records during every sweep whether the state is whole, and may fail there."""

    def __init__(self, fails_at: int = 0) -> None:
        self.fails_at = fails_at
        self.seen: list[bool] = []

    def after_sweep(self, trainer: Trainer) -> None:
        self.seen.append(trainer.is_whole)
        if trainer.iteration == self.fails_at:
            raise RuntimeError("inside a sweep")

    def to_dict(self) -> dict[str, Any]:
        return {}

    def restore(self, saved: dict[str, Any]) -> None:
        """Nothing to remember."""


def test_the_state_is_whole_where_the_sweeps_have_yielded_and_not_inside_one(trainer: MakeTrainer) -> None:
    looking = Looking()
    it = trainer(n_iter=4, adjusters=[looking])
    assert not it.is_whole
    for event in it.sweeps():
        assert it.is_whole
        assert event.iteration == it.iteration
        assert_tree_is_right(it.state, recount(it.state))
    assert it.is_whole
    assert looking.seen == [False] * 4


def test_a_state_whose_sweep_fails_is_not_whole(trainer: MakeTrainer) -> None:
    it = trainer(n_iter=4, adjusters=[Looking(fails_at=3)])
    sweeps = it.sweeps()
    assert [next(sweeps).iteration, next(sweeps).iteration, it.is_whole] == [1, 2, True]
    with pytest.raises(RuntimeError, match="inside a sweep"):
        next(sweeps)
    assert not it.is_whole


def test_who_leaves_the_loop_leaves_a_whole_state_from_which_another_loop_goes_on(trainer: MakeTrainer) -> None:
    straight, broken = trainer(n_iter=5), trainer(n_iter=5)
    straight.run()
    for event in broken.sweeps():
        if event.iteration == 2:
            break
    assert broken.is_whole
    assert [event.iteration for event in broken.sweeps()] == [3, 4, 5]
    assert same(broken.state, straight.state)


def test_a_run_that_adjusts_nothing_is_as_without_adjusters(trainer: MakeTrainer) -> None:
    plain, watched = trainer(), trainer(adjusters=[StopOnPlateau(50)])
    plain.run()
    watched.run()
    assert same(plain.state, watched.state)
    assert_allclose(plain.state.topics.tree.log_visits, watched.state.topics.tree.log_visits)
