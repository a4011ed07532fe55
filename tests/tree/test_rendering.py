"""Text and HTML, without active content."""

import io
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console
from scipy import sparse

from topicgrove.tree import TopicTree
from topicgrove.tree.outline import escape

NASTY = [
    "<script>alert(1)</script>",
    "\x1b[2J\x1b]0;owned\x07",
    "evil\u202egpj.exe\u2066",
    "a\nb\tc\r",
    "[bold red]x[/]",
    '"quoted" & <b>',
    "\u2028",
    "\x9b31m",
]
any_label = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


def test_a_line_has_documents_id_and_words(tree):
    lines = tree.render().splitlines()
    assert lines[0] == "9 [0] of"
    assert lines[2] == "        4 [3] moon"
    assert len(lines) == 7


def test_small_siblings_are_summed_up(tree):
    assert tree.render(min_docs=3, by="probability", words=1).splitlines() == [
        "9 [0] the",
        "    6 [1] space",
        "        4 [3] moon",
        "        2 in 1 smaller topic",
        "    3 [2] game",
        "        3 in 2 smaller topics",
    ]


def test_depth_and_width_are_kept(tree):
    lines = tree.render(max_depth=1, width=12).splitlines()
    assert lines == ["9 [0] of", "    6 [1] s…", "    3 [2] g…"]


def test_wide_characters_take_two_columns(tree):
    tree.set_names({0: "東京大学の木"})
    assert tree.render(width=11, max_depth=0) == "9 [0] 東京…"


def test_labels_come_before_words(tree):
    tree.set_names({1: "Outer space"})
    assert "    6 [1] Outer space: space" in tree.render().splitlines()
    assert "    6 [1] Outer space" in tree.render(words=0).splitlines()


def test_topics_without_words_are_shown(make_tree):
    assert make_tree(word_counts=None).render(max_depth=0) == "9 [0]"
    tree = TopicTree(
        np.array([-1]),
        np.array([0]),
        np.array([1]),
        np.array([0]),
        word_counts=sparse.csr_array((1, 4), dtype=np.int32),
    )
    assert tree.render() == "1 [0] (no words of its own)"


def test_str_of_a_large_tree_is_short():
    rng = np.random.default_rng(0)
    leaves = rng.integers(1, 30, 300)
    parent = np.concatenate([[-1], np.zeros(10, int), np.repeat(np.arange(1, 11), 30)])
    inner = leaves.reshape(10, 30).sum(axis=1)
    n_docs = np.concatenate([[leaves.sum()], inner, leaves])
    tree = TopicTree(parent, np.repeat([0, 1, 2], [1, 10, 300]), n_docs, n_docs)
    lines = str(tree).splitlines()
    assert 20 < len(lines) <= 40
    shown = sum(int(line.split()[0]) for line in lines if line.startswith(" " * 8))
    assert shown == leaves.sum()
    assert repr(tree) == "<TopicTree: 311 topics, 1-10-300 by level>"


@given(any_label)
@settings(max_examples=200)
def test_escaped_text_is_printable(text):
    joiners = {ord(c): "" for c in "\u200c\u200d"}
    assert escape(text).translate(joiners).isprintable()


def test_words_of_living_scripts_are_left_alone():
    for word in ("می\u200cشود", "שלום", "क्\u200dष", "東京", "naïve"):
        assert escape(word) == word


@pytest.mark.parametrize("nasty", NASTY)
def test_nothing_a_terminal_obeys_is_printed(tree, nasty):
    tree.set_names({0: "x" + nasty})
    file = io.StringIO()
    tree.print_tree(file=file)
    for text in (tree.render(), str(tree), file.getvalue()):
        assert all(c.isprintable() or c == "\n" for c in text)
    first = file.getvalue().splitlines()[0]
    assert first.startswith("9 [0] x" + escape(nasty))
    assert len(file.getvalue().splitlines()) == len(tree)


def test_a_terminal_gets_lines_of_its_width(tree):
    console = Console(file=io.StringIO(), width=14, force_terminal=True, color_system=None)
    console.print(tree)
    lines = console.file.getvalue().splitlines()
    assert len(lines) == len(tree)
    assert all(len(line) <= 14 for line in lines)
    assert lines[1].startswith("├── 6 [1] ")


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "bdi":
            self.texts.append(data)


def read_page(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    return page


@given(label=any_label)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_html_shows_labels_as_text(tree, label):
    tree.set_names({0: label})
    page = read_page(tree._repr_html_())
    assert page.texts[0].startswith(escape(label))
    assert page.tags == {"div", "details", "summary", "b", "small", "bdi"}
    assert page.attributes <= {"style", "open"}


@pytest.mark.parametrize("nasty", NASTY)
def test_html_of_nasty_words_is_inert(make_tree, nasty):
    tree = make_tree(vocabulary=(*map(str, range(7)), "x" + nasty))
    html = tree._repr_html_()
    assert "<script" not in html
    assert read_page(html).texts[0].startswith("x" + escape(nasty))


def test_html_of_a_large_tree_is_bounded():
    n = 3000
    n_docs = np.append(n * (n + 1) // 2, np.arange(n, 0, -1))
    tree = TopicTree(np.append(-1, np.zeros(n, int)), np.append(0, np.ones(n, int)), n_docs, n_docs)
    html = tree._repr_html_()
    assert html.count("<b>") <= 500
    assert "smaller topics" in html
