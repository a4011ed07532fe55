"""``warm_start=True``: another fit goes on from the tree, edited or not."""

import numpy as np
import pytest

from topicgrove import HierarchicalLDA

pytestmark = pytest.mark.filterwarnings("ignore:1 of 160 documents are empty")


def paths_at_first(model, corpus):
    """The paths after one sweep."""
    seen = []
    model.set_params(callbacks=[lambda event: seen.append((event.paths, event.log_joint))], n_iter=1).fit(corpus)
    return seen[0]


def test_fit_goes_on_from_the_edited_tree(model, corpus, check):
    model.merge_topics(model.tree_.children[0][:2].tolist())
    model.rename_topic(1, "first")
    words, n_topics = set(model.tree_.top_words(1)), len(model.tree_)
    before = model.paths_.copy()
    model.set_params(warm_start=True, n_iter=3).fit(corpus)
    check(model)
    assert abs(len(model.tree_) - n_topics) <= 6
    assert len(model.history_) == 3
    named = [topic for topic, name in model.tree_.names.items() if name == "first"]
    assert len(named) == 1
    assert len(words & set(model.tree_.top_words(named[0]))) >= 5
    agree = np.mean([(model.paths_[:, 1] == a) == (before[:, 1] == b) for a, b in [(named[0], 1)]])
    assert agree > 0.9


def test_without_it_fit_starts_anew(model, corpus):
    again = HierarchicalLDA(**model.get_params()).fit(corpus)
    model.merge_topics([1, 2])
    assert np.array_equal(model.fit(corpus).paths_, again.paths_)


def test_an_unfitted_model_starts_as_usual(model, corpus):
    warm = HierarchicalLDA(**model.get_params() | {"warm_start": True}).fit(corpus)
    assert np.array_equal(warm.paths_, model.paths_)


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_every_sampler_goes_on(model, corpus, check, sampler):
    before = model.log_joint_
    model.set_params(warm_start=True, sampler=sampler, n_iter=2, min_docs=1).fit(corpus)
    check(model)
    assert model.log_joint_ > before - 0.05 * abs(before)


def test_priors_go_on_where_parameters_leave_them_open(model, corpus):
    model.set_params(warm_start=True, n_iter=1, beta=None, learn="alpha", alpha=0.3)
    beta, alpha = model.hyper_parameters_.beta, model.hyper_parameters_.alpha
    model.fit(corpus)
    assert np.array_equal(model.hyper_parameters_.beta, beta)
    assert np.array_equal(model.hyper_parameters_.alpha, alpha)
    assert np.array_equal(model.set_params(beta=0.7).fit(corpus).hyper_parameters_.beta, [0.7] * 3)


def test_a_run_can_be_resumed(model, corpus, check, tmp_path):
    model.set_params(warm_start=True, n_iter=4, checkpoint=tmp_path / "run", checkpoint_every=2).fit(corpus)
    again = HierarchicalLDA.resume(tmp_path / "run", corpus, n_iter=6)
    check(again)
    assert len(again.history_) == 6


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"n_levels": 4}, {}, "n_levels is 4, but warm_start goes on from a tree of 3 levels"),
        ({"warm_start": 1}, {}, "warm_start must be True or False"),
        ({}, {"held_out": 0.1}, "held_out must be documents with warm_start"),
    ],
)
def test_what_cannot_go_on_is_refused(model, corpus, changes, options, message):
    model.set_params(**{"warm_start": True, "beta": None, "gamma": None} | changes)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(corpus, **options)


def test_other_documents_are_refused(model, corpus):
    with pytest.raises(ValueError, match="must be the 160 documents that the model was trained on"):
        model.set_params(warm_start=True).fit(corpus.take(np.arange(50)))
