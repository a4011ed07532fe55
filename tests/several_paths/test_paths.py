"""Main paths: where the documents on a topic explain a document best."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from topicgrove.several_paths.paths import explained_paths, profiles_of, word_counts

PARENT = np.array([-1, 0, 0, 0, 1, 1])
COUNTS = sparse.csr_array([[9, 9, 0, 0], [0, 0, 0, 0], [0, 0, 0, 9], [0, 9, 0, 0], [5, 0, 0, 0], [0, 0, 5, 0]])
OWN = sparse.csr_array([[5, 0, 0, 0, 5, 0], [5, 0, 0, 0, 0, 5], [4, 0, 9, 0, 0, 0], [4, 0, 0, 0, 0, 0]])
PATHS = np.array([[0, 1, 4], [0, 1, 5], [0, 2, -1], [0, 2, -1]])


def explained(documents, profiles=None):
    profiles = profiles_of(PATHS, OWN) if profiles is None else profiles
    return explained_paths(PARENT, profiles, COUNTS, sparse.csr_array(documents), 3).tolist()


def test_documents_go_where_documents_like_them_are():
    assert explained([[3, 1, 0, 0], [1, 1, 4, 0], [1, 1, 0, 4]]) == [[0, 1, 4], [0, 1, 5], [0, 2, -1]]


def test_a_topic_without_documents_gets_none():
    """Topic 3 explains the second word alone, but no document is on it."""
    assert explained([[0, 5, 0, 0]])[0][1] != 3


def test_words_are_counted_without_changing_the_corpus():
    words, offsets = np.array([0, 0, 2, 1, 1], np.int32), np.array([0, 3, 3, 5])
    assert word_counts(words, offsets, 3).toarray().tolist() == [[2, 0, 1], [0, 0, 0], [0, 2, 0]]
    assert words.tolist() == [0, 0, 2, 1, 1]
