"""A valid tree passes; every way to break one is refused by name."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse


def test_a_whole_tree_passes(tree, make_tree):
    tree.check()
    make_tree(word_counts=None, vocabulary=None, beta=None, documents=None).check()


def changed(array, place, value):
    array = np.array(array)
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("parent", 0, 0, "root"),
        ("level", 0, 1, "root"),
        ("parent", 3, -1, "topic 3: there is no parent"),
        ("parent", 2, 2, "topic 2: the parent does not come before"),
        ("parent", 1, 4, "topic 1: the parent does not come before"),
        ("parent", 6, 99, "topic 6: the parent does not come before"),
        ("parent", 3, 2, "topic 4: topics are not breadth first"),
        ("level", 5, 1, "topic 5: the level"),
        ("n_tokens", 4, -1, "topic 4: n_tokens is negative"),
        ("n_docs", 6, -1, "topic 6: n_docs is negative"),
        ("n_docs", 3, 5, "topic 1: n_docs is less"),
        ("n_docs", 3, 3, "topic 1: n_docs is more"),
        ("n_tokens", 4, 6, "topic 4: n_tokens is not the sum of word_counts"),
    ],
)
def test_broken_arrays_are_refused(tree, name, place, value, message):
    with pytest.raises(ValueError, match=message):
        replace(tree, **{name: changed(getattr(tree, name), place, value)}).check()


@pytest.mark.parametrize("array", [np.zeros(6, int), np.zeros(7), np.zeros((7, 1), int), [0] * 7])
def test_arrays_of_another_form_are_refused(tree, array):
    with pytest.raises(ValueError, match="n_docs must be an array of integers, one for each of 7 topics"):
        replace(tree, n_docs=array).check()


def test_an_empty_tree_is_refused(make_tree):
    nothing = np.zeros(0, int)
    with pytest.raises(ValueError, match="root"):
        make_tree(parent=nothing, level=nothing, n_docs=nothing, n_tokens=nothing).check()


def test_a_topic_with_documents_and_no_children_above_the_leaves_is_refused(make_tree):
    tree = make_tree(
        parent=np.array([-1, 0, 0, 1]),
        level=np.array([0, 1, 1, 2]),
        n_docs=np.array([3, 2, 1, 2]),
        n_tokens=np.ones(4, int),
        word_counts=None,
        documents=None,
    )
    with pytest.raises(ValueError, match="topic 2: n_docs is more"):
        tree.check()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"word_counts": sparse.csr_array(np.ones((6, 8), int))}, "word_counts has shape"),
        ({"word_counts": sparse.csr_array(np.ones((7, 8)))}, "word_counts has shape .* of float64"),
        ({"vocabulary": ("a", "b")}, "vocabulary has 2 words; word_counts has 8 columns"),
        ({"beta": np.array([1.0, 1.0])}, "beta must be positive"),
        ({"beta": np.array([1.0, np.nan, 1.0])}, "beta must be positive"),
        ({"names": {7: "x"}}, "names has 7"),
        ({"names": {1: 5}}, "names has 1: 5"),
    ],
)
def test_words_and_labels_that_do_not_fit_are_refused(make_tree, changes, message):
    with pytest.raises(ValueError, match=message):
        make_tree(**changes).check()


def test_negative_word_counts_are_refused(make_tree, tree):
    counts = tree.word_counts.toarray()
    counts[3, 0], counts[3, 2] = -1, counts[3, 2] + 1
    with pytest.raises(ValueError, match="negative"):
        make_tree(word_counts=sparse.csr_array(counts)).check()


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("paths", (0, 2), 5, "document 0 is no path"),
        ("paths", (2, 0), 1, "document 2 is no path"),
        ("paths", (0, 2), 7, "paths has topics from 0 to 7"),
        ("paths", (0, 2), -1, "paths has topics from -1"),
        ("paths", (0, 2), 4, "topic 3: n_docs is not what paths say"),
        ("level_counts", (0, 0), -1, "negative"),
        ("level_counts", (0, 0), 50, "topic 0: n_tokens is not what level_counts say"),
    ],
)
def test_documents_that_do_not_fit_are_refused(tree, name, place, value, message):
    documents = replace(tree.documents, **{name: changed(getattr(tree.documents, name), place, value)})
    with pytest.raises(ValueError, match=message):
        replace(tree, documents=documents).check()


def test_fractional_paths_are_refused(tree):
    documents = replace(tree.documents, paths=tree.documents.paths.astype(float))
    with pytest.raises(ValueError, match="must be integers, not float64"):
        replace(tree, documents=documents).check()


def test_names_of_another_number_are_refused(tree):
    with pytest.raises(ValueError, match="documents has 1 ids; it must have 9"):
        replace(tree, documents=replace(tree.documents, ids=("a",))).check()
