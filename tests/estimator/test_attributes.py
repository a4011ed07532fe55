"""Attributes of a fitted model: their shapes and types, and that they agree with each other."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import sparse

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus

SAMPLERS = ["cgs", "pcgs", "bgs"]
N_LEVELS = [2, 3, 6]


def fit(X: Any, n_levels: int = 3, **options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"beta": 0.2, "gamma": 1.0, "n_iter": 8, "init_iterations": 3, "random_state": 4}
    return HierarchicalLDA(n_levels, **(settings | options)).fit(X)


@pytest.fixture(params=[(s, n, j) for s in SAMPLERS for n in N_LEVELS for j in (1, 3)], ids=str)
def model(request: pytest.FixtureRequest, counts: NDArray[np.int64]) -> HierarchicalLDA:
    sampler, n_levels, n_jobs = request.param
    return fit(counts, n_levels, sampler=sampler, n_jobs=n_jobs, collapse_below=6)


def test_arrays_have_their_shapes_and_types(model: HierarchicalLDA, counts: NDArray[np.int64]) -> None:
    n_topics = len(model.tree_)
    assert model.paths_.shape == (len(counts), model.n_levels)
    assert model.paths_.dtype == np.int32
    assert model.token_levels_.shape == (counts.sum(),)
    assert model.token_levels_.dtype == np.uint8
    assert sparse.issparse(model.topic_word_counts_)
    assert model.topic_word_counts_.format == "csr"
    assert model.topic_word_counts_.shape == (n_topics, counts.shape[1])
    assert model.topic_word_counts_.dtype.kind == "i"
    assert isinstance(model.log_joint_, float)
    assert np.isfinite(model.log_joint_)
    assert model.n_features_in_ == counts.shape[1]
    for array in (model.tree_.parent, model.tree_.level, model.tree_.n_docs, model.tree_.n_tokens):
        assert array.shape == (n_topics,)
        assert array.dtype == np.int64


def test_topics_are_numbered_breadth_first(model: HierarchicalLDA) -> None:
    tree = model.tree_
    assert (tree.parent[0], tree.level[0]) == (-1, 0)
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()
    assert (tree.parent[1:] >= 0).all()
    assert (np.diff(tree.level) >= 0).all()
    assert (np.diff(tree.parent[1:]) >= 0).all()
    assert_array_equal(tree.level[1:], tree.level[tree.parent[1:]] + 1)
    assert tree.level.max() == model.n_levels - 1 == tree.n_levels - 1


def test_siblings_come_with_most_documents_first(model: HierarchicalLDA) -> None:
    for children in model.tree_.children:
        assert (np.diff(model.tree_.n_docs[children]) <= 0).all()


def test_children_and_paths_of_the_tree_follow_its_parents(model: HierarchicalLDA) -> None:
    tree = model.tree_
    for topic, children in enumerate(tree.children):
        assert (tree.parent[children] == topic).all()
        path = tree.path(topic)
        assert len(path) == tree.level[topic] + 1
        assert path[0] == 0
        assert path[-1] == topic
    assert sum(map(len, tree.children)) == len(tree) - 1


def test_no_topic_is_dead_and_documents_add_up(model: HierarchicalLDA) -> None:
    tree = model.tree_
    assert (tree.n_docs > 0).all()
    assert tree.n_docs[0] == len(model.paths_)
    for topic, children in enumerate(tree.children):
        if tree.level[topic] < model.n_levels - 1:
            assert tree.n_docs[children].sum() == tree.n_docs[topic]
        else:
            assert len(children) == 0


def test_paths_run_along_the_tree(model: HierarchicalLDA) -> None:
    assert (model.paths_[:, 0] == 0).all()
    for level in range(1, model.n_levels):
        assert_array_equal(model.tree_.parent[model.paths_[:, level]], model.paths_[:, level - 1])
    assert_array_equal(np.bincount(model.paths_.ravel(), minlength=len(model.tree_)), model.tree_.n_docs)


def test_counts_are_those_of_the_assignments(model: HierarchicalLDA, counts: NDArray[np.int64]) -> None:
    assert model.token_levels_.max() < model.n_levels
    expected = np.zeros(model.topic_word_counts_.shape, int)
    n = 0
    for d, row in enumerate(counts):
        for word in np.repeat(np.arange(len(row)), row):
            expected[model.paths_[d, model.token_levels_[n]], word] += 1
            n += 1
    assert_array_equal(model.topic_word_counts_.toarray(), expected)
    assert_array_equal(model.tree_.n_tokens, expected.sum(axis=1))
    assert_array_equal(expected.sum(axis=0), counts.sum(axis=0))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_kind_of_matrix_does_not_matter(counts: NDArray[np.int64], sampler: str) -> None:
    reference = fit(counts, sampler=sampler)
    kinds = [
        sparse.csr_array(counts), sparse.csr_matrix(counts), sparse.coo_array(counts), sparse.csc_array(counts),
        counts.astype(np.float64), counts.astype(np.uint8), np.asfortranarray(counts), counts.tolist(),
        Corpus.from_matrix(counts),
    ]  # fmt: skip
    for kind in kinds:
        model = fit(kind, sampler=sampler)
        assert_array_equal(model.paths_, reference.paths_)
        assert_array_equal(model.token_levels_, reference.token_levels_)
        assert model.log_joint_ == reference.log_joint_


def test_the_callers_matrix_is_left_alone(counts: NDArray[np.int64]) -> None:
    before, matrix = counts.copy(), sparse.csr_array(counts)
    fit(counts)
    fit(matrix)
    assert_array_equal(counts, before)
    assert_array_equal(matrix.toarray(), before)


def test_the_callers_corpus_is_left_alone(counts: NDArray[np.int64]) -> None:
    corpus = Corpus.from_matrix(counts)
    words, offsets = corpus.words.copy(), corpus.offsets.copy()
    fit(corpus)
    assert_array_equal(corpus.words, words)
    assert_array_equal(corpus.offsets, offsets)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_read_only_input_is_accepted(counts: NDArray[np.int64], sampler: str) -> None:
    reference = fit(counts, sampler=sampler)
    matrix, corpus = sparse.csr_array(counts), Corpus.from_matrix(counts)
    for array in (counts, matrix.data, matrix.indices, matrix.indptr, corpus.words, corpus.offsets):
        array.flags.writeable = False
    for X in (counts, matrix, corpus):
        model = fit(X, sampler=sampler)
        assert_array_equal(model.paths_, reference.paths_)
        assert np.isfinite(model.perplexity(X, random_state=0, n_samples=1))


def test_memory_mapped_input_is_accepted(counts: NDArray[np.int64], tmp_path: Any) -> None:
    np.save(tmp_path / "counts.npy", counts)
    mapped = np.load(tmp_path / "counts.npy", mmap_mode="r")
    assert_array_equal(fit(mapped).paths_, fit(counts).paths_)


def test_fitting_again_forgets_the_first_fit(counts: NDArray[np.int64]) -> None:
    model = fit(counts)
    fresh = fit(counts[:20, :10])
    model.fit(counts[:20, :10])
    assert_array_equal(model.paths_, fresh.paths_)
    assert model.n_features_in_ == 10
