"""Which topics a picture shows."""

import numpy as np
import pytest

from topicgrove.plotting.selection import MOST_TOPICS, Shown, select

PARENT = [-1, 0, 0, 1, 1, 2, 3]
N_DOCS = [20, 12, 8, 9, 3, 8, 9]


def outline(shown: Shown) -> object:
    return (shown.topic, [outline(child) for child in shown.children]) if shown.children else shown.topic


@pytest.fixture
def tree(make_tree):
    return make_tree(PARENT, ["a"], N_DOCS)


def test_everything_is_shown_unless_asked_otherwise(tree):
    assert [outline(top) for top in select(tree)] == [(0, [(1, [(3, [6]), 4]), (2, [5])])]


def test_topics_hang_from_the_nearest_ancestor_that_is_shown(tree):
    assert [outline(top) for top in select(tree, levels=(0, 2))] == [(0, [3, 4, 5])]
    assert [outline(top) for top in select(tree, levels=(1, 3))] == [(1, [6]), 2]


def test_a_subtree_has_the_topic_at_its_top(tree):
    assert [outline(top) for top in select(tree, topic=1)] == [(1, [(3, [6]), 4])]


def test_small_topics_are_counted_where_they_would_hang(tree):
    (top,) = select(tree, topic=1, min_docs=5)
    assert outline(top) == (1, [(3, [6])])
    assert (top.n_hidden, top.children[0].n_hidden) == (1, 0)


def test_large_trees_show_as_many_topics_as_a_page_holds(make_tree):
    n_leaves = 3 * MOST_TOPICS
    tree = make_tree([-1] + [0] * n_leaves, ["a"], [n_leaves * 100, *range(n_leaves, 0, -1)])
    (top,) = select(tree)
    assert len(top.children) == MOST_TOPICS - 1
    assert [child.topic for child in top.children] == list(range(1, MOST_TOPICS))
    assert top.n_hidden == n_leaves - MOST_TOPICS + 1


def test_many_topics_of_one_size_are_shown_rather_than_none(make_tree):
    tree = make_tree([-1] + [0] * 40, ["a"], [40] + [1] * 40)
    assert len(select(tree, levels=[1])) == 40


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"levels": [4]}, ValueError, "levels must be between 0 and 3; got 4"),
        ({"levels": 1}, TypeError, r"levels must be several whole numbers, such as \(1, 2\); got 1"),
        ({"levels": [0.5]}, TypeError, "levels must be a whole number"),
        ({"levels": [0], "topic": 1}, ValueError, "levels must have one at or below topic 1, which is on level 1"),
        ({"levels": []}, ValueError, "levels must have one at or below topic 0"),
        ({"topic": 7}, ValueError, "topic must be between 0 and 6; got 7"),
        ({"min_docs": 21}, ValueError, "min_docs must be at most 20; got 21"),
        ({"min_docs": -1}, ValueError, "min_docs must be at least 0"),
    ],
)
def test_impossible_choices_are_refused(tree, options, error, message):
    with pytest.raises(error, match=message):
        select(tree, **options)


def test_numpy_numbers_are_numbers(tree):
    assert select(tree, levels=np.array([0, 1]), topic=np.int64(0)) == select(tree, levels=(0, 1))
