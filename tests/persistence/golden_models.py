"""Models of older versions, and their answers: files in ``golden``, one pair each.

``python -m tests.persistence.golden_models NAME`` writes a pair with the current version; if NAME ends in
"-several-paths", of a NestedHDP. Do so for every new format version, and before a release with new parameters; never
replace a pair that a release has read.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from topicgrove import Corpus, HierarchicalLDA, NestedHDP, TextRules, load
from topicgrove.persistence.parameters import to_json

from .conftest import draw_texts

GOLDEN = Path(__file__).parent / "golden"
NEW = ["rocket comet moon", "coach league goal goal"]


def answers(model: HierarchicalLDA | NestedHDP) -> dict[str, Any]:
    """Return what must never change: the tree and its words, the places of documents, and those of clear new cases."""
    tree = model.tree_
    tokens = "token_levels" if isinstance(model, HierarchicalLDA) else "token_topics"
    own: dict[str, Any] = {}
    if isinstance(model, HierarchicalLDA):
        own = {"collapse_below": model.collapse_below, "new_paths": model.predict_paths(_new(model))[:, :2].tolist()}
    return {
        "parent": tree.parent.tolist(),
        "n_docs": tree.n_docs.tolist(),
        "word_counts": tree.word_counts.toarray().tolist(),
        "vocabulary": list(tree.vocabulary),
        "paths": model.paths_.tolist(),
        tokens: getattr(model, f"{tokens}_").tolist(),
        "labels": {str(topic): label for topic, label in tree.names.items()},
        "ids": list(tree.documents.ids),
        "titles": list(tree.documents.titles),
        "n_levels": model.n_levels,
        "sweeps": len(model.history_),
    } | own


def shares_of_levels(model: HierarchicalLDA | NestedHDP) -> list[float]:
    """Of the new documents together; they are sampled, so other programs may differ a little."""
    shares = model.transform(_new(model)).mean(axis=0)
    return [float(shares[model.tree_.level == level].sum()) for level in range(model.tree_.n_levels)]


def _new(model: HierarchicalLDA | NestedHDP) -> Corpus:
    return Corpus.from_texts(NEW, vocabulary=model.tree_.vocabulary, rules=model.rules_, n_jobs=1)


def _fit() -> HierarchicalLDA:
    """A small model that has every parameter, none of them with its default."""
    corpus = Corpus.from_texts(
        draw_texts(16), ids=[f"doc-{d}" for d in range(16)], titles=True, min_df=1, stop_words=None, n_jobs=1
    )
    model = HierarchicalLDA(
        3,
        alpha=[0.3, 0.2, 0.1],
        beta=[0.5, 0.3, 0.2],
        gamma=[0.5, 0.4],
        sampler="pcgs",
        collapse_below=9,
        init="monte_carlo",
        n_init=3,
        init_iterations=8,
        init_samples=2,
        batch_size=8,
        phi="draw",
        n_iter=12,
        max_topics=50,
        free_children=3,
        refine=True,
        target_topics=7,
        min_docs=2,
        learn=["alpha"],
        early_stopping=11,
        checkpoint_every=5,
        checkpoint_minutes=2.0,
        sync="bsp",
        text=TextRules(min_df=1, stop_words=["the"]),
        random_state=5,
    ).fit(corpus)
    model.tree_.set_names({0: "alles", 1: "первый"})
    return model


def _fit_several_paths() -> NestedHDP:
    """The same of the other model."""
    corpus = Corpus.from_texts(
        draw_texts(16), ids=[f"doc-{d}" for d in range(16)], titles=True, min_df=1, stop_words=None, n_jobs=1
    )
    parent = [-1, 0, 0, 1, 1, 2, 2]
    model = NestedHDP(
        4,
        target_topics=9,
        beta=[0.2, 0.1, 0.05, 0.04],
        child_weight=[1.0, 0.5, 0.5, 0.2, 0.2, 0.3, 0.3],
        stop_weight=[1.0, 1.5, 1.5, 2.0, 2.0, 2.0, 2.0],
        tree=parent,
        learn=["beta", "stop_weight"],
        learn_after=6,
        grow=True,
        grow_every=4,
        tau=1.5,
        gamma=0.4,
        free_children=1,
        min_tokens=2,
        init="none",
        init_iterations=7,
        n_iter=14,
        text=TextRules(min_df=1, stop_words=["the"]),
        random_state=5,
    ).fit(corpus)
    model.tree_.set_names({0: "alles", 1: "первый"})
    return model


def _write(name: str) -> None:
    path = GOLDEN / f"model-{name}.grove"
    if path.exists():
        raise SystemExit(f"{path} exists; a golden file is never replaced")
    (_fit_several_paths() if name.endswith("-several-paths") else _fit()).save(path)
    model = load(path)
    known: dict[str, Any] = {"log_joint": model.log_joint_, "shares_of_levels": shares_of_levels(model)}
    if isinstance(model, HierarchicalLDA):
        known["sampler"] = model.sampler_
    known["parameters"] = to_json(model.get_params(deep=False))
    path.with_suffix(".json").write_text(json.dumps({**answers(model), **known}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _write(sys.argv[1])
