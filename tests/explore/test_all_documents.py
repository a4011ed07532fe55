import base64
import json
import zlib

import numpy as np

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
