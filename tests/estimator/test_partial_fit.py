"""Adding documents to a trained tree: the old ones keep their places, and everything still adds up."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove import Corpus, HierarchicalLDA, load

Counts = NDArray[np.int64]


def make_model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.2, "gamma": 0.1, "n_iter": 15, "random_state": 0}
    return HierarchicalLDA(**(settings | options))


def split(counts: Counts) -> tuple[Counts, Counts]:
    return counts[:40], counts[40:]


def new_names(before: NDArray[np.int32], now: NDArray[np.int32]) -> dict[int, int]:
    """Map old topic ids to new ones; no topic gets two names."""
    pairs = set(zip(before.ravel().tolist(), now[: len(before)].ravel().tolist(), strict=True))
    renamed = dict(pairs)
    assert len(pairs) == len(renamed) == len(set(renamed.values()))
    return renamed


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_counts_are_those_of_the_assignments(counts: Counts, n_jobs: int) -> None:
    old, new = split(counts)
    model = make_model(n_jobs=n_jobs).fit(old).partial_fit(new)
    corpus = Corpus.from_matrix(counts)
    document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
    expected = np.zeros((len(model.tree_), corpus.n_words), np.int64)
    np.add.at(expected, (model.paths_[document, model.token_levels_], corpus.words), 1)
    assert_array_equal(model.topic_word_counts_.toarray(), expected)
    assert_array_equal(model.tree_.n_tokens, expected.sum(axis=1))
    assert_array_equal(model.tree_.n_docs, np.bincount(model.paths_.ravel(), minlength=len(model.tree_)))
    assert model.paths_.shape == (len(counts), 3)
    model.tree_.check()
    assert np.isfinite(model.log_joint_)


def test_old_documents_keep_their_topics_and_tokens_their_levels(counts: Counts) -> None:
    old, new = split(counts)
    model = make_model().fit(old)
    paths, levels = model.paths_.copy(), model.token_levels_.copy()
    model.partial_fit(new)
    new_names(paths, model.paths_)
    assert_array_equal(model.token_levels_[: len(levels)], levels)


def test_labels_follow_their_topics(counts: Counts) -> None:
    old, new = split(counts)
    model = make_model().fit(old)
    paths = model.paths_.copy()
    model.tree_.set_names({topic: f"topic {topic}" for topic in range(len(model.tree_))})
    model.partial_fit(new)
    renamed = new_names(paths, model.paths_)
    assert model.tree_.names == {now: f"topic {before}" for before, now in renamed.items()}


def test_topics_change_their_ids_when_siblings_change_their_order() -> None:
    """Add many new documents to the smaller of two topics."""
    X = np.repeat([[9, 0], [0, 9]], [6, 3], axis=0)
    model = make_model(n_levels=2, gamma=1e-3, n_iter=30).fit(X)
    assert model.paths_[:, 1].tolist() == [1] * 6 + [2] * 3
    model.tree_.set_names({1: "left", 2: "right"})
    model.partial_fit(np.repeat([[0, 9]], 20, axis=0))
    assert model.paths_[:, 1].tolist() == [2] * 6 + [1] * 23
    assert model.tree_.names == {1: "right", 2: "left"}


def test_new_subjects_found_new_topics(counts: Counts) -> None:
    known = np.pad(counts, ((0, 0), (0, 30)))
    unknown = np.pad(counts, ((0, 0), (30, 0)))
    model = make_model().fit(known)
    n_topics, paths = len(model.tree_), model.paths_.copy()
    model.partial_fit(unknown)
    assert len(model.tree_) > n_topics
    below_root = set(new_names(paths, model.paths_).values()) - {0}
    assert np.isin(model.paths_[len(known) :, 1:], list(below_root)).mean() < 0.1


def test_the_limit_on_topics_holds(counts: Counts) -> None:
    model = make_model(max_topics=8, gamma=5.0).fit(counts)
    for seed in range(3):
        model.partial_fit(np.random.default_rng(seed).permutation(counts.T).T)
    assert len(model.tree_) <= 8


def test_ids_and_titles_are_joined() -> None:
    texts = ["moon orbit rocket", "goal team match", "moon rocket"]
    first = Corpus.from_texts(texts, ids=["a", "b", "c"], titles=True, min_df=1, stop_words=None)
    model = make_model(n_levels=2).fit(first)
    second = Corpus.from_texts(["team goal"], ids=["d"], titles=True, vocabulary=first.vocabulary)
    documents = model.partial_fit(second).tree_.documents
    assert documents is not None
    assert documents.ids == ("a", "b", "c", "d")
    assert documents.titles == (*texts, "team goal")


def test_documents_without_a_name_have_their_number() -> None:
    named = Corpus.from_texts(["moon orbit", "goal team"], ids=["a", "b"], min_df=1, stop_words=None)
    nameless = Corpus.from_texts(["moon"], vocabulary=named.vocabulary)
    after = make_model(n_levels=2).fit(named).partial_fit(nameless).tree_.documents
    before = make_model(n_levels=2).fit(nameless).partial_fit(named).tree_.documents
    assert after is not None
    assert before is not None
    assert after.ids == ("a", "b", "2")
    assert before.ids == ("0", "a", "b")


def test_the_same_seed_gives_the_same_result(counts: Counts) -> None:
    old, new = split(counts)
    first, second = (make_model().fit(old).partial_fit(new) for _ in range(2))
    assert_array_equal(first.paths_, second.paths_)
    assert_array_equal(first.token_levels_, second.token_levels_)
    assert first.log_joint_ == second.log_joint_


def test_batches_one_after_the_other_are_not_alike(counts: Counts) -> None:
    """Each batch has random numbers of its own."""
    model = make_model(gamma=1.0).fit(counts)
    once = model.partial_fit(counts[:20]).token_levels_[-counts[:20].sum() :].copy()
    again = model.partial_fit(counts[:20]).token_levels_[-counts[:20].sum() :]
    assert not np.array_equal(once, again)


def test_the_first_call_is_fit(counts: Counts) -> None:
    model = make_model()
    assert model.partial_fit(counts) is model
    assert_array_equal(model.paths_, make_model().fit(counts).paths_)


def test_hyper_parameters_and_history_stay(counts: Counts) -> None:
    old, new = split(counts)
    model = make_model(gamma=None, beta=None).fit(old)
    hyper, history = model.hyper_parameters_, list(model.history_)
    model.partial_fit(new)
    for before, now in zip(hyper, model.hyper_parameters_, strict=True):
        assert_array_equal(before, now)
    assert model.history_ == history


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_trees_of_every_sampler_grow_with_one_document_at_a_time(counts: Counts, sampler: str) -> None:
    model = make_model(sampler=sampler).fit(counts[:50])
    for row in counts[50:55]:
        model.partial_fit(row[None, :])
    model.tree_.check()
    assert len(model.paths_) == 55


def test_empty_documents_enter_with_a_warning_of_their_number(counts: Counts) -> None:
    model = make_model().fit(counts)
    X = counts[:5].copy()
    X[[1, 4]] = 0
    with pytest.warns(UserWarning, match="2 of 5 documents are empty") as caught:
        model.partial_fit(X)
    assert caught[0].filename == __file__
    model.tree_.check()
    assert model.tree_.n_docs[0] == len(counts) + 5


def test_a_batch_without_words_is_refused(counts: Counts) -> None:
    with pytest.raises(ValueError, match="every document is empty"):
        make_model().fit(counts).partial_fit(np.zeros((2, counts.shape[1]), int))


def test_a_word_may_be_counted_beyond_sixteen_bits() -> None:
    X = np.array([[40_000, 1], [2, 5]])
    model = make_model(n_levels=2, n_iter=3).fit(X).partial_fit(X).partial_fit(X)
    assert int(model.topic_word_counts_.sum()) == 3 * X.sum()
    model.tree_.check()


def test_a_grown_model_predicts_saves_and_loads(counts: Counts, tmp_path: Any) -> None:
    old, new = split(counts)
    model = make_model().fit(old).partial_fit(new)
    model.save(tmp_path / "grown.grove")
    assert_array_equal(load(tmp_path / "grown.grove").transform(counts), model.transform(counts))


def test_bad_batches_change_nothing(counts: Counts) -> None:
    model = make_model().fit(counts)
    tree = model.tree_
    for bad in (counts[:, :-1], -counts, counts + 0.5):
        with pytest.raises(ValueError, match="X has"):
            model.partial_fit(bad)
    assert model.tree_ is tree
