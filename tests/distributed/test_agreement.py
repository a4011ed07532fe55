"""All ranks notice if their inputs or their states differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.distributed.agreement import check_same_state, check_same_task
from topicgrove.kernels.structures import ROOT
from topicgrove.state import State

from .by_hand import Hand
from .thread_ranks import ThreadCommunicator, run_ranks

DOCS = [[0, 1, 2], [1, 1, 3]]


def error_of(task: Callable[[], object]) -> str:
    """Return the exception of a call, so that every rank's is seen."""
    try:
        task()
    except (ValueError, RuntimeError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("corpus", "parameters", "what"),
    [
        (Corpus.from_documents(DOCS), {"seed": 1}, ""),
        (Corpus.from_documents(DOCS), {"seed": 2}, "parameters"),
        (Corpus.from_documents([[0, 1, 2], [1, 2, 3]]), {"seed": 1}, "corpus"),
        (Corpus.from_documents([[0, 1], [1, 1, 2, 3]]), {"seed": 1}, "corpus"),
        (Corpus.from_documents(DOCS, n_words=5), {"seed": 1}, "vocabulary"),
        (Corpus.from_documents(DOCS, vocabulary=["a", "b", "c", "d"]), {"seed": 1}, "vocabulary"),
        (Corpus.from_documents(DOCS, n_words=5), {"seed": 2}, "parameters and vocabulary"),
    ],
)
def test_every_rank_is_told_what_they_differ_in(corpus: Corpus, parameters: dict[str, int], what: str) -> None:
    def task(comm: ThreadCommunicator) -> str:
        mine = (corpus, parameters) if comm.rank == 1 else (Corpus.from_documents(DOCS), {"seed": 1})
        return error_of(lambda: check_same_task(comm, *mine))

    expected = f"the ranks were not given the same task: they differ in {what}" if what else ""
    assert run_ranks(3, task) == [expected] * 3


def test_a_fit_with_another_seed_on_one_rank_is_refused() -> None:
    def task(comm: ThreadCommunicator) -> str:
        model = HierarchicalLDA(3, n_iter=2, random_state=comm.rank)
        return error_of(lambda: model.fit(np.eye(6, dtype=int), communicator=comm))

    first, second = run_ranks(2, task)
    assert first == second
    assert "parameters" in first


def add_a_word(state: State) -> None:
    state.topics.words.rapid[1, state.topics.layout.rapid_start[1]] += 1


def add_a_total(state: State) -> None:
    state.topics.words.totals[state.topics.layout.rapid_start[2]] += 1


def add_a_document(state: State) -> None:
    state.topics.tree.n_docs[state.topics.n_slow + state.topics.layout.rapid_start[1]] += 1


def move_a_topic(state: State) -> None:
    leaf = state.topics.n_slow + state.topics.layout.rapid_start[2]
    state.topics.tree.parent[leaf] += 1


@pytest.mark.parametrize("change", [add_a_word, add_a_total, add_a_document, move_a_topic, None])
def test_a_state_that_differs_on_one_rank_is_noticed_by_all(change: Callable[[State], Any] | None) -> None:
    def task(comm: ThreadCommunicator) -> str:
        hand = Hand(comm, DOCS)
        for doc in range(2):
            hand.move(doc, ROOT, levels=[0, 1, 2])
        hand.round()
        hand.end()
        if change is not None and comm.rank == 2:
            change(hand.state)
        return error_of(lambda: check_same_state(hand.state))

    said = run_ranks(3, task)
    assert len(set(said)) == 1
    assert ("the trees or counts of the ranks differ" in said[0]) == (change is not None)


def test_a_batch_that_did_not_arrive_is_noticed() -> None:
    """A birth that other ranks are not told of."""

    def task(comm: ThreadCommunicator) -> str:
        hand = Hand(comm, DOCS)
        for doc in range(2):
            hand.move(doc, ROOT, levels=[0, 1, 2])
        hand.round()
        hand.end()
        if comm.rank == 0:
            hand.move(0, ROOT, levels=1)
        hand.ids.register_births()
        hand.ids.settle()
        hand.sampler.refresh(hand.state)
        return error_of(lambda: check_same_state(hand.state))

    assert all("differ" in said for said in run_ranks(2, task))
