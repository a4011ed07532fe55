import base64
import json
import zlib
from dataclasses import replace

import numpy as np
import pytest

from topicgrove.explore import all_documents, explorer_data
from topicgrove.explore import data as data_module
from topicgrove.tree import Documents, TopicTree


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))


def test_table_and_block_hold_every_document_once(tree, monkeypatch):
    monkeypatch.setattr(data_module, "N_FOUND_DOCUMENTS", 5)
    data = explorer_data(tree, n_documents=1)
    block = unpacked(data["more_documents"])
    names = data["documents"]["name"] + block["name"]
    assert sorted(names) == sorted(tree.documents.ids)
    assert block["title"] == sorted(block["title"])
    for i, name in enumerate(block["name"]):
        d = tree.documents.ids.index(name)
        assert block["leaf"][i] == tree.documents.paths[d, -1]
        assert block["levels"][3 * i : 3 * i + 3] == tree.documents.level_counts[d].tolist()


def test_small_trees_have_no_block(tree):
    assert explorer_data(tree)["more_documents"] is None


def test_hostile_titles_are_packed_whole(make_tree, monkeypatch):
    monkeypatch.setattr(data_module, "N_FOUND_DOCUMENTS", 0)
    titles = ("</script>", "\ud800\u2028", "a" * 500) + ("x",) * 35
    data = explorer_data(make_tree(titles=titles), n_documents=0)
    block = unpacked(data["more_documents"])
    assert "</script>" in block["title"]
    assert max(map(len, block["title"])) == all_documents.TITLE_CHARACTERS


def test_block_of_100_000_documents_is_small():
    rng = np.random.default_rng(0)
    n_docs, words = 100_000, [f"word{i}" for i in range(3000)]
    leaf = rng.integers(1, 400, n_docs)
    titles = tuple(" ".join(words[i] for i in row) for row in rng.zipf(1.3, (n_docs, 8)) % 3000)
    counts = rng.poisson(20, (n_docs, 2))
    tree = TopicTree(
        np.concatenate([[-1], np.zeros(399, int)]),
        np.concatenate([[0], np.ones(399, int)]),
        np.concatenate([[n_docs], np.bincount(leaf, minlength=400)[1:]]),
        np.zeros(400, int),
        documents=Documents(np.column_stack([np.zeros(n_docs, int), leaf]), counts, titles=titles),
    )
    assert len(explorer_data(tree)["more_documents"]) < 4_500_000


def test_shares_over_classes_come_with_the_page(tree):
    assert explorer_data(tree)["over"] is None
    classes = tuple((("a", "b", "c")[d % 3], "x") for d in range(38))
    with_classes = replace(tree, documents=replace(tree.documents, classes=classes))
    (by_class,) = unpacked(explorer_data(with_classes, min_docs=5)["over"])
    expected = with_classes.over([first for first, _ in classes])
    assert (by_class["name"], by_class["groups"], by_class["is_ordered"]) == ("Class", ["a", "b", "c"], False)
    assert by_class["n_docs"] == expected.n_docs.tolist()
    shown = explorer_data(with_classes, min_docs=5)["topics"]["id"]
    assert by_class["counts"] == expected.counts[shown].ravel().tolist()


def test_shares_of_another_tree_are_refused(tree):
    with pytest.raises(ValueError, match="over\\['x'\\] has 3 topics, but the tree has 11"):
        explorer_data(tree, over={"x": tree.subtree(2).over(["a"] * 38)})
