"""Births, deaths and words of other ranks: after every round, each rank has the sum over all documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicgrove.kernels.structures import ROOT

from .by_hand import NEVER, Hand
from .thread_ranks import ThreadCommunicator, run_ranks

RAPID_AND_SLOW = pytest.mark.parametrize("collapse_below", [NEVER, 1], ids=["rapid", "slow"])


def test_births_of_two_ranks_under_one_parent_are_two_topics() -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1]] * 2)
        if comm.rank == 0:
            hand.move(0, ROOT)
            hand.move(1, hand.path(0)[1])
        else:
            for doc in range(2):
                hand.move(doc, ROOT)
        assert len(hand.round()) == 1 + 1 + 2 + 2 * 2
        hand.end()
        parent = int(hand.state.nodes().slot[1])
        hand.move(0, parent, levels=[1, 2])
        assert len(hand.round()) == 1 + 2 + 4
        hand.end()

    run_ranks(2, task)


def test_births_of_two_ranks_have_names_of_their_own_and_the_same_order_everywhere() -> None:
    def task(comm: ThreadCommunicator) -> list[int]:
        hand = Hand(comm, [[0, 1]])
        hand.move(0, ROOT)
        names = sorted(hand.round())
        hand.end()
        return names

    first, second, third = run_ranks(3, task)
    assert first == second == third
    assert len(first) == 1 + 3 * 2


@RAPID_AND_SLOW
def test_a_topic_that_died_here_comes_back_when_it_was_joined_elsewhere(collapse_below: float) -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 2], [1, 1, 3]], collapse_below=collapse_below)
        for doc in range(2):
            hand.move(doc, ROOT, levels=[0, 1, 2])
        hand.round()
        hand.end()
        mine = [hand.name(slot) for slot in hand.path(0)]
        of_first = hand.comm.all(mine)[0]
        if comm.rank == 0:
            hand.move(0, hand.path(1)[-1], levels=2)
            assert hand.state.topics.tree.n_docs[hand.state.nodes().slot].min() > 0
        else:
            hand.move(0, hand.slot(of_first[-1]), levels=1)
        assert set(of_first) <= hand.round()
        assert hand.state.topics.tree.n_docs[hand.slot(of_first[-1])] == 1
        hand.end()

    run_ranks(2, task)


@RAPID_AND_SLOW
def test_a_topic_that_everybody_leaves_at_once_dies_once(collapse_below: float) -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 2], [1, 1, 3]], collapse_below=collapse_below)
        hand.move(1, ROOT, levels=1)
        if comm.rank == 0:
            hand.move(0, ROOT, levels=[0, 1, 2])
        else:
            hand.move(0, ROOT, levels=1)
        hand.round()
        shared = comm.all(hand.name(hand.path(0)[-1]))[0]
        if comm.rank == 1:
            hand.move(0, hand.slot(shared), levels=2)
        hand.round()
        hand.end()
        shared = comm.all(hand.name(hand.path(0)[-1]))[0]
        assert hand.state.topics.tree.n_docs[hand.slot(shared)] == 2
        hand.move(0, hand.path(1)[-1], levels=1)
        assert shared not in hand.round()
        hand.end()
        assert len(hand.state.nodes().slot) == 1 + 2 * 2

    run_ranks(2, task)


def test_a_dead_topic_comes_back_though_its_column_was_given_away() -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 2], [1, 1, 3]])
        for doc in range(2):
            hand.move(doc, ROOT, levels=[0, 1, 2])
        hand.round()
        hand.end()
        old_path = hand.path(0)
        old = comm.all(hand.name(old_path[-1]))[0]
        if comm.rank == 0:
            assert hand.move(0, ROOT, levels=2)[1:] == old_path[1:], "the dead topics' columns are reused first"
        else:
            hand.move(0, hand.slot(old), levels=[1, 2, 2])
        names = hand.round()
        assert old in names
        if comm.rank == 0:
            assert hand.name(old_path[-1]) != old
        hand.end()

    run_ranks(2, task)


@RAPID_AND_SLOW
def test_more_births_elsewhere_than_there_is_room_for_make_the_matrix_grow(collapse_below: float) -> None:
    """A slow topic that just died here is still known by its slot after the growth, and can be joined."""
    n_births = 90

    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 2]] * (2 if comm.rank == 0 else n_births), collapse_below=collapse_below)
        for doc in range(hand.state.n_docs):
            hand.move(doc, ROOT if doc < 2 else hand.path(0)[-1], levels=[0, 1, 2])
        hand.round()
        hand.end()
        width = hand.state.topics.words.rapid.shape[1]
        old = comm.all(hand.name(hand.path(0)[-1]))[0]
        if comm.rank == 0:
            hand.move(0, hand.path(1)[-1], levels=2)
        else:
            for doc in range(1, n_births):
                hand.move(doc, ROOT, levels=[0, 1, 2])
            hand.move(0, hand.slot(old), levels=[2, 2, 1])
        assert old in hand.round()
        assert hand.state.topics.words.rapid.shape[1] > width
        hand.end()

    run_ranks(2, task)


def test_a_topic_that_was_born_and_died_within_a_round_is_not_spoken_of() -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 2]])
        hand.move(0, ROOT, levels=1)
        names = hand.round()
        for _ in range(3):
            hand.move(0, ROOT, levels=1)
        assert len(hand.round()) == len(names)
        hand.end()

    run_ranks(2, task)


def test_a_topic_that_was_told_of_in_one_round_is_joined_and_left_in_the_next() -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 2], [3, 3, 3]])
        for doc in range(2):
            hand.move(doc, ROOT, levels=1)
        hand.round()
        born = comm.all(hand.name(hand.path(0)[-1]))[0]
        if comm.rank == 0:
            hand.move(0, hand.path(1)[-1], levels=2)
        else:
            hand.move(0, hand.slot(born), levels=2)
            hand.move(1, hand.path(0)[1], levels=2)
        assert born in hand.round()
        hand.move(0, ROOT)
        assert born not in hand.round()
        hand.end()

    run_ranks(3, task)


@pytest.mark.parametrize("length", [127, 128, 254, 255, 1000])
def test_changes_larger_than_an_entry_holds_arrive_in_full(length: int) -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[2] * length, [0]])
        for doc in range(2):
            hand.move(doc, ROOT, levels=1)
        hand.round()
        for levels in (2, 0, 1):
            hand.move(0, hand.path(1)[-1] if levels == 2 else hand.path(0)[-1], levels=levels)
            hand.round()
        hand.end()

    run_ranks(2, task)


def test_ranks_without_documents_follow() -> None:
    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 2]] * 3 if comm.rank == 1 else [])
        for doc in range(hand.state.n_docs):
            hand.move(doc, ROOT, levels=[0, 1, 2])
        assert len(hand.round()) == 7
        hand.end()

    run_ranks(3, task)


@pytest.mark.parametrize("n_ranks", [2, 3])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), collapse_below=st.sampled_from([NEVER, 1, 2, 3]))
def test_whatever_documents_do_all_ranks_have_the_sum_after_every_round(
    n_ranks: int, seed: int, collapse_below: float
) -> None:
    """Random moves: births on all levels, deaths, tokens on any level; several rounds a sweep, several sweeps."""

    def task(comm: ThreadCommunicator) -> None:
        rng = np.random.default_rng([seed, comm.rank])
        docs = [rng.integers(5, size=rng.integers(0, 6)).tolist() for _ in range(rng.integers(0, 7))]
        hand = Hand(comm, docs, n_words=5, collapse_below=collapse_below)
        for sweep in range(3):
            for step in range(3):
                for doc in range(len(docs)):
                    if (sweep, step) == (0, 0) or rng.random() < 0.5:
                        hand.leave(doc)
                        alive = np.append(ROOT, np.flatnonzero(hand.state.topics.tree.n_docs))
                        n_tokens = int(hand.state.docs.offsets[doc + 1] - hand.state.docs.offsets[doc])
                        hand.move(doc, int(rng.choice(alive)), rng.integers(3, size=n_tokens).tolist())
                hand.round()
            hand.end()

    run_ranks(n_ranks, task)
