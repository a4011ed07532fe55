"""The widget's Python side: what it shows, and the selection."""

import sys

import pytest

pytest.importorskip("anywidget", reason="anywidget is not installed: pip install 'topicgrove[notebook]'")

from traitlets import TraitError

from topicgrove.explore import explorer_data, render_page
from topicgrove.widget import Explorer


def test_it_shows_the_page_of_the_tree(tree):
    assert Explorer(tree, title="trees").page == render_page(explorer_data(tree, title="trees"))


def test_nothing_is_selected_at_first(tree):
    assert Explorer(tree).selected is None


def test_the_page_selects_and_python_is_told(tree):
    explorer = Explorer(tree)
    told = []
    explorer.observe(lambda change: told.append((change["old"], change["new"])), "selected")
    for topic in (2, 2, 1, None):
        explorer.set_state({"selected": topic})
    assert told == [(None, 2), (2, 1), (1, None)]


def test_python_selects_and_the_page_is_told(tree):
    explorer = Explorer(tree)
    explorer.selected = 2
    assert explorer.get_state("selected") == {"selected": 2}


@pytest.mark.parametrize("topic", [3, -1])
def test_a_topic_that_is_not_there_cannot_be_selected(tree, topic):
    explorer = Explorer(tree)
    explorer.selected = 1
    with pytest.raises(TraitError, match=f"selected must be None or the id of a topic that is shown; got {topic}"):
        explorer.selected = topic
    assert explorer.selected == 1


def test_text_is_no_topic(tree):
    with pytest.raises(TraitError):
        Explorer(tree).selected = "1"


def test_ids_are_those_of_the_whole_tree(tree):
    explorer = Explorer(tree.subtree(2))
    explorer.selected = 2
    with pytest.raises(TraitError):
        explorer.selected = 0


def test_the_page_cannot_be_replaced(tree):
    with pytest.raises(TraitError):
        Explorer(tree).page = "<script>"


def test_height_is_a_number_of_pixels(tree):
    assert Explorer(tree, height=300).height == 300
    with pytest.raises(ValueError, match="height must be at least 100; got 10"):
        Explorer(tree, height=10)


def test_without_anywidget_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    for name in [name for name in sys.modules if name.startswith("topicgrove.widget")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"pip install 'topicgrove\[notebook\]'"):
        import topicgrove.widget  # noqa: F401
