"""The page of two trees: whole, inert, and without scripts."""

import re
from html import unescape

from topicgrove import TopicTree, compare

EVIL = ["</style><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\x1b[2J", "\ud800", "a\u202eb", "moon"]


def tree_of(order=(0, 1, 2), names=None):
    counts = [[[9, 9, 0, 0, 0, 1], [0, 0, 9, 9, 0, 1], [0, 0, 0, 0, 9, 9]][i] for i in order]
    return TopicTree.from_arrays(counts, vocabulary=EVIL, names=names)


def test_hostile_words_names_and_titles_are_text(tmp_path):
    found = compare(tree_of(names={0: EVIL[0]}), tree_of((2, 0, 1)))
    page = found.to_html(tmp_path / "page.html", title=EVIL[0], names=(EVIL[1], EVIL[0]))
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert "default-src 'none'" in unescape(page)
    assert not re.search(r"(src|href)=", re.sub(r"&lt;.*?&gt;", "", page))


def test_what_differs_is_on_the_page():
    a, b = tree_of(), tree_of((0, 1))
    page = compare(a, b).to_html(names=("first.grove", "second.grove"))
    vanished = page[page.index("Only in first.grove") : page.index("Only in second.grove")]
    assert "[3]" in vanished
    assert page.count("<tr class=") == len(compare(a, b).matches)
    assert "<mark>" in page
