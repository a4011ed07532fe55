import numpy as np
import pytest


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
    tree.set_labels({2: "sports", 1: "space"})
    below = tree.subtree(2)
    assert below.labels == {0: "sports"}
    below.set_labels({0: "games"})
    assert tree.label(2) == "sports"


def test_pruning_leaves_the_tree_as_it_was(tree):
    before = tree.to_json()
    tree.prune(min_docs=4)
    assert tree.to_json() == before


@pytest.mark.parametrize(
    "wrong", [{"min_docs": -1}, {"max_depth": -1}, {"min_share": 1.5}, {"min_share": float("nan")}, {"min_docs": 1.5}]
)
def test_wrong_limits_are_named(tree, wrong):
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        tree.prune(**wrong)
