"""Models of every format version that was ever released load, and answer as they did.

``model-v1.grove`` was saved by 0.2.0 from the texts of conftest.py; ``model-v1.json`` says what it answered then.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA, load

GOLDEN = Path(__file__).parent / "golden"
NEW = ["rocket comet moon", "coach league goal goal"]


def answers(model: HierarchicalLDA) -> dict[str, Any]:
    """What must never change: the tree and its words, where documents are, and where clear cases go."""
    tree = model.tree_
    new = Corpus.from_texts(NEW, vocabulary=tree.vocabulary, rules=model.rules_, n_jobs=1)
    return {
        "parent": tree.parent.tolist(),
        "n_docs": tree.n_docs.tolist(),
        "word_counts": tree.word_counts.toarray().tolist(),
        "vocabulary": list(tree.vocabulary),
        "paths": model.paths_.tolist(),
        "token_levels": model.token_levels_.tolist(),
        "labels": {str(topic): label for topic, label in tree.names.items()},
        "ids": list(tree.documents.ids),
        "titles": list(tree.documents.titles),
        "n_levels": model.n_levels,
        "collapse_below": model.collapse_below,
        "sweeps": len(model.history_),
        "new_paths": model.predict_paths(new)[:, :2].tolist(),
    }


@pytest.mark.parametrize("version", ["v1"])
def test_a_model_of_an_older_program_answers_as_it_did(version: str) -> None:
    expected = json.loads((GOLDEN / f"model-{version}.json").read_text(encoding="utf-8"))
    log_joint, shares = expected.pop("log_joint"), expected.pop("shares_of_levels")
    model = load(GOLDEN / f"model-{version}.grove")
    assert json.loads(json.dumps(answers(model))) == expected
    assert model.log_joint_ == pytest.approx(log_joint, rel=1e-9)
    assert shares_of_levels(model) == pytest.approx(shares, abs=0.2)


def shares_of_levels(model: HierarchicalLDA) -> list[float]:
    """Of the new documents together; they are sampled, so other programs may differ a little."""
    new = Corpus.from_texts(NEW, vocabulary=model.tree_.vocabulary, rules=model.rules_, n_jobs=1)
    shares = model.transform(new).mean(axis=0)
    return [float(shares[model.tree_.level == level].sum()) for level in range(model.tree_.n_levels)]


def test_a_golden_model_can_still_grow() -> None:
    model = load(GOLDEN / "model-v1.grove")
    n_docs = len(model.paths_)
    model.partial_fit(np.eye(model.n_features_in_, dtype=int) * 2)
    model.tree_.check()
    assert len(model.paths_) == n_docs + model.n_features_in_
