"""Held-out perplexity: exact where it can be computed by hand, and sensible elsewhere."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.exceptions import NotFittedError

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus
from topicgrove.evaluation.completion import completion_perplexity, split_tokens
from topicgrove.prior import HyperParameters
from topicgrove.tree import TopicTree

UNLIKELY = 1e-4


def draw_counts(n_docs: int, seed: int, n_words: int = 40) -> NDArray[np.int64]:
    """Documents of four sparse topics, the same ones for every seed."""
    topics = np.random.default_rng(0).dirichlet(np.full(n_words, 0.1), 4)
    rng = np.random.default_rng(seed)
    mixed = 0.8 * topics[rng.integers(4, size=n_docs)] + 0.2 / n_words
    return np.array([rng.multinomial(30, p) for p in mixed])


@pytest.fixture(scope="module")
def model() -> HierarchicalLDA:
    settings: dict[str, Any] = {"beta": 0.2, "gamma": 0.1, "n_iter": 40, "init_iterations": 10, "random_state": 0}
    return HierarchicalLDA(3, **settings).fit(draw_counts(120, seed=1))


@pytest.fixture(scope="module")
def held_out() -> NDArray[np.int64]:
    return draw_counts(40, seed=2)


class TestExact:
    """Documents of two or three tokens hold one token out: p(w | observed) = E[sum_l theta_l phi_{c_l, w} | observed],
    which a sum over all paths and levels of the observed tokens gives.
    """

    ALPHA = (0.3, 1.0, 0.6)
    N_WORDS = 5

    def hyper(self) -> HyperParameters:
        return HyperParameters.of(3, alpha=self.ALPHA, beta=[0.5, 0.4, 0.3], gamma=[0.7, 0.2])

    def phi(self, counts: NDArray[np.int64], tree: TopicTree) -> NDArray[np.float64]:
        weights = counts + self.hyper().beta[tree.level][:, None]
        return weights / weights.sum(axis=1, keepdims=True)

    def exact(self, tree: TopicTree, counts: NDArray[np.int64], observed: Corpus, held: Corpus) -> float:
        phi = self.phi(counts, tree)
        gamma, alpha = np.exp(self.hyper().log_gamma), np.array(self.ALPHA)
        leaves = np.flatnonzero(tree.level == 2)
        log_likelihood = 0.0
        for d in range(held.n_docs):
            seen = observed.words[observed.offsets[d] : observed.offsets[d + 1]]
            (word,) = held.words[held.offsets[d] : held.offsets[d + 1]]
            evidence = joint = 0.0
            for leaf in leaves:
                path = tree.path(int(leaf))
                steps = [tree.n_docs[path[k + 1]] / (tree.n_docs[path[k]] + gamma[k]) for k in range(2)]
                for levels in itertools.product(range(3), repeat=len(seen)):
                    weight = float(np.prod(steps))
                    own = alpha.copy()
                    for v, level in zip(seen, levels, strict=True):
                        weight *= own[level] * phi[path[level], v]
                        own[level] += 1
                    evidence += weight
                    joint += weight * float(own / own.sum() @ phi[path, word])
            log_likelihood += np.log(joint / evidence)
        return float(np.exp(-log_likelihood / held.n_docs))

    @pytest.mark.parametrize("length", [2, 3])
    @pytest.mark.parametrize("parent", [[-1, 0, 1], [-1, 0, 0, 1, 1, 2]], ids=["a chain", "a tree of three leaves"])
    def test_perplexity_of_one_held_token_is_exact(self, parent: list[int], length: int) -> None:
        rng = np.random.default_rng(4)
        n_topics = len(parent)
        counts = rng.poisson(rng.gamma(0.3, 10.0, (n_topics, self.N_WORDS)))
        if n_topics == 3:
            level, n_docs = np.array([0, 1, 2]), np.array([9, 9, 9])
        else:
            level, n_docs = np.array([0, 1, 1, 2, 2, 2]), np.array([9, 6, 3, 4, 2, 3])
        tree = TopicTree(np.array(parent), level, n_docs, counts.sum(axis=1))
        corpus = Corpus.from_documents(rng.integers(0, self.N_WORDS, (200, length)).tolist(), self.N_WORDS)
        value = completion_perplexity(
            tree, sparse.csr_array(counts), self.hyper(), corpus, seed=3, n_samples=150, burn_in=20, n_threads=1
        )
        observed, held = split_tokens(corpus, np.random.default_rng(3))
        assert held.n_tokens == 200
        assert value == pytest.approx(self.exact(tree, counts, observed, held), rel=0.005)

    @pytest.mark.parametrize("count", [0, 10**6])
    def test_uniform_topics_have_a_perplexity_of_the_vocabularys_size(self, count: int) -> None:
        counts = np.full((3, 50), count)
        tree = TopicTree(np.array([-1, 0, 1]), np.arange(3), np.array([2, 2, 2]), counts.sum(axis=1))
        corpus = Corpus.from_matrix(np.random.default_rng(0).poisson(1.0, (20, 50)))
        hyper = HyperParameters.of(3, alpha=0.2, beta=0.1, gamma=1.0)
        value = completion_perplexity(
            tree, sparse.csr_array(counts), hyper, corpus, seed=0, n_samples=3, burn_in=2, n_threads=1
        )
        assert value == pytest.approx(50, rel=1e-5)


def test_a_seed_gives_one_value(model: HierarchicalLDA, held_out: NDArray[np.int64]) -> None:
    assert model.perplexity(held_out, random_state=7) == model.perplexity(held_out, random_state=7)
    assert model.perplexity(held_out, random_state=7) != model.perplexity(held_out, random_state=8)
    generators = [np.random.RandomState(3) for _ in range(2)]
    assert model.perplexity(held_out, random_state=generators[0]) == model.perplexity(
        held_out, random_state=generators[1]
    )


def test_threads_do_not_change_it(model: HierarchicalLDA) -> None:
    held_out = draw_counts(300, seed=5)
    before = model.n_jobs
    values = {model.set_params(n_jobs=n).perplexity(held_out, random_state=1, n_samples=3) for n in (1, 2, 4)}
    model.set_params(n_jobs=before)
    assert len(values) == 1


def test_seeds_differ_by_little(model: HierarchicalLDA, held_out: NDArray[np.int64]) -> None:
    values = [model.perplexity(held_out, random_state=seed) for seed in range(6)]
    assert np.std(values) < 0.05 * np.mean(values)


def test_documents_of_the_same_topics_are_predicted_better_than_shuffled_words(
    model: HierarchicalLDA, held_out: NDArray[np.int64]
) -> None:
    shuffled = np.random.default_rng(0).permuted(held_out, axis=1)
    assert model.perplexity(held_out, random_state=0) < 0.7 * model.perplexity(shuffled, random_state=0)
    assert model.perplexity(held_out, random_state=0) < held_out.shape[1]


def test_a_trained_tree_predicts_better_than_its_root_alone(
    held_out: NDArray[np.int64], model: HierarchicalLDA
) -> None:
    alone = HierarchicalLDA(3, beta=0.2, gamma=1e-300, n_iter=20, init="monte_carlo", random_state=0).fit(
        draw_counts(120, seed=1)
    )
    assert len(alone.tree_) == 3
    assert model.perplexity(held_out, random_state=0) < 0.9 * alone.perplexity(held_out, random_state=0)


def test_more_chains_predict_no_worse(model: HierarchicalLDA, held_out: NDArray[np.int64]) -> None:
    """The logarithm of a mean over more samples is larger in expectation."""
    one, many = (model.perplexity(held_out, random_state=0, n_samples=n) for n in (1, 30))
    assert many < one


def test_scoring_changes_nothing_in_the_model(model: HierarchicalLDA, held_out: NDArray[np.int64]) -> None:
    counts, paths = model.topic_word_counts_.toarray(), model.paths_.copy()
    n_docs, levels = model.tree_.n_docs.copy(), model.token_levels_.copy()
    model.perplexity(held_out, random_state=0)
    np.testing.assert_array_equal(model.topic_word_counts_.toarray(), counts)
    np.testing.assert_array_equal(model.paths_, paths)
    np.testing.assert_array_equal(model.tree_.n_docs, n_docs)
    np.testing.assert_array_equal(model.token_levels_, levels)


def test_sparse_and_dense_documents_have_the_same_perplexity(
    model: HierarchicalLDA, held_out: NDArray[np.int64]
) -> None:
    values = {model.perplexity(X, random_state=0) for X in (held_out, sparse.csr_array(held_out))}
    assert len(values) == 1


def test_documents_of_one_token_predict_nothing(model: HierarchicalLDA) -> None:
    with pytest.raises(ValueError, match="two tokens"):
        model.perplexity(np.eye(40, dtype=int), random_state=0)


def test_short_and_empty_documents_beside_others_are_passed_over(
    model: HierarchicalLDA, held_out: NDArray[np.int64]
) -> None:
    mixed = np.vstack([np.eye(40, dtype=int)[:5], held_out, np.zeros((3, 40), int)])
    value = model.perplexity(mixed, random_state=0)
    assert value == pytest.approx(model.perplexity(held_out, random_state=0), rel=0.2)


def test_words_that_training_never_saw_have_a_finite_perplexity() -> None:
    X = np.pad(draw_counts(40, seed=1), ((0, 0), (0, 3)))
    model = HierarchicalLDA(3, gamma=0.1, n_iter=5, random_state=0).fit(X)
    unseen = np.zeros((2, 43), int)
    unseen[:, 40:] = 4
    assert np.isfinite(model.perplexity(unseen, random_state=0))


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_every_sampler_learns_what_the_documents_share(held_out: NDArray[np.int64], sampler: str) -> None:
    model = HierarchicalLDA(3, beta=0.2, gamma=0.1, sampler=sampler, n_iter=40, random_state=0)
    assert model.fit(draw_counts(120, seed=1)).perplexity(held_out, random_state=0) < 25


class TestErrors:
    def test_an_unfitted_model_is_refused(self, held_out: NDArray[np.int64]) -> None:
        with pytest.raises(NotFittedError, match="fit"):
            HierarchicalLDA().perplexity(held_out)

    @pytest.mark.parametrize("n_words", [39, 41])
    def test_another_vocabulary_is_refused(self, model: HierarchicalLDA, n_words: int) -> None:
        with pytest.raises(ValueError, match=rf"{n_words} features.*40"):
            model.perplexity(np.ones((3, n_words), int))

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            *(("n_samples", value) for value in (0, -1, 1.5, "3", None)),
            *(("burn_in", value) for value in (0, -1, 2.0, None)),
            *(("random_state", value) for value in (-1, "0", 2**63, 0.5)),
        ],
    )
    def test_bad_arguments_are_refused_by_name(
        self, model: HierarchicalLDA, held_out: NDArray[np.int64], name: str, value: Any
    ) -> None:
        options: dict[str, Any] = {"random_state": 0} | {name: value}
        with pytest.raises((ValueError, TypeError), match=name):
            model.perplexity(held_out, **options)

    @pytest.mark.parametrize("X", [np.zeros((3, 40), int), -np.ones((3, 40), int), np.full((3, 40), 0.5), np.ones(40)])
    def test_bad_counts_are_refused(self, model: HierarchicalLDA, X: NDArray[Any]) -> None:
        with pytest.raises(ValueError, match="X has"):
            model.perplexity(X, random_state=0)


class TestSplit:
    def corpus(self, lengths: list[int], n_words: int = 9) -> Corpus:
        rng = np.random.default_rng(1)
        return Corpus.from_documents([rng.integers(0, n_words, n).tolist() for n in lengths], n_words)

    def test_halves_are_exact_and_an_odd_token_is_observed(self) -> None:
        corpus = self.corpus([0, 1, 2, 3, 10, 11, 500])
        observed, held = split_tokens(corpus, np.random.default_rng(0))
        assert held.document_lengths.tolist() == [0, 0, 1, 1, 5, 5, 250]
        assert observed.document_lengths.tolist() == [0, 1, 1, 2, 5, 6, 250]

    def test_halves_together_are_the_document(self) -> None:
        corpus = self.corpus([7, 0, 30, 1, 12])
        observed, held = split_tokens(corpus, np.random.default_rng(0))
        total = observed.to_csr().toarray() + held.to_csr().toarray()
        np.testing.assert_array_equal(total, corpus.to_csr().toarray())

    def test_every_token_is_as_likely_to_be_held(self) -> None:
        corpus = Corpus.from_documents([[0, 1, 2, 3, 4, 5], [6, 7, 8]], 9)
        rng = np.random.default_rng(2)
        held = sum(split_tokens(corpus, rng)[1].to_csr().toarray().sum(axis=0) for _ in range(2_000))
        assert stats.chisquare(held[:6]).pvalue > UNLIKELY
        assert stats.chisquare(held[6:]).pvalue > UNLIKELY
