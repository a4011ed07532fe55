import numpy as np
import pytest
from scipy import sparse

from topicgrove.tree import Documents, TopicTree

from .conftest import LEVEL, PARENT, WORDS_OF, share_out


def test_pruned_topics_keep_their_facts_words_and_documents(tree):
    pruned = tree.prune(min_docs=2)
    assert pruned.original_ids.tolist() == [0, 1, 2, 3, 4, 5]
    pruned = tree.prune(min_docs=3)
    assert pruned.original_ids.tolist() == [0, 1, 2, 3]
    pruned.check()
    for new, old in enumerate(pruned.original_ids.tolist()):
        assert pruned.n_docs[new] == tree.n_docs[old]
        for by in ("probability", "distinctive"):
            assert pruned.top_words_with_scores(new, 8, by) == tree.top_words_with_scores(old, 8, by)
        assert pruned.representative_documents(new) == tree.representative_documents(old)


def test_documents_of_removed_topics_end_at_the_nearest_ancestor(tree):
    paths = tree.prune(min_docs=4).documents.paths
    np.testing.assert_array_equal(paths[3], [0, 1, 2])
    np.testing.assert_array_equal(paths[4], [0, 1, -1])
    np.testing.assert_array_equal(paths[8], [0, -1, -1])


def test_max_depth_is_the_deepest_level_kept(tree):
    assert tree.prune(max_depth=1).n_topics_per_level == [1, 2]
    assert tree.prune(max_depth=0).n_topics_per_level == [1]
    assert len(tree.prune(max_depth=9)) == len(tree)


def test_min_share_is_a_share_of_all_documents(tree):
    assert tree.prune(min_share=4 / 9).original_ids.tolist() == [0, 1, 3]


def test_the_root_always_stays(tree):
    assert tree.prune(min_docs=1000).original_ids.tolist() == [0]


def test_a_subtree_has_its_topic_as_root(tree):
    below = tree.subtree(2)
    below.check()
    assert below.original_ids.tolist() == [2, 5, 6]
    assert below.parent.tolist() == [-1, 0, 0]
    assert below.level.tolist() == [0, 1, 1]
    assert below.documents.paths[0].tolist() == [-1, -1]
    assert below.documents.paths[8].tolist() == [0, 2]
    assert below.top_words(0) == tree.top_words(2)
    assert below.representative_documents(2) == tree.representative_documents(6)


def test_a_view_of_a_view_has_the_ids_of_the_whole_tree(tree):
    twice = tree.prune(min_docs=2).subtree(2).prune(max_depth=1)
    twice.check()
    assert twice.original_ids.tolist() == [2, 5]
    assert twice.source is tree
    assert twice.top_words(1) == tree.top_words(5)


def test_labels_follow_their_topics(tree):
    tree.set_names({2: "sports", 1: "space"})
    below = tree.subtree(2)
    assert below.names == {0: "sports"}
    below.set_names({0: "games"})
    assert tree.name(2) == "sports"


def test_pruning_leaves_the_tree_as_it_was(tree):
    before = tree.to_json()
    tree.prune(min_docs=4)
    assert tree.to_json() == before


@pytest.fixture
def chained(make_tree):
    """Topics 0, 2 and 5 in a chain on one side, two leaves below 1 on the other."""
    paths = np.array([[0, 1, 3]] * 4 + [[0, 1, 4]] * 2 + [[0, 2, 5]] * 3)
    counts = WORDS_OF[:6]
    n_tokens = counts.sum(axis=1)
    documents = Documents(paths, share_out(paths, n_tokens))
    arrays = {"n_docs": np.bincount(paths.ravel()), "n_tokens": n_tokens, "documents": documents}
    return make_tree(parent=PARENT[:6], level=LEVEL[:6], word_counts=sparse.csr_array(counts), **arrays)


def test_a_chain_becomes_one_topic_with_the_tokens_of_all(chained):
    short = chained.collapse_chains()
    short.check()
    assert short.original_ids.tolist() == [0, 1, 2, 3, 4]
    assert short.n_docs.tolist() == [9, 6, 3, 4, 2]
    assert short.n_tokens[2] == chained.n_tokens[2] + chained.n_tokens[5]
    assert short.word_counts.toarray()[2].tolist() == (WORDS_OF[2] + WORDS_OF[5]).tolist()
    assert short.documents.paths[8].tolist() == [0, 2, -1]
    np.testing.assert_array_equal(short.documents.level_counts.sum(axis=1), chained.documents.level_counts.sum(axis=1))
    assert short.top_words(2) == chained.top_words(2)


def test_a_chain_in_the_middle_lifts_what_is_below():
    below = TopicTree(np.array([-1, 0, 1, 1]), np.array([0, 1, 2, 2]), np.array([5, 5, 3, 2]), np.ones(4, int))
    short = below.collapse_chains()
    short.check()
    assert short.original_ids.tolist() == [0, 2, 3]
    assert short.level.tolist() == [0, 1, 1]
    assert short.n_tokens.tolist() == [2, 1, 1]


def test_topics_are_breadth_first_after_some_were_lifted():
    parent, level = np.array([-1, 0, 0, 1, 2, 2, 3, 3, 4, 5]), np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3])
    n_docs = np.array([12, 8, 4, 8, 2, 2, 4, 4, 2, 2])
    short = TopicTree(parent, level, n_docs, n_docs).collapse_chains()
    short.check()
    assert short.original_ids.tolist() == [0, 1, 2, 6, 7, 4, 5]


def test_a_tree_without_chains_stays_as_it_is(tree):
    short = tree.collapse_chains()
    short.check()
    assert short.to_dict() == tree.prune().to_dict()


def test_a_tree_without_chains_can_be_exported_and_viewed_again(chained, tmp_path):
    short = chained.collapse_chains()
    assert "2 [4]" in short.render()
    assert len(short.to_csv().splitlines()) == 6
    assert short.explore(tmp_path / "tree.html").stat().st_size > 1000
    assert short.subtree(1).original_ids.tolist() == [1, 3, 4]
    assert short.prune(max_depth=1).original_ids.tolist() == [0, 1, 2]


def test_names_of_chains_are_those_of_their_first_topic(chained):
    chained.set_names({5: "goals"})
    assert chained.collapse_chains().names == {2: "goals"}
    chained.set_names({2: "sports"})
    assert chained.collapse_chains().names == {2: "sports"}


@pytest.mark.parametrize(
    "wrong", [{"min_docs": -1}, {"max_depth": -1}, {"min_share": 1.5}, {"min_share": float("nan")}, {"min_docs": 1.5}]
)
def test_wrong_limits_are_named(tree, wrong):
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        tree.prune(**wrong)
