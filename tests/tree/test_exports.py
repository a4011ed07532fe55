"""Independent readers read every export back."""

import csv
import io
import json
import re
import sys

import networkx as nx
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from topicgrove.tree.outline import escape

NASTY = [
    "<script>",
    "</script>",
    "a'b",
    'a"b',
    "a\\",
    "\\N",
    "&amp;",
    "=1+1",
    "@x",
    "-x",
    "+x",
    "\tx",
    "\n",
    "\u2028",
    "(a,b);",
]
any_label = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip) | st.sampled_from(
    NASTY[:10]
)
reading = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def walk(node):
    yield node
    for child in node["children"]:
        yield from walk(child)


def test_dict_is_the_tree(tree):
    nodes = sorted(walk(tree.to_dict()), key=lambda node: node["id"])
    assert [node["id"] for node in nodes] == list(range(7))
    assert [node["parent"] for node in nodes] == [None, *tree.parent[1:].tolist()]
    for node in nodes:
        t = node["id"]
        assert set(node) == {"id", "parent", "level", "name", "n_docs", "n_tokens", "words", "children", "label"}
        assert node["label"] == node["name"] == tree.name(t)
        assert (node["level"], node["n_docs"], node["n_tokens"]) == (tree.level[t], tree.n_docs[t], tree.n_tokens[t])
        assert [(word["word"], word["distinctive"]) for word in node["words"]] == tree.top_words_with_scores(t)
        assert [child["id"] for child in node["children"]] == tree.children[t].tolist()


def test_dict_of_a_view_tells_the_original_ids(tree):
    nodes = list(walk(tree.subtree(2).to_dict()))
    assert [node["original_id"] for node in nodes] == [2, 5, 6]


def test_a_tree_of_bare_arrays_is_exported(make_tree):
    tree = make_tree(word_counts=None, vocabulary=None, beta=None, documents=None)
    assert tree.to_dict()["words"] == []
    assert tree.to_pandas()["words"].tolist() == [[]] * 7
    for text in (tree.to_json(), tree.to_csv(), tree.to_newick(), tree.to_dot()):
        assert "topic 3" in text


@given(label=any_label)
@reading
def test_json_reads_back_and_is_inert_in_a_page(tree, label):
    tree.set_names({3: label})
    text = tree.to_json()
    assert json.loads(text) == tree.to_dict()
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_json_is_written_whole(tree, tmp_path):
    file = tmp_path / "tree.json"
    text = tree.to_json(file, indent=1)
    assert file.read_text() == text + "\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tree, tmp_path, monkeypatch):
    file = tmp_path / "tree.json"
    file.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        tree.to_json(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@given(label=any_label)
@reading
def test_csv_reads_back_and_computes_nothing(tree, label):
    tree.set_names({3: label})
    text = tree.to_csv()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(text.splitlines()) - 1 == 7
    assert rows[3]["name"] in (escape(label), "'" + escape(label))
    assert rows[3]["name"].lstrip()[:1] not in set("=+-@\t\r\n")
    assert rows[3]["label"] == rows[3]["name"]
    assert [int(row["parent"]) for row in rows] == tree.parent.tolist()
    assert rows[3]["words"] == "moon"


@pytest.mark.parametrize("word", ["=1+1", "+1", "-1", "@SUM(A1)", " =1"])
def test_words_that_look_like_formulas_are_defused(make_tree, word):
    tree = make_tree(vocabulary=(*map(str, range(2)), word, *map(str, range(3, 8))))
    row = list(csv.DictReader(io.StringIO(tree.to_csv())))[3]
    assert row["words"] == f"'{word}"


def test_pandas_has_a_row_per_topic(tree):
    frame = tree.to_pandas(words=2)
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == list(range(7))
    assert frame["parent"].tolist() == tree.parent.tolist()
    assert frame["n_docs"].tolist() == tree.n_docs.tolist()
    assert frame.loc[3, "words"] == ["moon"]
    assert tree.to_pandas(words=2, by="probability").loc[3, "words"] == ["moon", "space"]


def test_networkx_has_the_tree_and_goes_through_graphml(tree, tmp_path):
    graph = tree.to_networkx()
    assert nx.is_arborescence(graph)
    assert set(graph.edges) == {(int(tree.parent[t]), t) for t in range(1, 7)}
    assert graph.nodes[3]["n_docs"] == 4
    assert graph.nodes[3]["words"] == "moon"
    nx.write_graphml(graph, tmp_path / "tree.graphml")
    again = nx.read_graphml(tmp_path / "tree.graphml", node_type=int)
    assert dict(again.nodes(data=True)) == dict(graph.nodes(data=True))


@pytest.mark.parametrize("library", ["pandas", "networkx"])
def test_a_missing_library_is_named_with_its_extra(tree, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"pip install 'topicgrove\[{library}\]'"):
        getattr(tree, f"to_{library}")()


NEWICK = re.compile(r"\s*([(),;]|'(?:[^']|'')*')")


def read_newick(text: str) -> dict[str, str | None]:
    """Parents by name; only quoted names."""
    tokens, place = [], 0
    while place < len(text):
        match = NEWICK.match(text, place)
        assert match, text[place:]
        tokens.append(match[1])
        place = match.end()
    parents: dict[str, str | None] = {}

    def node(k: int) -> tuple[str, int]:
        below = []
        if tokens[k] == "(":
            while tokens[k] != ")":
                name, k = node(k + 1)
                below.append(name)
            k += 1
        name = tokens[k][1:-1].replace("''", "'")
        parents.update(dict.fromkeys(below, name))
        return name, k + 1

    root, k = node(0)
    assert tokens[k:] == [";"]
    return parents | {root: None}


@given(label=any_label)
@reading
def test_newick_reads_back(tree, label):
    tree.set_names(dict.fromkeys(range(7), label))
    names = [f"{t} {escape(label)}" for t in range(7)]
    assert read_newick(tree.to_newick()) == {names[t]: names[tree.parent[t]] if t else None for t in range(7)}


def test_newick_has_children_in_their_order(tree):
    tree.set_names(dict.fromkeys(range(7), "x"))
    assert tree.to_newick() == "(('3 x','4 x')'1 x',('5 x','6 x')'2 x')'0 x';"


DOT_LINE = re.compile(
    r'  (?:rankdir=LR;|node \[shape=box\];|(?P<id>\d+) \[label="(?P<label>(?:[^"\\]|\\.)*)", tooltip="\d+ documents"\];'
    r"|(?P<parent>\d+) -> (?P<child>\d+);)"
)


@given(label=any_label)
@reading
def test_dot_reads_back(tree, label):
    tree.set_names({3: label})
    first, *lines, last = tree.to_dot().splitlines()
    assert (first, last) == ("digraph topics {", "}")
    labels, edges = {}, set()
    for line in lines:
        match = DOT_LINE.fullmatch(line)
        assert match, line
        if match["id"]:
            labels[int(match["id"])] = re.sub(r"\\(.)", r"\1", match["label"]).replace("&amp;", "&")
        elif match["parent"]:
            edges.add((int(match["parent"]), int(match["child"])))
    assert labels[3] == escape(label)
    assert labels[5] == tree.name(5)
    assert edges == {(int(tree.parent[t]), t) for t in range(1, 7)}
