import base64
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import topicgrove.explore
from topicgrove.explore import explorer_data, render_page, write_page
from topicgrove.tree import Documents, TopicTree

ASSETS = Path(topicgrove.explore.__file__).parent / "assets"


def embedded(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1)
    return json.loads(text)


def policy_of(page):
    content = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    return dict(directive.split(" ", 1) for directive in content.replace("&#39;", "'").split("; "))


def hash_of(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_policy_allows_the_own_scripts_and_styles_alone(tree):
    page = render_page(explorer_data(tree))
    policy = policy_of(page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == " ".join(map(hash_of, scripts))
    assert policy["style-src"] == hash_of(re.search(r"<style>(.*?)</style>", page, re.DOTALL).group(1))
    assert policy["connect-src"] == "'none'"


def test_live_page_may_ask_its_own_server(tree):
    page = render_page(explorer_data(tree), live=True)
    assert policy_of(page)["connect-src"] == "'self'"
    assert '<html lang="en" data-live>' in page


def test_data_come_out_of_the_page_as_they_went_in(tree):
    data = explorer_data(tree, title="<b>\u2028 & 'quotes' \"")
    assert embedded(render_page(data)) == data


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!--", "a\u2028\u2029", "&lt;", "\ud800"])
def test_no_text_can_leave_its_script_element(text):
    tree = TopicTree(
        np.array([-1]),
        np.array([0]),
        np.array([1]),
        np.array([3]),
        word_counts=sparse.csr_array([[3]]),
        vocabulary=(text,),
        documents=Documents(np.array([[0]]), np.array([[3]]), (text,), (text,)),
    )
    tree.set_names({0: text})
    clean = render_page(explorer_data(TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]))))
    page = render_page(explorer_data(tree))
    assert page.count("<script") == clean.count("<script")
    assert page.count("<!--") == clean.count("<!--")
    assert not re.search("[\u2028\u2029\ud800-\udfff]", page)
    assert embedded(page)["words"] == [text]
    page.encode()


def test_title_is_text():
    tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]))
    page = render_page(explorer_data(tree, title="<img src=x>"))
    assert "<title>&lt;img src=x&gt; · TopicGrove</title>" in page


def test_page_names_no_address_but_those_in_comments_and_namespaces(tree):
    page = render_page(explorer_data(tree))
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", page))
    assert {address for address in addresses if "w3.org" not in address and "d3js.org" not in address} == set()


def test_page_without_data_is_below_600_kilobytes(tree):
    assert len(render_page(explorer_data(tree)).encode()) < 600_000


def test_page_of_300_topics_is_below_two_megabytes():
    assert len(render_page(explorer_data(large_tree(300, 20_000))).encode()) < 2_000_000


def large_tree(n_topics, n_docs):
    """Words of seven letters and titles of a line, 20 documents a topic and more."""
    rng = np.random.default_rng(0)
    parent = np.concatenate([[-1], np.zeros(30, int), np.sort(rng.integers(1, 31, n_topics - 31))])
    level = np.repeat([0, 1, 2], [1, 30, n_topics - 31])
    leaf = rng.integers(31, n_topics, n_docs)
    paths = np.stack([np.zeros(n_docs, int), parent[leaf], leaf], axis=1)
    counts = sparse.random_array((n_topics, 15_000), density=0.02, rng=rng, format="csr")
    counts.data = rng.integers(1, 500, len(counts.data))
    titles = tuple(f"A title of a document that has the usual length of a line, no. {d}" for d in range(n_docs))
    return TopicTree(
        parent,
        level,
        np.bincount(paths.ravel(), minlength=n_topics),
        np.asarray(counts.sum(axis=1)).ravel(),
        word_counts=counts,
        vocabulary=tuple(f"wor{i:05d}" for i in range(15_000)),
        documents=Documents(paths, rng.poisson(30, paths.shape), titles=titles),
    )


def test_file_is_written_whole_and_named_after_itself(tree, tmp_path):
    path = write_page(tree, tmp_path / "forest.html")
    assert path == tmp_path / "forest.html"
    assert embedded(path.read_text(encoding="utf-8"))["title"] == "forest"
    assert [entry.name for entry in tmp_path.iterdir()] == ["forest.html"]
    with pytest.raises(FileNotFoundError, match="no such directory"):
        write_page(tree, tmp_path / "nowhere" / "forest.html")


def test_tree_writes_its_own_page(tree, tmp_path):
    assert embedded(tree.explore(tmp_path / "a.html", n_words=2).read_text(encoding="utf-8"))["n_docs"] == 38


def test_licence_of_the_library_is_beside_it():
    licence = (ASSETS / "vendor" / "LICENSE-d3").read_text(encoding="utf-8")
    for module in ("d3-array", "d3-format", "d3-hierarchy", "d3-path", "d3-shape"):
        assert module in licence
        assert module in (ASSETS / "vendor" / "d3.min.js").read_text(encoding="utf-8")
    assert "Permission to use, copy, modify" in licence


def test_no_script_of_ours_parses_html():
    for script in ASSETS.glob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text), (
            script
        )
