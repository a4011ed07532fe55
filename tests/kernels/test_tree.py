"""Documents joining and leaving paths; topics being born into free columns, and dying."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topicgrove.kernels.structures import ROOT, Control, Layout, TopicArrays, TopicWords, Tree
from topicgrove.kernels.tree import follow_path, has_room, join_path, leave_path, level_of, new_column, visit
from topicgrove.memory import control
from topicgrove.prior import HyperParameters

N_LEVELS = 3
WIDTH = 16
NO_LIMIT = 2**62
GAMMA = np.array([0.5, 1e-300, 0.0])
with np.errstate(divide="ignore"):
    LOG_GAMMA = np.log(GAMMA)
PRIOR = HyperParameters.of(N_LEVELS, gamma=1.0).for_kernels(1)._replace(gamma=GAMMA, log_gamma=LOG_GAMMA)


class Forest(NamedTuple):
    """A tree of three levels, its root slow or rapid, all other topics rapid unless made slow by hand."""

    tree: Tree
    layout: Layout
    n_slow: int
    control: Control

    @property
    def n_topics(self) -> int:
        return int(self.control.n_topics[0])

    @property
    def arrays(self) -> TopicArrays:
        no_counts, log_phi = np.zeros((1, 0), np.int32), np.zeros((1, self.n_slow), np.float32)
        words = TopicWords(no_counts, log_phi, np.zeros(1, np.float32), np.zeros(0, np.int32))
        return TopicArrays(self.tree, words, self.layout, self.control)

    def slot(self, level: int, place: int) -> int:
        """The slot of a rapid column, by its place in its level."""
        return int(self.n_slow + self.layout.rapid_start[level] + place)

    def join(self, slot: int, max_topics: int = NO_LIMIT) -> list[int] | None:
        path = np.full(N_LEVELS, -1)
        joined = join_path(self.arrays, PRIOR, path, slot, max_topics)
        assert self.control.tree_lock[0] == 0
        return path.tolist() if joined else None

    def leave(self, path: list[int]) -> None:
        leave_path(self.arrays, PRIOR, np.array(path))
        assert self.control.tree_lock[0] == 0

    def snapshot(self) -> list[list[float]]:
        return [array.tolist() for array in (*self.tree, *self.layout, *self.control)]


def make_forest(slow_root: bool) -> Forest:
    n_slow = 3 * WIDTH if slow_root else 0
    rapid_start = np.array([0, 0 if slow_root else WIDTH, 2 * WIDTH, 3 * WIDTH])
    n_slots = n_slow + 3 * WIDTH
    tree = Tree(
        parent=np.zeros(n_slots, np.int32),
        n_docs=np.zeros(n_slots, np.int32),
        log_weight=np.full(n_slots, -np.inf, np.float32),
        log_visits=np.zeros(n_slots, np.float32),
        id=np.zeros(n_slots, np.int32),
    )
    nothing = np.zeros(N_LEVELS, np.int64)
    slow_start = np.array([0, WIDTH, 2 * WIDTH, 3 * WIDTH]) if slow_root else np.zeros(4, np.int64)
    layout = Layout(slow_start, rapid_start, nothing, nothing.copy(), np.zeros(3 * WIDTH, np.int32))
    if not slow_root:
        layout.rapid_used[0] = 1
    shared = control()
    shared.n_topics[0] = 1
    return Forest(tree, layout, n_slow, shared)


@pytest.fixture(params=[False, True], ids=["rapid root", "slow root"])
def forest(request: pytest.FixtureRequest) -> Forest:
    return make_forest(request.param)


def test_follow_path_goes_from_leaf_to_root() -> None:
    parent = np.array([0, 0, 1, 2], np.int32)
    path = np.full(4, -1)
    follow_path(parent, 3, path)
    assert path.tolist() == [0, 1, 2, 3]


def test_a_document_at_the_root_starts_a_branch(forest: Forest) -> None:
    path = forest.join(ROOT)
    assert path == [ROOT, forest.slot(1, 0), forest.slot(2, 0)]
    assert_array_equal(forest.tree.n_docs[path], [1, 1, 1])
    assert_array_equal(forest.tree.parent[path], [ROOT, *path[:-1]])
    assert forest.n_topics == 3


def test_a_document_at_an_internal_topic_starts_a_leaf(forest: Forest) -> None:
    first = forest.join(ROOT)
    assert first is not None
    second = forest.join(first[1])
    assert second == [ROOT, first[1], forest.slot(2, 1)]
    assert forest.n_topics == 4
    assert forest.tree.n_docs[first[1]] == 2


def test_a_document_at_a_leaf_bears_nothing(forest: Forest) -> None:
    path = forest.join(ROOT)
    assert path is not None
    assert forest.join(path[2]) == path
    assert forest.n_topics == 3
    assert_array_equal(forest.tree.n_docs[path], [2, 2, 2])


def test_leaving_undoes_joining(forest: Forest) -> None:
    first = forest.join(ROOT)
    assert first is not None
    before = forest.snapshot()
    forest.join(first[2])
    assert forest.snapshot() != before
    forest.leave(first)
    assert forest.snapshot() == before


def test_topics_without_documents_die_and_free_their_columns(forest: Forest) -> None:
    path, other = forest.join(ROOT), forest.join(ROOT)
    assert path is not None
    forest.leave(path)
    assert forest.n_topics == 3
    for level in (1, 2):
        assert forest.layout.n_free[level] == 1
        start = forest.layout.rapid_start[level]
        assert forest.layout.free[start] == path[level] - forest.n_slow
        assert forest.tree.log_weight[path[level]] == -np.inf
    assert forest.tree.n_docs[other].tolist() == [1, 1, 1]


def test_births_use_free_columns_first_the_last_freed_before_others(forest: Forest) -> None:
    paths = [forest.join(ROOT) for _ in range(3)]
    for path in paths[:2]:
        assert path is not None
        forest.leave(path)
    assert forest.join(ROOT) == paths[1]
    assert forest.join(ROOT) == paths[0]
    assert forest.layout.rapid_used[1:].tolist() == [3, 3]
    assert forest.layout.n_free.tolist() == [0, 0, 0]
    assert forest.join(ROOT) == [ROOT, forest.slot(1, 3), forest.slot(2, 3)]


def test_a_reused_column_gets_its_new_parent(forest: Forest) -> None:
    first, second = forest.join(ROOT), forest.join(ROOT)
    assert first is not None
    assert second is not None
    forest.join(first[1])
    forest.leave(first)
    third = forest.join(second[1])
    assert third == [ROOT, second[1], first[2]]
    assert forest.tree.parent[first[2]] == second[1]


@pytest.mark.parametrize("level", [1, 2])
def test_joining_a_topic_that_died_is_refused(forest: Forest, level: int) -> None:
    """Another thread's document was the topic's last, and left between the draw and the join."""
    path = forest.join(ROOT)
    assert path is not None
    forest.leave(path)
    before = forest.snapshot()
    assert forest.join(path[level]) is None
    assert forest.snapshot() == before


def test_births_over_the_limit_are_refused_and_change_nothing(forest: Forest) -> None:
    path = forest.join(ROOT, max_topics=3)
    assert path is not None
    before = forest.snapshot()
    assert forest.join(ROOT, max_topics=4) is None
    assert forest.join(path[1], max_topics=3) is None
    assert forest.snapshot() == before
    assert forest.join(path[2], max_topics=3) == path
    assert forest.join(path[1], max_topics=4) is not None
    assert forest.n_topics == 4


def test_a_slow_topic_that_dies_frees_no_column() -> None:
    forest = make_forest(slow_root=True)
    slow = WIDTH + 2
    path = [ROOT, slow, forest.slot(2, 0)]
    forest.tree.parent[path] = [ROOT, ROOT, slow]
    forest.tree.n_docs[path] = 1
    forest.layout.rapid_used[2] = 1
    forest.control.n_topics[0] = 3
    assert forest.join(slow) == [ROOT, slow, forest.slot(2, 1)]
    forest.leave([ROOT, slow, forest.slot(2, 1)])
    forest.leave(path)
    assert forest.layout.n_free.tolist() == [0, 0, 2]
    assert forest.n_topics == 1
    assert forest.join(slow) is None


def test_logarithms_follow_the_documents(forest: Forest) -> None:
    path = forest.join(ROOT)
    assert path is not None
    for n_docs in range(2, 6):
        forest.join(path[2])
        assert_allclose(forest.tree.log_weight[path], math.log(n_docs), rtol=1e-6)
        assert_allclose(forest.tree.log_visits[path], np.log(n_docs + GAMMA), rtol=1e-6)


def test_a_tree_without_documents_weighs_its_root_by_gamma_alone(forest: Forest) -> None:
    """gamma far below float's reach beside 1 is kept as a logarithm."""
    path = forest.join(ROOT)
    assert path is not None
    forest.leave(path)
    assert_allclose(forest.tree.log_visits[path[:2]], LOG_GAMMA[:2], rtol=1e-6)
    assert forest.n_topics == 1


def test_visit_adds_and_takes_away(forest: Forest) -> None:
    path = np.array([ROOT, forest.slot(1, 4), forest.slot(2, 7)])
    visit(forest.tree, path, GAMMA, LOG_GAMMA, 3)
    visit(forest.tree, path, GAMMA, LOG_GAMMA, -1)
    assert_array_equal(forest.tree.n_docs[path], [2, 2, 2])
    assert forest.tree.n_docs.sum() == 6


def test_room_is_what_was_never_used_and_what_was_freed(forest: Forest) -> None:
    layout = forest.layout
    width = int(layout.rapid_start[2] - layout.rapid_start[1])
    assert has_room(layout, 1, width)
    assert not has_room(layout, 1, width + 1)
    path = forest.join(ROOT)
    assert path is not None
    assert not has_room(layout, 1, width)
    forest.leave(path)
    assert has_room(layout, 1, width)


def test_new_columns_are_all_different_until_the_level_is_full(forest: Forest) -> None:
    columns = [new_column(forest.layout, 2) for _ in range(WIDTH)]
    assert columns == list(range(forest.layout.rapid_start[2], forest.layout.rapid_start[3]))
    assert not has_room(forest.layout, 2, 1)


def test_the_level_of_a_slot_is_that_of_its_range(forest: Forest) -> None:
    for level in range(N_LEVELS):
        slow, rapid = forest.layout.slow_start, forest.layout.rapid_start + forest.n_slow
        slots = [*range(slow[level], slow[level + 1]), *range(rapid[level], rapid[level + 1])]
        assert {level_of(forest.layout, forest.n_slow, slot) for slot in slots} == {level}
