"""Which topics of two trees are the same."""

import json

import numpy as np
import pytest

from topicgrove import TopicTree, compare

WORDS = [f"w{i}" for i in range(12)]


def tree_of(parent, words, order=None, vocabulary=WORDS):
    """A tree whose topics have some words each, its columns in some order."""
    counts = np.zeros((len(parent), len(vocabulary)), int)
    for topic, own in enumerate(words):
        counts[topic, own] = 5
    return TopicTree.from_arrays(counts, parent=parent, vocabulary=vocabulary)


PARENT = [-1, 0, 0, 1, 1, 2, 2]
OWN = [[0], [1, 2], [3, 4], [5, 6], [7], [8, 9], [10, 11]]


def test_a_tree_is_itself():
    tree = tree_of(PARENT, OWN)
    found = compare(tree, tree)
    assert [(m.a, m.b) for m in found.matches] == [(t, t) for t in range(7)]
    assert all(m.similarity == pytest.approx(1) for m in found.matches)
    assert (found.moved, found.vanished, found.appeared) == ((), (), ())


def test_topics_are_found_in_another_order_and_vocabulary():
    a = tree_of(PARENT, OWN)
    b = tree_of(PARENT, [[11 - w for w in OWN[t]] for t in (0, 2, 1, 6, 5, 4, 3)], vocabulary=WORDS[::-1])
    assert {m.a: m.b for m in compare(a, b).matches} == {0: 0, 1: 2, 2: 1, 3: 6, 4: 5, 5: 4, 6: 3}


def test_what_vanished_appeared_and_moved_is_said():
    a = tree_of(PARENT, OWN)
    # Topic 3 hangs below the other branch, and topic 4 has other words.
    b = tree_of([-1, 0, 0, 2, 1, 2, 2], [[0], [1, 2], [3, 4], [5, 6], [0, 3], [8, 9], [10, 11]])
    found = compare(a, b)
    assert [m.a for m in found.moved] == [3]
    assert found.vanished == (4,)
    assert [b.top_words(t, 2, by="probability") for t in found.appeared] == [["w0", "w3"]]
    assert "moved to another parent: 1" in found.summary()


def test_documents_count_where_they_are_the_same():
    words = [[0, 1], [0, 1]]
    a = TopicTree.from_arrays(_rows(words), vocabulary=WORDS, document_topics=[0, 0, 1, 1], ids="abcd")
    b = TopicTree.from_arrays(_rows(words), vocabulary=WORDS, document_topics=[1, 1, 0, 0], ids="abcd")
    other = TopicTree.from_arrays(_rows(words), vocabulary=WORDS, document_topics=[1, 1, 0, 0], ids="efgh")
    found = compare(a, b)
    assert {m.a: m.b for m in found.matches} == {0: 0, 1: 2, 2: 1}
    assert all(m.documents == 1 for m in found.matches)
    assert not compare(a, other).same_documents


def _rows(words):
    rows = np.zeros((len(words), len(WORDS)), int)
    for row, own in zip(rows, words, strict=True):
        row[own] = 5
    return rows


def test_two_seeds_of_one_corpus_share_their_branches_and_another_corpus_none(tmp_path):
    rng = np.random.default_rng(0)
    X = np.array([rng.multinomial(30, np.roll([0.4, 0.3, 0.3, 0, 0, 0, 0, 0, 0], 3 * (d % 3))) for d in range(60)])
    from topicgrove import HierarchicalLDA

    words = [f"w{i}" for i in range(9)]
    runs = [
        HierarchicalLDA(2, gamma=0.1, beta=0.1, n_iter=20, random_state=s).fit(X).set_vocabulary(words) for s in (0, 1)
    ]
    found = compare(*runs)
    assert len([m for m in found.matches if m.a and m.documents == 1]) == 3
    strange = HierarchicalLDA(2, n_iter=2, random_state=0).fit(X).set_vocabulary([f"x{i}" for i in range(9)])
    assert [m.a for m in compare(runs[0], strange.tree_.prune(max_depth=1)).matches if m.words > 0] == []


def test_json_is_inert_and_whole(tmp_path):
    evil = "</script><b>"
    tree = TopicTree.from_arrays([[3, 1], [1, 3]], vocabulary=[evil, "b"], names={0: evil})
    text = compare(tree, tree).to_json(tmp_path / "c.json")
    assert "<" not in text
    assert json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["matches"][1]["name_a"] == evil


def test_what_cannot_be_compared_is_refused():
    tree = tree_of(PARENT, OWN)
    bare = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([1]))
    with pytest.raises(ValueError, match="b has no words"):
        compare(tree, bare)
    with pytest.raises(ValueError, match="min_similarity must be from 0 to 1"):
        compare(tree, tree, min_similarity=2)
