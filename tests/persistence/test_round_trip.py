"""A loaded model is the model that was saved."""

import math
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove import Corpus, HierarchicalLDA, load
from topicgrove.persistence import models, sealed


def assert_same(one: HierarchicalLDA, other: HierarchicalLDA) -> None:
    """Return everything that a fit decides, bit for bit."""
    for name in ("parent", "level", "n_docs", "n_tokens"):
        assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name))
        assert getattr(one.tree_, name).dtype == getattr(other.tree_, name).dtype
    for name in ("paths_", "token_levels_"):
        assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype
    assert (one.topic_word_counts_ != other.topic_word_counts_).nnz == 0
    assert_array_equal(one.tree_.documents.level_counts, other.tree_.documents.level_counts)
    for mine, theirs in zip(one.hyper_parameters_, other.hyper_parameters_, strict=True):
        assert_array_equal(mine, theirs)
    assert one.log_joint_ == other.log_joint_
    assert one.n_features_in_ == other.n_features_in_


def test_everything_comes_back(model: HierarchicalLDA, saved: Path) -> None:
    again = load(saved)
    assert_same(again, model)
    assert again.tree_.names == {0: "alles", 1: "первый"}
    assert again.tree_.vocabulary == model.tree_.vocabulary
    assert again.tree_.documents.ids == model.tree_.documents.ids
    assert again.tree_.documents.titles == model.tree_.documents.titles
    assert again.history_ == model.history_
    assert again.rules_ == model.rules_
    assert again.rules_ is not None
    assert again.tree_.to_json() == model.tree_.to_json()


def test_parameters_come_back(model: HierarchicalLDA, saved: Path) -> None:
    given, again = model.get_params(), load(saved).get_params()
    assert again == given | {"callbacks": (), "learn": [], "verbose": 0, "n_jobs": None, "checkpoint": None}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("collapse_below", math.inf),
        ("alpha", np.array([0.1, 0.2, 0.3])),
        ("beta", (0.5, 0.25, 0.1)),
        ("gamma", None),
        ("random_state", np.int64(7)),
        ("n_iter", np.int32(3)),
        ("learn", ("alpha", "beta")),
        ("early_stopping", True),
        ("refine", np.bool_(True)),
    ],
)
def test_unusual_parameters_come_back(counts: NDArray[np.int64], tmp_path: Path, name: str, value: Any) -> None:
    model = HierarchicalLDA(**({"n_levels": 3, "n_iter": 2, "random_state": 0} | {name: value})).fit(counts)
    model.save(tmp_path / "m.grove")
    again = load(tmp_path / "m.grove").get_params()[name]
    assert_array_equal(again, value)
    assert type(again) in (int, float, bool, str, list, type(None))


def test_a_generator_and_callbacks_are_not_saved(counts: NDArray[np.int64], tmp_path: Path) -> None:
    model = HierarchicalLDA(2, n_iter=2, random_state=np.random.RandomState(0), callbacks=[lambda event: None])
    model.fit(counts).save(tmp_path / "m.grove")
    again = load(tmp_path / "m.grove")
    assert again.random_state is None
    assert list(again.callbacks) == []


def test_a_loaded_model_answers_the_same(model: HierarchicalLDA, saved: Path) -> None:
    X = Corpus.from_texts(["comet over the moon", "", "match goal goal news"], vocabulary=model.tree_.vocabulary)
    again = load(saved)
    assert_array_equal(again.transform(X), model.transform(X))
    assert_array_equal(again.predict_paths(X), model.predict_paths(X))
    assert_array_equal(again.infer(X).log_probability, model.infer(X).log_probability)
    assert again.score(X) == model.score(X)
    assert again.tree_.top_words(1, 3) == model.tree_.top_words(1, 3)
    assert again.tree_.representative_documents(1, 2) == model.tree_.representative_documents(1, 2)


def test_a_loaded_model_grows_and_trains_the_same(model: HierarchicalLDA, saved: Path) -> None:
    X = np.eye(model.n_features_in_, dtype=int) * 3
    assert_same(load(saved).partial_fit(X), load(saved).partial_fit(X))
    assert_same(load(saved).fit(X), load(saved).fit(X))


def test_names_of_columns_come_back(counts: NDArray[np.int64], tmp_path: Path) -> None:
    frame = pd.DataFrame(counts, columns=[f"word{i}" for i in range(counts.shape[1])])
    HierarchicalLDA(2, n_iter=2, random_state=0).fit(frame).save(tmp_path / "m.grove")
    again = load(tmp_path / "m.grove")
    assert again.feature_names_in_.tolist() == list(frame.columns)
    assert again.transform(frame).shape == (len(frame), len(again.tree_))


def test_a_model_without_words_ids_and_labels_comes_back(counts: NDArray[np.int64], tmp_path: Path) -> None:
    model = HierarchicalLDA(2, n_iter=2, random_state=0).fit(counts)
    model.save(tmp_path / "m.grove")
    again = load(tmp_path / "m.grove")
    assert_same(again, model)
    assert (again.tree_.vocabulary, again.tree_.documents.ids, again.rules_) == (None, None, None)
    assert not hasattr(again, "feature_names_in_")


@pytest.mark.filterwarnings("ignore:.*documents are empty")
def test_the_smallest_model_comes_back(tmp_path: Path) -> None:
    model = HierarchicalLDA(2, n_iter=1, random_state=0).fit([[1, 0], [0, 0]])
    model.save(tmp_path / "m.grove")
    assert_same(load(tmp_path / "m.grove"), model)


def test_saving_what_was_loaded_loses_nothing(model: HierarchicalLDA, saved: Path, tmp_path: Path) -> None:
    load(saved).save(tmp_path / "again.grove")
    again = load(tmp_path / "again.grove")
    assert_same(again, model)
    assert again.tree_.to_json() == model.tree_.to_json()
    again.save(tmp_path / "third.grove")
    assert (tmp_path / "third.grove").read_bytes() == (tmp_path / "again.grove").read_bytes()
    assert again.get_params() == load(saved).get_params()


def test_words_of_topics_may_be_in_any_order(model: HierarchicalLDA, saved: Path, tmp_path: Path) -> None:
    facts, arrays = sealed.read_sealed(saved, models.KIND, models.VERSION)
    row = slice(*arrays["counts.starts"][:2])
    for name in ("counts", "counts.words"):
        arrays[name] = arrays[name].copy()
        arrays[name][row] = arrays[name][row][::-1]
    sealed.write_sealed(tmp_path / "turned.grove", models.KIND, models.VERSION, facts, arrays)
    assert_same(load(tmp_path / "turned.grove"), model)


def test_the_file_is_ordinary_safetensors(model: HierarchicalLDA, saved: Path) -> None:
    arrays = safetensors.numpy.load_file(saved)
    assert_array_equal(arrays["tree.parent"], model.tree_.parent)


def test_the_file_has_the_usual_permissions(saved: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(saved.stat().st_mode) == 0o666 & ~mask


def test_the_file_may_have_any_name(model: HierarchicalLDA, tmp_path: Path) -> None:
    for name in ("no-suffix", "a b.pkl", "дерево.grove", ".hidden"):
        model.save(str(tmp_path / name))
        assert_same(load(str(tmp_path / name)), model)


def test_a_directory_is_no_place_for_a_file(model: HierarchicalLDA, tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        model.save(tmp_path)
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        load(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "m.grove")
    with pytest.raises(FileNotFoundError, match="missing"):
        load(tmp_path / "missing.grove")
