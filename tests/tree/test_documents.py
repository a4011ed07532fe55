import numpy as np
import pytest

from topicgrove.tree import Documents, TopicTree


def two_topics(level_counts, **names) -> TopicTree:
    level_counts = np.array(level_counts)
    n = len(level_counts)
    documents = Documents(np.array([[0, 1]] * n), level_counts, **names)
    return TopicTree(
        np.array([-1, 0]), np.array([0, 1]), np.array([n, n]), level_counts.sum(axis=0), documents=documents
    )


def test_shares_are_smoothed_by_the_mean_document():
    counts = np.array([[5, 15], [10, 10], [2, 0]])
    tree = two_topics(counts)
    lengths, share = counts.sum(axis=1), counts[:, 1].sum() / counts.sum()
    expected = (counts[:, 1] + lengths.mean() * share) / (lengths + lengths.mean())
    found = tree.representative_documents(1)
    assert [d.index for d in found] == np.argsort(-expected).tolist()
    assert [d.share for d in found] == pytest.approx(sorted(expected, reverse=True))


def test_a_short_document_does_not_win_by_accident():
    tree = two_topics([[0, 1], [10, 90], [60, 40]])
    assert [d.index for d in tree.representative_documents(1)] == [1, 0, 2]


def test_only_documents_through_the_topic_stand_for_it(tree):
    for topic in range(len(tree)):
        expected = np.flatnonzero(tree.documents.paths[:, tree.level[topic]] == topic)
        assert sorted(d.index for d in tree.representative_documents(topic, 100)) == expected.tolist()


def test_names_come_along(tree):
    document = tree.representative_documents(6)[0]
    assert (document.index, document.id, document.title) == (8, "doc-8", "Title 8")


def test_without_names_the_id_is_the_index():
    document = two_topics([[1, 1]]).representative_documents(0)[0]
    assert (document.id, document.title) == ("0", None)


def test_empty_documents_stand_for_nothing():
    assert two_topics([[0, 0], [0, 0]]).representative_documents(1) == []


def test_a_tree_without_documents_says_so(make_tree):
    with pytest.raises(ValueError, match="no documents"):
        make_tree(documents=None).representative_documents(0)
