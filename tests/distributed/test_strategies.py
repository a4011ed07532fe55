"""Sync strategies: each does what its docstring says, and a new one needs nothing but an entry in the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.distributed.shared_sweep import TURNS_BELOW, SharedSweep
from topicgrove.distributed.sync import SYNCS
from topicgrove.plans import make_plan
from topicgrove.runs import Run
from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs, bottom_up
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers

from .thread_ranks import ThreadCommunicator, run_ranks
from .whole import assert_whole_after_sweep

N_RANKS = 3


@pytest.fixture
def corpus(counts: NDArray[np.int64]) -> Corpus:
    return Corpus.from_matrix(counts)


def run_of(comm: ThreadCommunicator, corpus: Corpus, **options: Any) -> Run:
    settings: dict[str, Any] = {"beta": 0.1, "gamma": 5.0, "init": "none", "n_iter": 3, "random_state": 1}
    model = HierarchicalLDA(3, **(settings | options))
    return Run(make_plan(model, corpus, comm.size), corpus, Workers(1), comm=comm)


class RankByRank:
    """Ranks draw one after the other, and tell the others once they are done."""

    all_collapsed = False

    def __init__(self) -> None:
        self.n_sweeps = 0

    def sweep(self, shared: SharedSweep) -> None:
        self.n_sweeps += 1
        for rank in range(len(shared.n_docs)):
            exchange = shared.exchange()
            shared.draw_in_slices(shared.order if rank == shared.rank else shared.order[:0], exchange)
            shared.complete(exchange)


def test_a_new_strategy_is_an_entry_in_the_table(monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    strategy = RankByRank()
    monkeypatch.setitem(SYNCS, "rank by rank", strategy)

    def fit(comm: ThreadCommunicator) -> None:
        def check(event: SweepEvent) -> None:
            assert_whole_after_sweep(event.state, comm.all, mean_phi=False)

        run_of(comm, corpus, sync="rank by rank").go([check], None)

    run_ranks(N_RANKS, fit)
    assert strategy.n_sweeps == 3 * N_RANKS


@pytest.mark.parametrize("sync", ["bsp", "lockstep"])
def test_what_does_not_depend_on_time_gives_the_same_result_again(corpus: Corpus, sync: str) -> None:
    def levels(comm: ThreadCommunicator) -> list[int]:
        run = run_of(comm, corpus, sync=sync)
        run.go([], None)
        return run.state.docs.levels.tolist()

    assert run_ranks(2, levels) == run_ranks(2, levels)


def test_the_blocked_sampler_gives_one_result_from_the_default_start_whatever_the_number_of_ranks(
    monkeypatch: pytest.MonkeyPatch, corpus: Corpus
) -> None:
    """Documents also enter after those of the first tree, and first levels come from several streams."""
    monkeypatch.setattr(bottom_up, "SAMPLE", 60)
    monkeypatch.setattr(bottom_up, "BLOCK_TOKENS", 100)

    def result(comm: ThreadCommunicator) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        run = run_of(comm, corpus, sampler="bgs", gamma=1.0, init=HierarchicalLDA().init, n_init=2)
        run.go([], None)
        return run.state.paths(run.state.nodes()), run.state.docs.levels

    paths, levels = run_ranks(1, result)[0]
    assert len(np.unique(paths)) > 10
    for n_ranks in (2, 3):
        parts = run_ranks(n_ranks, result)
        np.testing.assert_array_equal(np.concatenate([part[0] for part in parts]), paths)
        np.testing.assert_array_equal(np.concatenate([part[1] for part in parts]), levels)


@pytest.mark.parametrize(("sync", "rounds"), [("bsp", 3), ("lockstep", 3 * 150)])
def test_rounds_of_exchange(corpus: Corpus, sync: str, rounds: int) -> None:
    def count(comm: ThreadCommunicator) -> int:
        seen: list[int] = []
        run_of(comm, corpus, sync=sync).go([lambda event: seen.append(event.traffic.rounds)], None)
        return sum(seen)

    assert run_ranks(2, count) == [rounds] * 2


def test_server_collapses_every_topic_of_several_ranks(corpus: Corpus) -> None:
    model = HierarchicalLDA(collapse_below=4, sync="server")
    assert isinstance(make_plan(model, corpus, 2).sampler, CollapsedGibbs)
    assert isinstance(make_plan(model, corpus, 1).sampler, PartiallyCollapsedGibbs)


@pytest.mark.parametrize(("n_docs", "n_turns"), [(TURNS_BELOW - 1, 2), (TURNS_BELOW, 1)])
def test_ranks_take_turns_in_small_batches(monkeypatch: pytest.MonkeyPatch, n_docs: int, n_turns: int) -> None:
    corpus = Corpus.from_documents([[0, 1]] * (2 * n_docs))
    turns: list[list[int]] = []
    original = SharedSweep.draw_while_exchanging

    def draw(shared: SharedSweep, documents: NDArray[np.int64], through_first: bool = False) -> None:
        turns.append([shared.rank, len(documents)])
        original(shared, documents, through_first)

    monkeypatch.setattr(SharedSweep, "draw_while_exchanging", draw)
    run_ranks(2, lambda comm: run_of(comm, corpus, sync="hybrid").trainer.step())
    assert len(turns) == 2 * n_turns
    assert sorted(turn for turn in turns if turn[1]) == [[0, n_docs], [1, n_docs]]
