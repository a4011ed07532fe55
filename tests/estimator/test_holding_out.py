"""Documents held out of training: which ones, and what the model and checkpoints keep of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.distributed.thread_ranks import run_ranks
from topicgrove import Corpus, HierarchicalLDA, load
from topicgrove.corpus.keys import document_keys, n_recognised
from topicgrove.holding_out import HeldOut

Counts = NDArray[np.int64]


def model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "n_iter": 6, "random_state": 3} | options
    return HierarchicalLDA(**settings)


@pytest.mark.parametrize(("size", "n"), [(0.1, 6), (7, 7), (np.float32(0.25), 15), (0.001, 1)])
def test_a_share_or_a_number_of_documents_is_held_out(counts: Counts, size: Any, n: int) -> None:
    fitted = model().fit(counts, held_out=size)
    assert fitted.held_out_ is not None
    assert len(fitted.held_out_) == n
    assert len(fitted.paths_) == 60 - n
    assert fitted.history_[-1]["perplexity"] > 1


def test_training_is_that_on_the_other_documents_alone(counts: Counts) -> None:
    fitted = model().fit(counts, held_out=0.2)
    assert fitted.held_out_ is not None
    others = np.delete(counts, fitted.held_out_, axis=0)
    by_hand = model().fit(others, held_out=counts[fitted.held_out_])
    assert (fitted.paths_ == by_hand.paths_).all()
    assert (fitted.token_levels_ == by_hand.token_levels_).all()
    assert fitted.history_[-1]["perplexity"] == by_hand.history_[-1]["perplexity"]
    assert by_hand.held_out_ is None


def test_the_seed_alone_decides_which(counts: Counts) -> None:
    first = model().fit(counts, held_out=12).held_out_
    other_run = model(n_jobs=2, n_iter=3, sampler="bgs").fit(counts, held_out=0.2).held_out_
    assert np.array_equal(first, other_run)
    assert not np.array_equal(first, model(random_state=4).fit(counts, held_out=12).held_out_)
    ranks = run_ranks(2, lambda communicator: model().fit(counts, held_out=12, communicator=communicator))
    assert np.array_equal(first, ranks[0].held_out_)
    assert len(ranks[0].paths_) == 48


def test_every_document_is_held_out_as_often_as_any_other() -> None:
    n_docs, n_seeds = 20, 2000
    times = np.zeros(n_docs)
    for seed in range(n_seeds):
        times[HeldOut(n_docs, 5, seed).documents] += 1
    expected = n_seeds * 5 / n_docs
    assert np.abs(times - expected).max() < 5 * np.sqrt(expected * 0.75)


def test_which_documents_are_held_out_never_changes() -> None:
    """A model keeps no more than the seed and the numbers of documents."""
    assert HeldOut(1000, 8, 42).documents.tolist() == [422, 594, 646, 740, 743, 774, 810, 997]


def test_fit_transform_places_all_documents(counts: Counts) -> None:
    assert model().fit_transform(counts, held_out=0.5).shape[0] == 60


@pytest.mark.parametrize("size", [0, -1, 0.0, 1.0, 1.5, float("nan"), 60, 10**30, True])
def test_sizes_that_make_no_sense_are_refused(counts: Counts, size: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="held_out"):
        model().fit(counts, held_out=size)


def test_a_part_without_words_is_refused_before_training() -> None:
    documents = np.zeros((30, 4), int)
    documents[: len(documents) // 2] = 3
    seed = next(s for s in range(100) if HeldOut(30, 2, s).documents.min() >= 15)
    with pytest.raises(ValueError, match="hold out more"):
        model(random_state=seed).fit(documents, held_out=2)


def test_a_saved_model_remembers_its_parts(counts: Counts, tmp_path: Path) -> None:
    fitted = model().fit(counts, held_out=0.1)
    fitted.save(tmp_path / "m.grove")
    loaded = load(tmp_path / "m.grove")
    assert np.array_equal(loaded.held_out_, fitted.held_out_)
    assert loaded._document_keys is not None
    corpus = Corpus.from_matrix(counts)
    training, held_out = HeldOut(60, 6, 3).split(corpus)
    assert n_recognised(loaded._document_keys, training) == 54
    assert n_recognised(loaded._document_keys, held_out) == 0
    assert model().fit(counts).held_out_ is None


def test_documents_that_enter_later_are_recognised_too(counts: Counts) -> None:
    fitted = model().fit(counts[:40])
    fitted.partial_fit(counts[40:])
    assert fitted._document_keys is not None
    assert fitted._document_keys.tolist() == document_keys(Corpus.from_matrix(counts)).tolist()


def test_a_resumed_run_holds_the_same_documents_out(counts: Counts, tmp_path: Path) -> None:
    model(n_iter=4, checkpoint=tmp_path / "run", checkpoint_every=2).fit(counts, held_out=0.2)
    resumed = HierarchicalLDA.resume(tmp_path / "run", n_iter=8)
    again = HierarchicalLDA.resume(tmp_path / "run", counts, n_iter=8)
    straight = model(n_iter=8).fit(counts, held_out=0.2)
    for one in (resumed, again):
        assert np.array_equal(one.held_out_, straight.held_out_)
        assert (one.token_levels_ == straight.token_levels_).all()
        assert one.history_[-1]["perplexity"] == straight.history_[-1]["perplexity"]


def test_keys_tell_documents_apart() -> None:
    rng = np.random.default_rng(0)
    corpus = Corpus.from_documents([rng.integers(1000, size=rng.integers(1, 30)) for _ in range(20_000)], n_words=1000)
    rows = {tuple(corpus.words[a:b]) for a, b in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)}
    keys = document_keys(corpus)
    assert len(rows) - len(set(keys.tolist())) <= 2  # 20,000^2 / 2^33 are expected
    assert (keys[3:90] == document_keys(corpus.take(slice(3, 90)))).all()
