"""A NestedHDP is saved and loaded like a HierarchicalLDA, and what contradicts itself is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from topicgrove import Corpus, CorruptModelError, HierarchicalLDA, NestedHDP, load
from topicgrove.persistence import migrations, models, sealed

from .conftest import draw_texts
from .test_contradictions import Change, changed, fact, parameter, plus, put, without


@pytest.fixture(scope="module")
def nested() -> NestedHDP:
    corpus = Corpus.from_texts(
        draw_texts(40), ids=[f"doc-{d}" for d in range(40)], titles=True, min_df=1, stop_words=None, n_jobs=1
    )
    model = NestedHDP(3, tree=[-1, 0, 0, 1, 1, 2], n_iter=20, learn_after=5, min_tokens=1, random_state=1).fit(corpus)
    model.tree_.set_names({0: "alles", 1: "первый"})
    return model


@pytest.fixture
def file(nested: NestedHDP, tmp_path: Path) -> Path:
    path = tmp_path / "nested.grove"
    nested.save(path)
    return path


def assert_same(one: NestedHDP, other: NestedHDP) -> None:
    for name in ("parent", "level", "n_docs", "n_tokens"):
        assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), strict=True)
    for name in ("paths_", "token_topics_"):
        assert_array_equal(getattr(one, name), getattr(other, name), strict=True)
    for name in ("document_topics_", "topic_word_counts_"):
        assert_array_equal(getattr(one, name).toarray(), getattr(other, name).toarray(), strict=True)
    assert_array_equal(one.tree_.documents.level_counts, other.tree_.documents.level_counts, strict=True)
    for mine, theirs in zip(one.hyper_parameters_[:3], other.hyper_parameters_[:3], strict=True):
        assert_array_equal(mine, theirs, strict=True)
    assert one.log_joint_ == other.log_joint_
    assert len(one.history_) == len(other.history_)
    assert one.n_features_in_ == other.n_features_in_


def test_everything_comes_back(nested: NestedHDP, file: Path) -> None:
    again = load(file)
    assert isinstance(again, NestedHDP)
    assert_same(again, nested)
    assert again.history_ == nested.history_
    assert again.tree_.to_json() == nested.tree_.to_json()
    assert again.tree_.names == {0: "alles", 1: "первый"}
    assert again.tree_.documents.ids == nested.tree_.documents.ids
    assert again.tree_.documents.titles == nested.tree_.documents.titles
    assert (again.rules_, again.dropped_) == (nested.rules_, nested.dropped_)
    kept = {name: value for name, value in nested.get_params().items() if name not in ("callbacks", "learn")}
    assert {name: again.get_params()[name] for name in kept} == kept
    assert again.learn == list(nested.learn)


def test_a_loaded_model_answers_and_trains_the_same(nested: NestedHDP, file: Path) -> None:
    X = Corpus.from_texts(["comet over the moon", "", "match goal goal news"], vocabulary=nested.tree_.vocabulary)
    again = load(file)
    assert_array_equal(again.transform(X), nested.transform(X))
    assert_array_equal(again.predict_paths(X), nested.predict_paths(X))
    assert again.score(X) == nested.score(X)
    assert again.tree_.representative_documents(1, 2) == nested.tree_.representative_documents(1, 2)
    counts = np.eye(nested.n_features_in_, dtype=int) * 3
    assert_same(load(file).fit(counts), load(file).fit(counts))


def test_saving_what_was_loaded_gives_the_same_bytes(file: Path, tmp_path: Path) -> None:
    load(file).save(tmp_path / "again.grove")
    load(tmp_path / "again.grove").save(tmp_path / "third.grove")
    assert (tmp_path / "again.grove").read_bytes() == (tmp_path / "third.grove").read_bytes()


def test_a_model_of_counts_with_names_of_columns_comes_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (12, 6)), columns=[f"word{i}" for i in range(6)])
    model = NestedHDP(2, tree=[-1, 0, 0], grow=False, n_iter=3, random_state=0).fit(frame)
    model.save(tmp_path / "m.grove")
    again = load(tmp_path / "m.grove")
    assert_same(again, model)
    assert again.feature_names_in_.tolist() == list(frame.columns)


def test_the_smallest_model_comes_back(tmp_path: Path) -> None:
    model = NestedHDP(2, n_iter=1, init="none", random_state=0).fit([[1, 0], [0, 1]])
    model.save(tmp_path / "m.grove")
    assert_same(load(tmp_path / "m.grove"), model)


def test_an_unfitted_model_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted yet"):
        NestedHDP().save(tmp_path / "m.grove")


CHANGES: dict[str, Change] = {
    "one count too many": changed("counts", plus(0, 1)),
    "a parent after its child": changed("tree.parent", put(1, 4)),
    "an orphan": changed("tree.parent", put(2, -1)),
    "topics that are not breadth first": changed("tree.parent", put(slice(-2, None), [2, 1])),
    "a single topic": changed("tree.parent", lambda a: a[:1]),
    "another level": changed("tree.level", put(-1, 1)),
    "a document more in the root": changed("tree.n_docs", plus(0, 1)),
    "a document of another topic": changed("tree.n_docs", lambda a: a[::-1].copy()),
    "NaN in beta": changed("hyper.beta", put(0, np.nan)),
    "a level too few in beta": changed("hyper.beta", lambda a: a[:-1]),
    "a weight of nothing": changed("hyper.child_weight", put(1, 0.0)),
    "an infinite weight": changed("hyper.stop_weight", put(0, np.inf)),
    "a weight too few": changed("hyper.stop_weight", lambda a: a[:-1]),
    "weights in single precision": changed("hyper.child_weight", lambda a: a.astype(np.float32)),
    "a leaf with children": changed("leaf", put(0, 0)),
    "a leaf that is not there": changed("leaf", put(0, 10**6)),
    "a negative leaf": changed("leaf", put(0, -1)),
    "a document too few": changed("leaf", lambda a: a[:-1]),
    "leaves as floats": changed("leaf", lambda a: a.astype(np.float64)),
    "another leaf": changed("leaf", lambda a: np.where(a == a[0], a.max() if a[0] != a.max() else a.min(), a)),
    "a token too few": changed("token_topics", lambda a: a[:-1]),
    "a topic that is not there": changed("token_topics", put(0, 200)),
    "topics of tokens as floats": changed("token_topics", lambda a: a.astype(np.float64)),
    "a token of another topic": changed("token_topics", lambda a: np.append((a[0] + 1) % 3, a[1:]).astype(a.dtype)),
    "a document that is longer": changed("document_lengths", plus(0, 1)),
    "a document of less than nothing": changed("document_lengths", plus(slice(0, 2), [-99, 99])),
    "no documents": changed("document_lengths", lambda a: a[:0]),
    "keys of too few documents": changed("document_keys", lambda a: a[:-1]),
    "no topics of tokens": without("token_topics"),
    "no weights": without("hyper.child_weight"),
    "no model": without("model"),
    "the other model": fact("model", "hlda"),
    "models": fact("model", ["nhdp"]),
    "a parameter of the other model": parameter("refine", True),
    "a parameter that no fit would take": parameter("n_iter", -1),
    "a tree in a circle": parameter("tree", [-1, 2, 1]),
    "a tree of fewer levels": parameter("n_levels", 2),
    "an id too few": changed("ids.ends", lambda a: a[:-1]),
    "a history that begins late": lambda facts, arrays: facts["history"].pop(0),
    "a history of more levels": lambda facts, arrays: facts["history"][0].update(n_topics_per_level=[1, 1, 1, 1]),
    "a label of no topic": fact("labels", {"1000000": "far"}),
}


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_contradiction_is_refused(file: Path, tmp_path: Path, name: str) -> None:
    facts, arrays = sealed.read_sealed(file, models.KIND, models.VERSION)
    CHANGES[name](facts, arrays)
    path = tmp_path / "contradiction.grove"
    sealed.write_sealed(path, models.KIND, models.VERSION, facts, arrays)
    with pytest.raises(CorruptModelError, match=r"contradiction\.grove"):
        load(path)


def test_the_file_that_is_changed_is_right_at_first(nested: NestedHDP, file: Path, tmp_path: Path) -> None:
    content = sealed.read_sealed(file, models.KIND, models.VERSION)
    sealed.write_sealed(tmp_path / "same.grove", models.KIND, models.VERSION, *content)
    assert_same(load(tmp_path / "same.grove"), nested)


def test_damage_anywhere_is_refused(file: Path, tmp_path: Path) -> None:
    whole, path = file.read_bytes(), tmp_path / "damaged.grove"
    rng = np.random.default_rng(0)
    damaged = [whole[: k * len(whole) // 10] for k in range(10)]
    for place, change in zip(rng.integers(len(whole), size=100), rng.integers(1, 256, size=100), strict=True):
        flipped = bytearray(whole)
        flipped[place] ^= int(change)
        damaged.append(bytes(flipped))
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(CorruptModelError, match="damaged"):
            load(path)


def test_a_kind_of_model_that_only_a_newer_program_knows_is_named(file: Path) -> None:
    facts, arrays = sealed.read_sealed(file, models.KIND, models.VERSION)
    sealed.write_sealed(file, models.KIND, models.VERSION, facts | {"model": "forest"}, arrays)
    with pytest.raises(CorruptModelError, match="newer program saved this model: it has the model 'forest'"):
        load(file)


@pytest.mark.parametrize("version", [1, 2])
def test_a_file_of_an_older_version_is_a_hierarchical_lda(saved: Path, version: int) -> None:
    """Such files do not name their model."""
    content: Any = sealed.read_sealed(saved, models.KIND, models.VERSION)
    assert content.facts.pop("model") == "hlda"
    sealed.write_sealed(saved, models.KIND, version, *content)
    assert isinstance(load(saved), HierarchicalLDA)
    assert len(migrations.STEPS[models.KIND]) == models.VERSION - 1
