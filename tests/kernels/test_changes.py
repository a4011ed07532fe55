"""Changes of documents noted, listed, summed and added: against dictionaries and a recount."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from topicgrove.kernels.changes import (
    NOT_IN,
    Noted,
    add_changes,
    aggregate,
    hash_rows,
    list_changes,
    note_documents,
    note_path,
)
from topicgrove.kernels.structures import Documents, Tree

N_WORDS = 5
PARENT = np.array([0, 0, 0, 1, 1, 2], np.int32)
"""Two topics below the root, with two leaves and one."""

IDS = np.array([0, 10, 20, 30, 40, 50], np.int32)
NO_LOGARITHMS = np.zeros(6, np.float32)
TREE = Tree(PARENT, np.ones(6, np.int32), NO_LOGARITHMS, NO_LOGARITHMS, IDS)


def summed(changes: list[int]) -> dict[int, int]:
    """The same with a dictionary."""
    sums: Counter[int] = Counter()
    for change in changes:
        sums[change // 2] += -1 if change % 2 else 1
    return {key: n for key, n in sums.items() if n}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 2**40) | st.integers(0, 9), max_size=60))
def test_aggregate_sums_like_a_dictionary(changes: list[int]) -> None:
    size = 1 << (2 * len(changes) + 1).bit_length()
    keys, sums = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    n = aggregate(np.array(changes, np.int64), keys, sums)
    assert n == len(summed(changes))
    assert dict(zip(keys[:n].tolist(), sums[:n].tolist(), strict=True)) == summed(changes)


def test_aggregate_copes_with_a_table_that_is_nearly_full() -> None:
    keys, sums = np.full(8, -1, np.int64), np.zeros(8, np.int32)
    assert aggregate(2 * np.arange(7), keys, sums) == 7
    assert sorted(keys[:7].tolist()) == list(range(7))


@pytest.mark.parametrize(("leaf", "n_slow", "path"), [(3, 0, [0, 20, 60]), (5, 3, [1, 41, 100]), (-1, 3, [-1] * 3)])
def test_a_path_is_noted_by_ids_and_whether_topics_are_slow(leaf: int, n_slow: int, path: list[int]) -> None:
    noted = np.zeros(3, np.int64)
    note_path(leaf, PARENT, IDS, n_slow, noted)
    assert noted.tolist() == path
    assert NOT_IN == -1


def documents(leaf: list[int], levels: list[int]) -> Documents:
    words = np.array([0, 1, 1, 2, 4], np.int32)
    keys = np.arange(2, dtype=np.uint64)
    return Documents(words, np.array([0, 3, 5]), np.array(levels, np.uint8), np.array(leaf, np.int32), keys)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    leaves=st.lists(st.sampled_from([3, 4, 5]), min_size=4, max_size=4),
    levels=st.lists(st.integers(0, 2), min_size=10, max_size=10),
    n_slow=st.sampled_from([0, 1, 3, 4]),
    has_entered=st.booleans(),
)
def test_listed_changes_are_the_difference_of_the_counts(
    leaves: list[int], levels: list[int], n_slow: int, has_entered: bool
) -> None:
    """The documents are in any order, and some were not in the tree before."""
    order, start = np.array([1, 0]), np.array([0, 2, 5])
    before = documents(leaves[:2] if has_entered else [-1, leaves[1]], levels[:5])
    now = documents(leaves[2:], levels[5:])
    noted = Noted(order, start, np.empty((2, 3), np.int64), np.empty(5, np.uint8))
    note_documents(0, 2, before, TREE, n_slow, noted)
    n_docs, changes = np.zeros(51, np.int64), np.empty(11, np.int64)
    n = list_changes(0, 2, now, TREE, n_slow, N_WORDS, noted, np.zeros(3, np.int64), n_docs, changes)
    assert_array_equal(n_docs, counted(now)[0] - counted(before)[0])
    difference = counted(now, n_slow)[1] - counted(before, n_slow)[1]
    rows, words = np.nonzero(difference)
    expected = {int(i * N_WORDS + w): int(difference[i, w]) for i, w in zip(rows, words, strict=True)}
    assert summed(changes[:n].tolist()) == expected


def counted(docs: Documents, n_slow: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Documents by id, and words by id of rapid topics."""
    n_docs, words = np.zeros(51, np.int64), np.zeros((51, N_WORDS), np.int64)
    for d, leaf in enumerate(docs.leaf):
        if leaf < 0:
            continue
        path = [0, PARENT[leaf], leaf]
        n_docs[IDS[path]] += 1
        for n in range(docs.offsets[d], docs.offsets[d + 1]):
            slot = path[docs.levels[n]]
            words[IDS[slot], docs.words[n]] += slot >= n_slow
    return n_docs, words


@pytest.mark.parametrize("count_type", [np.uint16, np.int32])
def test_added_changes_arrive_in_their_columns(count_type: type, rng: np.random.Generator) -> None:
    counts = rng.integers(100, 200, (N_WORDS, 4)).astype(count_type)
    totals = counts.sum(axis=0).astype(np.int32)
    columns = np.array([3, 0, 2])
    position, words = rng.integers(3, size=30).astype(np.int32), rng.integers(N_WORDS, size=30).astype(np.int32)
    change = rng.integers(-3, 4, 30).astype(np.int32)
    expected = counts.astype(np.int64)
    np.add.at(expected, (words, columns[position]), change)
    add_changes(columns, position, words, change, counts, totals)
    assert_array_equal(counts, expected)
    assert_array_equal(totals, expected.sum(axis=0))


def hashed(matrix: np.ndarray, *bounds: int) -> int:
    sums = np.zeros(1, np.uint64)
    for first, last in zip([0, *bounds], [*bounds, len(matrix)], strict=True):
        hash_rows(first, last, matrix, sums)
    return int(sums[0])


@pytest.mark.parametrize("count_type", [np.uint16, np.int32])
def test_a_hash_of_rows_does_not_depend_on_how_they_are_cut(count_type: type, rng: np.random.Generator) -> None:
    matrix = rng.integers(100, size=(9, 7)).astype(count_type)
    assert hashed(matrix) == hashed(matrix, 2, 3, 8)


def test_a_hash_of_rows_sees_every_number_and_its_place(rng: np.random.Generator) -> None:
    matrix = rng.integers(100, size=(9, 7)).astype(np.int32)
    hashes = {hashed(matrix)}
    for v, j in np.ndindex(matrix.shape):
        other = matrix.copy()
        other[v, j] += 1
        hashes.add(hashed(other))
    swapped = matrix.copy()
    swapped[[2, 5]] = matrix[[5, 2]]
    assert len(hashes | {hashed(swapped), hashed(matrix[:, ::-1].copy())}) == matrix.size + 3
