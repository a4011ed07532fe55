"""What experiments do to a state: timing leaves it alone, and restoring levels keeps its counts right."""

import numpy as np
import pytest

from experiments import time_split
from experiments.levels_restored import RestoringSweeper, restore_levels
from topicgrove import HierarchicalLDA, open_store
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.workers import Workers


@pytest.fixture
def new_run(corpus_path):
    def make(**parameters):
        corpus = open_store(corpus_path)
        defaults = {"n_levels": 3, "gamma": 0.1, "beta": 0.1, "collapse_below": 10, "n_iter": 6, "random_state": 1}
        model = HierarchicalLDA(**{"init": "monte_carlo", **defaults, **parameters})
        return Run(make_plan(model, corpus), corpus, Workers(1))

    return make


@pytest.mark.parametrize("fresh", [False, True])
def test_splitting_time_changes_nothing(new_run, fresh):
    run = new_run()
    run.go([], None)
    state = run.state
    before = [array.copy() for array in (*state.docs, *state.topics.tree, *state.topics.words)]
    parts = time_split.split(state, fresh_levels=fresh)
    for old, new in zip(before, (*state.docs, *state.topics.tree, *state.topics.words), strict=True):
        np.testing.assert_array_equal(old, new)
    assert set(parts) == {"list_seconds", "f_i_seconds", "f_c_seconds", "draw_seconds", "z_seconds"}
    assert all(seconds >= 0 for seconds in parts.values())


@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_restoring_levels_keeps_counts_right(new_run, sampler):
    run = new_run(sampler=sampler, init_iterations=4)
    restore_levels(run.trainer)
    run.go([], None)
    state = run.state
    assert isinstance(run.trainer.sweeper, RestoringSweeper)
    rapid = state.topics.n_slow + np.flatnonzero(state.topics.tree.n_docs[state.topics.n_slow :])
    counted = np.zeros((state.n_words, len(rapid)), np.int32)
    state.topics.count(rapid, np.arange(len(rapid)), counted)
    np.testing.assert_array_equal(state.topics.words.rapid[:, rapid - state.topics.n_slow], counted)
    assert state.topics.control.stop[0] == 0


def test_restoring_levels_makes_another_chain(new_run):
    kept, restored = new_run(init_iterations=4), new_run(init_iterations=4)
    restore_levels(restored.trainer)
    for run in (kept, restored):
        run.go([], None)
    assert not np.array_equal(kept.state.docs.levels, restored.state.docs.levels)
