"""Edge cases of corpora: empty documents, one document, one word, one token, a million tokens."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import sparse

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus

SAMPLERS = ["cgs", "pcgs", "bgs"]


def fit(X: Any, sampler: str = "pcgs", **options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.5, "gamma": 1.0, "n_iter": 5, "random_state": 2}
    return HierarchicalLDA(sampler=sampler, **(settings | options)).fit(X)


def with_empty(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every third document is empty, and so are the first and the last."""
    X = counts.copy()
    X[::3] = 0
    X[-1] = 0
    return X


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_empty_documents_are_kept_with_one_warning_of_their_number(
    counts: NDArray[np.int64], sampler: str, n_jobs: int
) -> None:
    X = with_empty(counts)
    n_empty = int((X.sum(axis=1) == 0).sum())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit(X, sampler, n_jobs=n_jobs)
    assert len(caught) == 1
    assert caught[0].category is UserWarning
    assert f"{n_empty} of {len(X)} documents are empty" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert model.paths_.min() >= 0
    assert model.tree_.n_docs[0] == len(X)


def test_empty_documents_take_paths_from_the_prior() -> None:
    """One full document among many empty ones: their seating is a Chinese restaurant's, so tables ~ gamma log n."""
    X = np.zeros((200, 4), int)
    X[0] = 1
    n_children = []
    with pytest.warns(UserWarning, match="199 of 200"):
        fit(
            X,
            "cgs",
            n_levels=2,
            gamma=2.0,
            n_iter=300,
            callbacks=[lambda event: n_children.append(event.n_topics_per_level[1])],
        )
    expected = (2.0 / (2.0 + np.arange(200))).sum()
    assert np.mean(n_children[20:]) == pytest.approx(expected, rel=0.15)


@pytest.mark.filterwarnings("ignore:.*documents are empty")
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_all_documents_but_one_may_be_empty(sampler: str) -> None:
    X = np.zeros((10, 3), int)
    X[4, 1] = 2
    model = fit(X, sampler)
    assert np.isfinite(model.log_joint_)
    assert model.tree_.n_tokens.sum() == 2


@pytest.mark.parametrize("init", ["monte_carlo", "bottom_up", "progressive", "none"])
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    "X",
    [
        np.array([[3, 1, 4]]),
        np.array([[1]]),
        np.full((20, 1), 3),
        np.eye(15, dtype=int),
        np.ones((40, 1), int),
        np.pad(np.ones((4, 2), int), ((0, 0), (0, 2_000))),
    ],
    ids=["one document", "one token", "one word type", "one-token documents", "the same token", "unused words"],
)
def test_the_smallest_corpora_train(X: NDArray[np.int64], sampler: str, init: str) -> None:
    for n_jobs in (1, 3):
        model = fit(X, sampler, init=init, init_samples=2, n_jobs=n_jobs, collapse_below=2)
        assert np.isfinite(model.log_joint_)
        assert model.tree_.n_docs[0] == len(X)
        assert model.tree_.n_tokens.sum() == X.sum()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_document_of_a_million_tokens_trains(sampler: str) -> None:
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.full(500, 0.2))
    X = np.vstack([rng.multinomial(1_000_000, phi), rng.multinomial(50, phi, 20)])
    model = fit(X, sampler, n_iter=3, n_jobs=2, collapse_below=4)
    assert np.isfinite(model.log_joint_)
    assert_array_equal(np.asarray(model.topic_word_counts_.sum(axis=0)).ravel(), X.sum(axis=0))


def test_one_word_a_million_times_trains() -> None:
    model = fit(np.array([[1_000_000, 1], [0, 3]]), n_iter=3)
    assert np.isfinite(model.log_joint_)
    assert model.tree_.n_tokens.sum() == 1_000_004


@pytest.mark.parametrize("n_levels", [2, 6, 30, 64])
def test_trees_may_be_shallow_or_deep(counts: NDArray[np.int64], n_levels: int) -> None:
    model = fit(counts, "pcgs", n_levels=n_levels, collapse_below=5)
    assert model.tree_.n_levels == n_levels
    assert len(model.tree_.n_topics_per_level) == n_levels


@pytest.mark.parametrize(("n_levels", "free_children"), [(64, 2), (6, 1000)])
def test_a_blocked_tree_beyond_the_memory_is_refused(
    counts: NDArray[np.int64], n_levels: int, free_children: int
) -> None:
    with pytest.raises(ValueError, match=f"n_levels={n_levels} and free_children={free_children} make at least"):
        fit(counts, "bgs", n_levels=n_levels, free_children=free_children)


def test_a_blocked_tree_may_be_deep_if_it_is_narrow(counts: NDArray[np.int64]) -> None:
    fit(counts, "bgs", n_levels=30, free_children=1).tree_.check()


def test_unsorted_and_duplicate_entries_are_the_same_counts() -> None:
    tidy = sparse.csr_array(np.array([[2, 0, 1], [0, 3, 0]]))
    untidy = sparse.csr_array((np.array([1, 1, 1, 2, 1]), np.array([2, 0, 0, 1, 1]), np.array([0, 3, 5])), shape=(2, 3))
    assert_array_equal(fit(tidy).token_levels_, fit(untidy).token_levels_)


def test_a_corpus_with_a_vocabulary_trains() -> None:
    corpus = Corpus.from_documents([[0, 1, 1], [2, 2]], vocabulary=["tree", "leaf", "root"])
    assert fit(corpus).paths_.shape == (2, 3)


def test_a_long_and_a_short_document_without_a_start() -> None:
    """The priors of two words have V beta = .5 on a level where the short document has no token."""
    model = HierarchicalLDA(n_iter=1, init="none", random_state=0).fit(Corpus.from_documents([[0] * 1000, [1]]))
    assert model.tree_.n_docs[0] == 2
