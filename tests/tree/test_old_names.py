"""Old names with "label" are still accepted, for the classes of documents and the names of topics."""

import numpy as np
import pytest

from topicgrove import Corpus, TopicTree, build_store, open_store, read_corpus


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "an old tree", "section": "a/b"}\n{"text": "old leaves", "section": "c"}\n')
    return path


def test_label_field_reads_classes(texts, tmp_path):
    expected = (("a", "b"), ("c",))
    assert read_corpus(texts, class_field="section").classes == expected
    assert read_corpus(texts, label_field="section").labels == expected
    assert build_store(texts, tmp_path / "store", label_field="section").classes == expected
    assert open_store(tmp_path / "store").classes == expected


def test_old_and_new_name_together_are_refused(texts):
    with pytest.raises(TypeError, match="label_field is the old name of class_field"):
        read_corpus(texts, class_field="section", label_field="section")


def test_a_corpus_can_be_made_with_labels():
    corpus = Corpus(np.zeros(1, np.int32), np.array([0, 1]), 1, labels=[("a",)])
    assert corpus.classes == corpus.labels == [("a",)]


def test_topics_can_be_named_by_the_old_methods():
    tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]), labels={0: "all"})
    assert tree.names == tree.labels == {0: "all"}
    tree.set_labels({0: "everything"})
    assert (tree.label(0), tree.name(0), tree.word_label(0)) == ("everything", "everything", "topic 0")
