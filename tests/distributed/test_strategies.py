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
from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers

from .thread_ranks import ThreadCommunicator, run_ranks
from .whole import assert_whole_after_sweep

N_RANKS = 3


@pytest.fixture
def corpus(counts: NDArray[np.int64]) -> Corpus:
    return Corpus.from_matrix(counts)


def run_of(comm: ThreadCommunicator, corpus: Corpus, **options: Any) -> Run:
    model = HierarchicalLDA(3, beta=0.1, gamma=5.0, init="none", n_iter=3, random_state=1, **options)
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
