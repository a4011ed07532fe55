"""During training: callbacks, progress, and the limit on topics."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus
from topicgrove.kernels.structures import ROOT
from topicgrove.prior import HyperParameters
from topicgrove.samplers import PartiallyCollapsedGibbs
from topicgrove.state import State
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers

SAMPLERS = ["cgs", "pcgs", "bgs"]


def make_model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.2, "gamma": 1.0, "n_iter": 7, "random_state": 1}
    return HierarchicalLDA(**(settings | options))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_callbacks_are_told_of_every_sweep(counts: NDArray[np.int64], sampler: str) -> None:
    seen: list[tuple[int, int]] = []
    make_model(sampler=sampler, callbacks=[lambda event: seen.append((event.iteration, event.n_iter))]).fit(counts)
    assert seen == [(i, 7) for i in range(1, 8)]


def test_callbacks_are_called_in_their_order(counts: NDArray[np.int64]) -> None:
    seen: list[str] = []
    callbacks = [lambda event: seen.append("first"), lambda event: seen.append("second")]
    make_model(n_iter=2, callbacks=callbacks).fit(counts)
    assert seen == ["first", "second"] * 2


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_event_describes_the_sweep(counts: NDArray[np.int64], sampler: str, n_jobs: int) -> None:
    events = 0

    def check(event: SweepEvent) -> None:
        nonlocal events
        events += 1
        paths, levels = event.paths, event.token_levels
        assert paths.shape == (len(counts), 3)
        assert (paths[:, 0] == 0).all()
        assert levels.shape == (counts.sum(),)
        assert levels.max() < 3
        assert event.n_topics_per_level == [len(np.unique(paths[:, level])) for level in range(3)]
        assert_array_equal(np.unique(paths), np.arange(sum(event.n_topics_per_level)))
        assert np.isfinite(event.log_joint)
        assert event.log_joint < 0
        assert event.tokens_per_second > 0
        assert event.n_tokens == counts.sum()

    make_model(sampler=sampler, n_jobs=n_jobs, collapse_below=5, callbacks=[check]).fit(counts)
    assert events == 7


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_last_event_is_the_fitted_model(counts: NDArray[np.int64], sampler: str) -> None:
    last: dict[str, Any] = {}

    def keep(event: SweepEvent) -> None:
        last.update(paths=event.paths, levels=event.token_levels, log_joint=event.log_joint)

    model = make_model(sampler=sampler, callbacks=[keep]).fit(counts)
    assert_array_equal(last["paths"], model.paths_)
    assert_array_equal(last["levels"], model.token_levels_)
    assert model.log_joint_ == pytest.approx(last["log_joint"], rel=1e-12)


def test_what_an_event_hands_out_is_the_callers(counts: NDArray[np.int64]) -> None:
    def vandalise(event: SweepEvent) -> None:
        event.paths[:] = 99
        event.token_levels[:] = 99

    plain, watched = make_model().fit(counts), make_model(callbacks=[vandalise]).fit(counts)
    assert_array_equal(plain.token_levels_, watched.token_levels_)
    assert_array_equal(plain.paths_, watched.paths_)


def test_looking_does_not_change_the_result(counts: NDArray[np.int64]) -> None:
    def look(event: SweepEvent) -> None:
        assert event.log_joint < 0

    plain, watched = make_model().fit(counts), make_model(callbacks=[look], verbose=1).fit(counts)
    assert_array_equal(plain.token_levels_, watched.token_levels_)


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize("max_topics", [3, 4, 5, 12])
@pytest.mark.parametrize("init", ["monte_carlo", "none"])
@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_no_topic_is_born_beyond_the_limit(
    counts: NDArray[np.int64], sampler: str, init: str, max_topics: int, n_jobs: int
) -> None:
    n_topics: list[int] = []
    make_model(
        sampler=sampler, init=init, gamma=10.0, max_topics=max_topics, n_jobs=n_jobs, n_iter=15, collapse_below=5,
        callbacks=[lambda event: n_topics.append(sum(event.n_topics_per_level))],
    ).fit(counts)  # fmt: skip
    assert max(n_topics) <= max_topics


def test_the_blocked_sampler_refuses_a_limit_of_topics(counts: NDArray[np.int64]) -> None:
    """Its documents choose their paths at the same time, so none knows how many topics the others make."""
    with pytest.raises(ValueError, match="max_topics cannot be kept by sampler='bgs'"):
        make_model(sampler="bgs", gamma=10.0, max_topics=5).fit(counts)


def test_the_blocked_sampler_draws_its_sticks_anew_every_sweep() -> None:
    """With the mean of phi as with drawn ones: the weights of two sweeps with the same tree differ."""
    weights: dict[tuple[int, ...], list[float]] = {}

    def keep(event: SweepEvent) -> None:
        tree = event.state.topics.tree
        weights.setdefault(tuple(tree.n_docs.tolist()), []).append(float(tree.log_weight[tree.n_docs > 0][-1]))

    X = np.full((6, 1), 2)
    make_model(sampler="bgs", phi="mean", gamma=0.5, n_levels=2, n_iter=60, callbacks=[keep]).fit(X)
    repeated = max(weights.values(), key=len)
    assert len(repeated) > 5
    assert len(set(repeated)) > len(repeated) // 2


def test_before_documents_enter_the_roots_distribution_is_the_priors_mean(counts: NDArray[np.int64]) -> None:
    """Were it any larger, the first batch would put all its tokens there."""
    state = State(Corpus.from_matrix(counts), HyperParameters.of(3, gamma=1.0), 0, Workers(1))
    PartiallyCollapsedGibbs(64, draw_phi=False).refresh(state)
    phi = np.exp(state.topics.words.log_phi[:, ROOT].astype(np.float64))
    np.testing.assert_allclose(phi, 1 / counts.shape[1], rtol=1e-5)


def test_the_limit_is_what_holds_topics_back(counts: NDArray[np.int64]) -> None:
    assert len(make_model(gamma=10.0).fit(counts).tree_) > 12


def test_verbose_writes_progress_to_standard_error(
    counts: NDArray[np.int64], capsys: pytest.CaptureFixture[str]
) -> None:
    make_model(verbose=1).fit(counts)
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert re.search(r"iteration 7/7 .*topics 1-\d+-\d+ .*log joint -[\d,]+ .*tokens/s", lines[-1])


def test_silence_is_the_default(counts: NDArray[np.int64], capsys: pytest.CaptureFixture[str]) -> None:
    make_model().fit(counts)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_training_finds_more_probable_trees_than_it_starts_with(counts: NDArray[np.int64], sampler: str) -> None:
    joint: list[float] = []
    make_model(sampler=sampler, n_iter=60, callbacks=[lambda event: joint.append(event.log_joint)]).fit(counts)
    assert np.mean(joint[-10:]) > np.mean(joint[:3]) + 10


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_moving_documents_to_better_paths_keeps_the_model_whole(counts: NDArray[np.int64], sampler: str) -> None:
    model = make_model(sampler=sampler, refine=True, n_iter=20, init_iterations=4, collapse_below=5).fit(counts)
    assert model.tree_.n_docs[0] == len(counts)
    assert model.tree_.n_tokens.sum() == counts.sum()
    assert np.isfinite(model.log_joint_)
    assert_array_equal(np.bincount(model.paths_.ravel(), minlength=len(model.tree_)), model.tree_.n_docs)


def test_perplexity_of_held_out_documents_is_in_the_history(counts: NDArray[np.int64]) -> None:
    model = HierarchicalLDA(3, n_iter=26, gamma=0.5, random_state=0).fit(counts[10:], held_out=counts[:10])
    known = {row["iteration"]: row["perplexity"] for row in model.history_ if row["perplexity"] is not None}
    assert sorted(known) == [25, 26]
    assert all(1 < value < counts.shape[1] for value in known.values())
    assert "perplexity" not in HierarchicalLDA(3, n_iter=2).fit(counts).history_[0]


def test_held_out_documents_with_other_words_are_refused(counts: NDArray[np.int64]) -> None:
    with pytest.raises(ValueError, match=r"held_out has .* words, but"):
        HierarchicalLDA(3, n_iter=2).fit(counts, held_out=counts[:, 1:])
