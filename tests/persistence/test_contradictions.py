"""Files with a valid seal and impossible content: every contradiction is found before the model is used."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicgrove import CorruptModelError, load
from topicgrove.persistence import models, sealed

Arrays = dict[str, np.ndarray]
Change = Callable[[dict[str, Any], Arrays], None]


def changed(name: str, change: Callable[[np.ndarray], Any]) -> Change:
    """An array, or what comes of it when it is copied and changed."""

    def apply(facts: dict[str, Any], arrays: Arrays) -> None:
        array = arrays[name].copy()
        result = change(array)
        arrays[name] = array if result is None else result

    return apply


def put(place: Any, value: Any) -> Callable[[np.ndarray], None]:
    return lambda array: array.__setitem__(place, value)


def plus(place: Any, value: int) -> Callable[[np.ndarray], None]:
    return lambda array: array.__setitem__(place, array[place] + value)


def fact(name: str, value: Any) -> Change:
    return lambda facts, arrays: facts.__setitem__(name, value)


def parameter(name: str, value: Any) -> Change:
    return lambda facts, arrays: facts["parameters"].__setitem__(name, value)


def without(name: str) -> Change:
    return lambda facts, arrays: (facts if name in facts else arrays).pop(name)


CHANGES: dict[str, Change] = {
    "negative count": changed("counts", put(0, -1)),
    "one count too many": changed("counts", plus(0, 1)),
    "counts as floats": changed("counts", lambda a: a.astype(np.float64)),
    "counts that are NaN": changed("counts", lambda a: np.full(len(a), np.nan)),
    "word beyond the vocabulary": changed("counts.words", put(-1, 10**6)),
    "negative word": changed("counts.words", put(0, -1)),
    "rows that go back": changed("counts.starts", put(1, 10**6)),
    "rows that begin late": changed("counts.starts", put(0, 1)),
    "rows whose differences wrap": changed("counts.starts", put(-1, -(2**63))),
    "one row too few": changed("counts.starts", lambda a: a[:-1]),
    "parents in a circle": changed("tree.parent", put(slice(1, 3), [2, 1])),
    "a topic that is its own parent": changed("tree.parent", put(2, 2)),
    "an orphan": changed("tree.parent", put(2, -1)),
    "a parent that is not there": changed("tree.parent", put(-1, 10**6)),
    "a parent as a float": changed("tree.parent", lambda a: a.astype(np.float64)),
    "no topics": changed("tree.parent", lambda a: a[:0]),
    "a matrix of parents": changed("tree.parent", lambda a: a[:, None]),
    "a root with a parent": changed("tree.parent", put(0, 0)),
    "level too deep": changed("tree.level", put(-1, 3)),
    "level too shallow": changed("tree.level", put(-1, 1)),
    "negative level": changed("tree.level", put(0, -1)),
    "documents that are not the children's": changed("tree.n_docs", plus(1, 1)),
    "a document more in the root": changed("tree.n_docs", plus(0, 1)),
    "negative documents": changed("tree.n_docs", put(-1, -1)),
    "tokens that are not the counts'": changed("tree.n_tokens", plus(0, 1)),
    "tokens of too few topics": changed("tree.n_tokens", lambda a: a[:-1]),
    "NaN in alpha": changed("hyper.alpha", put(0, np.nan)),
    "NaN in beta": changed("hyper.beta", put(0, np.nan)),
    "NaN in log gamma": changed("hyper.log_gamma", put(0, np.nan)),
    "infinite log gamma": changed("hyper.log_gamma", put(0, np.inf)),
    "negative beta": changed("hyper.beta", put(1, -0.5)),
    "zero alpha": changed("hyper.alpha", put(1, 0.0)),
    "a level too many in alpha": changed("hyper.alpha", lambda a: np.append(a, 1.0)),
    "a level too few in beta": changed("hyper.beta", lambda a: a[:-1]),
    "a level too many in log gamma": changed("hyper.log_gamma", lambda a: np.append(a, 0.0)),
    "integers for alpha": changed("hyper.alpha", lambda a: np.ones(len(a), np.int64)),
    "a leaf that is none": changed("leaf", put(0, 0)),
    "a leaf that is not there": changed("leaf", put(0, 10**6)),
    "a negative leaf": changed("leaf", put(0, -1)),
    "leaves as floats": changed("leaf", lambda a: a.astype(np.float64)),
    "a document too few": changed("leaf", lambda a: a[:-1]),
    "another leaf": changed("leaf", lambda a: np.where(a == a[0], a.max() if a[0] != a.max() else a.min(), a)),
    "a level count too many": changed("level_counts", plus((0, 0), 1)),
    "a negative level count": changed("level_counts", plus((0, slice(0, 2)), [-99, 99])),
    "level counts of other levels": changed("level_counts", lambda a: a[:, :-1]),
    "a level beyond the tree": changed("token_levels", put(0, 77)),
    "a token too few": changed("token_levels", lambda a: a[:-1]),
    "levels as floats": changed("token_levels", lambda a: a.astype(np.float64)),
    "levels as a matrix": changed("token_levels", lambda a: a[:, None]),
    "a word too few": changed("vocabulary.ends", lambda a: a[:-1]),
    "words that end before they begin": changed("vocabulary.ends", put(0, 10**6)),
    "the same word twice": changed("vocabulary", lambda a: np.frombuffer(b"comet" * 20, np.uint8)[: len(a)]),
    "words that are no UTF-8": changed("vocabulary", put(0, 0xFF)),
    "an id too few": changed("ids.ends", lambda a: a[:-1]),
    "ids that are no UTF-8": changed("ids", put(0, 0xFF)),
    "titles without ends": without("titles.ends"),
    "no counts": without("counts"),
    "no parameters": without("parameters"),
    "no history": without("history"),
    "unknown parameter": parameter("n_leaves", 3),
    "parameters as a list": fact("parameters", [1, 2]),
    "another number of words": fact("n_words", 5),
    "a negative number of words": fact("n_words", -5),
    "a number of words that is none": fact("n_words", "many"),
    "a label of no topic": fact("labels", {"1000000": "far"}),
    "a label that is no text": fact("labels", {"0": 3}),
    "labels as a list": fact("labels", ["a"]),
    "a label for 'root'": fact("labels", {"root": "a"}),
    "rules that are none": fact("rules", {"n_grams": 3}),
    "rules as text": fact("rules", "none"),
    "a history that is none": fact("history", 3),
    "a row of history without its iteration": fact("history", [{"seconds": 1.0}]),
    "a history that begins late": lambda facts, arrays: facts["history"].pop(0),
    "more words than any number holds": fact("n_words", 2**70),
    "true for a number of words": fact("n_words", True),
    "a parameter that no fit would take": parameter("n_iter", -1),
    "a parameter beyond all numbers": parameter("collapse_below", 10**400),
    "a place for checkpoints": parameter("checkpoint", "/elsewhere"),
    "names of features that are no flag": fact("named_features", 1),
    "a prior beyond its range": changed("hyper.beta", put(0, 1e30)),
    "the same word twice in a topic": changed("counts.words", lambda a: np.where(np.arange(len(a)) == 1, a[0], a)),
    "tokens that change documents": changed("token_levels", lambda a: a[::-1].copy()),
    "endings as floats": changed("ids.ends", lambda a: a.astype(np.float64)),
    "a pattern of nothing": lambda facts, arrays: facts["rules"].__setitem__("token_pattern", "("),
    "a pattern too deep": lambda facts, arrays: facts["rules"].__setitem__("token_pattern", "(?:" * 9999 + ")" * 9999),
    "an n-gram of a book": lambda facts, arrays: facts["rules"].__setitem__("ngram_range", [1, 10**9]),
    "no facts": lambda facts, arrays: facts.clear(),
}


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_contradiction_is_refused(saved: Path, tmp_path: Path, name: str) -> None:
    facts, arrays = sealed.read_sealed(saved, models.KIND, models.VERSION)
    CHANGES[name](facts, arrays)
    path = tmp_path / "contradiction.grove"
    sealed.write_sealed(path, models.KIND, models.VERSION, facts, arrays)
    with pytest.raises(CorruptModelError, match=r"contradiction\.grove"):
        load(path)


def test_the_file_that_is_changed_is_right_at_first(saved: Path, tmp_path: Path) -> None:
    content = sealed.read_sealed(saved, models.KIND, models.VERSION)
    sealed.write_sealed(tmp_path / "same.grove", models.KIND, models.VERSION, *content)
    assert load(tmp_path / "same.grove").tree_.names == load(saved).tree_.names


@pytest.mark.posix
def test_facts_and_arrays_are_of_one_file_even_if_another_takes_its_name(
    saved: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """A save by another process between the check of the seal and the reading of the arrays."""
    other = tmp_path / "other.grove"
    model = load(saved)
    model.tree_.set_names({0: "new"})
    model.save(other)
    read = sealed.safetensors.numpy.load_file

    def read_late(path: Path) -> Arrays:
        if other.exists():
            other.replace(saved)
        return read(path)

    monkeypatch.setattr(sealed.safetensors.numpy, "load_file", read_late)
    assert load(saved).tree_.names[0] == "new"
