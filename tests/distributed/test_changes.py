"""Other ranks unpack exactly what one rank packs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from topicgrove.distributed.changes import Changes, join, pack, unpack
from topicgrove.kernels.structures import ROOT

from .by_hand import Hand
from .thread_ranks import ThreadCommunicator, run_ranks

N_WORDS = 7


class Names:
    """Name the topics of a small tree, two of them born on rank 0 or 1 during the sweep."""

    name = np.array([0, 1, 2, (1 << 32) + 3, 4, (2 << 32) + 5])
    parent = np.array([0, 0, 1, 1, 0, 4])
    level = np.array([0, 1, 2, 2, 1, 2])


def changes_of(n_docs: list[int], tokens: dict[tuple[int, int], int]) -> Changes:
    """Changes of documents by id, and of words by (id, word), in two lists and with some that cancel."""
    listed = []
    for (topic, word), n in tokens.items():
        listed += [2 * (topic * N_WORDS + word) + (n < 0)] * abs(n)
    cancelled = [2 * 3, 2 * 3 + 1]
    lists = [np.array(part, np.int64) for part in (listed[::2] + cancelled, listed[1::2])]
    return Changes(1, np.array(n_docs, np.int64), lists)


@settings(max_examples=60)
@given(
    n_docs=st.lists(st.integers(-5, 5), min_size=6, max_size=6),
    tokens=st.dictionaries(
        st.tuples(st.integers(0, 5), st.integers(0, N_WORDS - 1)), st.integers(-400, 400).filter(bool), max_size=8
    ),
)
def test_unpacked_is_what_was_packed(n_docs: list[int], tokens: dict[tuple[int, int], int]) -> None:
    payload = pack(changes_of(n_docs, tokens), Names, N_WORDS)  # type: ignore[arg-type]
    batch = unpack(payload)
    spoken_of = sorted({i for i, n in enumerate(n_docs) if n} | {topic for topic, _ in tokens})
    ids = [Names.name.tolist().index(name) for name in batch.name]
    assert sorted(ids) == spoken_of
    assert (np.diff(batch.level) >= 0).all(), "parents come first"
    assert_array_equal(batch.level, Names.level[ids])
    assert_array_equal(batch.parent, Names.name[Names.parent[ids]])
    assert_array_equal(batch.n_docs, np.array(n_docs)[ids])
    sums: Counter[tuple[int, int]] = Counter()
    for position, word, change in zip(batch.position, batch.word, batch.change, strict=True):
        assert 0 < abs(change) <= 127
        sums[ids[position], int(word)] += int(change)
    assert sums == tokens


def test_nothing_to_say_takes_no_bytes() -> None:
    assert len(pack(Changes(9, np.zeros(6, np.int64), []), Names, N_WORDS)) == 0  # type: ignore[arg-type]
    assert len(pack(join([]), Names, N_WORDS)) == 0  # type: ignore[arg-type]


def test_joined_changes_are_their_sum_though_ids_were_added_in_between() -> None:
    first = Changes(2, np.array([1, -1]), [np.array([4, 6])])
    second = Changes(3, np.array([1, 1, 5]), [np.array([5])])
    both = join([first, second])
    assert both.n_documents == 5
    assert both.n_docs.tolist() == [2, 0, 5]
    assert np.concatenate(both.tokens).tolist() == [4, 6, 5]


def test_changes_that_cancel_before_they_are_sent_are_not_sent() -> None:
    """A document moves back and forth between two rounds."""

    def task(comm: ThreadCommunicator) -> None:
        hand = Hand(comm, [[0, 1, 1], [2], [3]])
        for doc in range(2):
            hand.move(doc, ROOT, levels=1)
        hand.move(2, hand.path(0)[-1])
        hand.round()
        here, there = hand.path(0)[-1], hand.path(1)[-1]
        parts = []
        for leaf in (there, here):
            hand.move(0, leaf, levels=1)
            parts.append(hand.recorder.list())
            hand.recorder.note(np.arange(3))
        assert all(part.tokens for part in parts)
        both = join(parts)._replace(n_docs=np.ones(len(hand.ids), np.int64))
        batch = unpack(pack(both, hand.ids, hand.state.n_words))
        assert len(batch.change) == 0
        assert not join(parts).n_docs.any()

    run_ranks(1, task)


@pytest.mark.parametrize("n_births", [3, 700])
def test_ids_have_room_for_any_number_of_births(n_births: int) -> None:
    """Names are unique over ranks, and other ranks find them again, including parents."""

    def task(comm: ThreadCommunicator) -> set[int]:
        hand = Hand(comm, [[0]] * n_births)
        for doc in range(n_births):
            hand.move(doc, ROOT, levels=1)
        names = hand.round()
        ids = hand.ids
        ours = np.flatnonzero(ids.name[: len(ids)] >> 32 == comm.rank + 1)
        assert len(ours) == 2 * n_births
        leaves = ours[ids.level[ours] == 2]
        assert (ids.level[ids.parent[leaves]] == 1).all()
        assert len(np.unique(ids.parent[leaves])) == n_births
        hand.end()
        assert_array_equal(np.sort(hand.state.topics.tree.id[hand.state.topics.tree.n_docs > 0]), np.arange(len(names)))
        return names

    first, second = run_ranks(2, task)
    assert first == second
    assert len(first) == 1 + 4 * n_births
