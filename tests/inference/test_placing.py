"""New documents in a trained tree: promises of transform and predict_paths for any document."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

from topicgrove import Corpus, HierarchicalLDA


def test_shares_are_proportions(model: HierarchicalLDA, held_out: Any) -> None:
    shares = model.transform(held_out.counts)
    assert shares.shape == (len(held_out.counts), len(model.tree_))
    assert (shares >= 0).all()
    assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_document_is_placed_alike_in_any_order_batch_and_number_of_threads(
    model: HierarchicalLDA, held_out: Any, n_jobs: int | None
) -> None:
    X = held_out.counts
    together = model.transform(X)
    model.set_params(n_jobs=n_jobs)
    order = np.random.default_rng(0).permutation(len(X))
    assert_array_equal(model.transform(X[order]), together[order])
    assert_array_equal(np.vstack([model.transform(X[:7]), model.transform(X[7:])]), together)
    assert_array_equal(model.transform(X[3:4]), together[3:4])
    model.set_params(n_jobs=None)


def test_placing_changes_nothing_and_repeats(model: HierarchicalLDA, held_out: Any) -> None:
    before = model.topic_word_counts_.toarray()
    first, second = model.transform(held_out.counts), model.transform(held_out.counts)
    assert_array_equal(first, second)
    assert_array_equal(model.topic_word_counts_.toarray(), before)


def test_sparse_dense_frame_and_corpus_are_placed_alike(model: HierarchicalLDA, held_out: Any) -> None:
    X = held_out.counts
    dense = model.transform(X)
    for same in (sparse.csr_array(X), sparse.coo_matrix(X), X.astype(np.float32), X.tolist(), Corpus.from_matrix(X)):
        assert_array_equal(model.transform(same), dense)


def test_empty_documents_get_the_prior(model: HierarchicalLDA, held_out: Any) -> None:
    X = held_out.counts[:3].copy()
    X[1] = 0
    tree, alpha = model.tree_, model.hyper_parameters_.alpha
    expected = alpha[tree.level] / alpha.sum() * tree.n_docs / tree.n_docs[0]
    shares = model.transform(X)
    assert_allclose(shares[1], expected / expected.sum(), rtol=1e-12)
    assert_array_equal(shares[[0, 2]], model.transform(held_out.counts[[0, 2]]))
    paths, distribution = model.predict_paths(X, return_distribution=True)
    leaves = np.flatnonzero(tree.level == 2)
    assert_allclose(distribution[[1]].toarray()[0, leaves], tree.n_docs[leaves] / tree.n_docs[0])
    assert paths[1, -1] == leaves[np.argmax(tree.n_docs[leaves])]


def test_a_batch_of_empty_documents_is_placed(model: HierarchicalLDA) -> None:
    nothing = np.zeros((2, model.n_features_in_), int)
    assert_allclose(model.transform(nothing).sum(axis=1), 1.0)
    assert_array_equal(model.infer(nothing).log_probability, 0.0)


def test_paths_follow_the_tree(model: HierarchicalLDA, held_out: Any) -> None:
    tree, paths = model.tree_, model.predict_paths(held_out.counts)
    assert paths.shape == (len(held_out.counts), 3)
    assert (paths[:, 0] == 0).all()
    for level in (1, 2):
        assert_array_equal(tree.parent[paths[:, level]], paths[:, level - 1])
        assert (tree.level[paths[:, level]] == level).all()


def test_the_distribution_over_paths_sums_to_one_and_peaks_at_the_best(model: HierarchicalLDA, held_out: Any) -> None:
    paths, distribution = model.predict_paths(held_out.counts, return_distribution=True)
    dense = distribution.toarray()
    assert dense.shape == (len(held_out.counts), len(model.tree_))
    assert_allclose(dense.sum(axis=1), 1.0)
    assert (dense[:, model.tree_.level < 2] == 0).all()
    assert_allclose(dense[np.arange(len(dense)), paths[:, -1]], dense.max(axis=1))


def test_log_probabilities_are_those_of_words(model: HierarchicalLDA, held_out: Any) -> None:
    inferred = model.infer(held_out.counts)
    per_token = inferred.log_probability / held_out.counts.sum(axis=1)
    assert np.isfinite(per_token).all()
    assert (per_token < 0).all()
    # Words are spread over 18 of the 60 evenly: nothing can be far better than 1/18 or, in a right place, far worse.
    assert -np.log(18) - 0.5 < per_token.mean() < -np.log(18) + 0.5


@pytest.mark.parametrize("method", ["transform", "predict_paths", "infer", "score", "perplexity"])
def test_another_number_of_words_is_refused(model: HierarchicalLDA, held_out: Any, method: str) -> None:
    ask = getattr(model, method)
    n_words = held_out.counts.shape[1]
    with pytest.raises(ValueError, match=f"X has {n_words - 1} .*{n_words}"):
        ask(held_out.counts[:, 1:])
    with pytest.raises(ValueError, match=f"X has {n_words - 1} .*{n_words}"):
        ask(Corpus.from_matrix(held_out.counts[:, 1:]))


@pytest.mark.parametrize("method", ["transform", "predict_paths", "infer", "score", "perplexity", "save"])
def test_a_model_without_training_says_so(method: str) -> None:
    with pytest.raises(NotFittedError, match="HierarchicalLDA"):
        getattr(HierarchicalLDA(), method)([[1, 2]])


def test_a_corpus_with_words_the_tree_does_not_know_has_them_dropped_and_counted() -> None:
    corpus = Corpus.from_texts(["moon orbit rocket", "goal team match"] * 5, min_df=1, stop_words=None)
    model = HierarchicalLDA(2, n_iter=5, random_state=0).fit(corpus)
    assert corpus.rules is not None
    new = Corpus.from_texts(["moon zebra orbit", "zebra"], vocabulary=corpus.vocabulary, stop_words=None)
    assert (new.n_tokens, new.n_unknown_words) == (2, 2)
    assert_allclose(model.transform(new).sum(axis=1), 1.0)
