"""What files of all models have in common: the tree, the words of topics, names of documents, and facts of training."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.checks import flag
from topicgrove.corpus.count_matrix import MAX_SIZE
from topicgrove.corpus.dropped import read_dropped
from topicgrove.corpus.invariants import check_vocabulary
from topicgrove.corpus.sparse_layouts import compressed
from topicgrove.holding_out import HeldOut
from topicgrove.persistence import parameters
from topicgrove.persistence.sealed import Arrays, take, text_arrays, texts_of
from topicgrove.validation import check_whole

TREE = ("parent", "level", "n_docs", "n_tokens")


def common_facts(model: Any) -> dict[str, Any]:
    """Return the facts of a fitted model that every kind of model has."""
    return {
        "parameters": parameters.to_json(model.get_params(deep=False)),
        "n_words": int(model.n_features_in_),
        "history": model.history_,
        "labels": {str(topic): name for topic, name in model.tree_.names.items()},
        "rules": None if model.rules_ is None else model.rules_.to_dict(),
        "named_features": hasattr(model, "feature_names_in_"),
        "dropped": model.dropped_,
        "held_out": None if model._held_out is None else model._held_out.to_list(),
    }


def common_arrays(model: Any) -> Arrays:
    """Return the arrays of a fitted model's tree, its words, and the names of its documents."""
    tree, counts, documents = model.tree_, model.topic_word_counts_, model.tree_.documents
    arrays: Arrays = {f"tree.{name}": getattr(tree, name) for name in TREE}
    arrays |= {"counts.starts": counts.indptr.astype(np.int64), "counts.words": counts.indices, "counts": counts.data}
    if model._document_keys is not None:
        arrays["document_keys"] = model._document_keys
    texts = {"vocabulary": tree.vocabulary, "ids": documents.ids, "titles": documents.titles}
    if documents.classes is not None:
        texts["classes"] = tuple(json.dumps(path) for path in documents.classes)
    for name, entries in texts.items():
        arrays |= {} if entries is None else text_arrays(name, entries)
    return arrays


def read_n_words(facts: dict[str, Any]) -> int:
    """Read the size of the vocabulary."""
    return check_whole("n_words", facts["n_words"], 1, MAX_SIZE)


def read_tree(arrays: Arrays, n_words: int) -> tuple[list[NDArray[np.int64]], sparse.csr_array]:
    """Read the arrays of the tree, and the words of its topics."""
    tree = [integers(f"tree.{name}", arrays) for name in TREE]
    counts = word_counts("counts", arrays, (len(tree[0]), n_words))
    if not np.array_equal(counts.sum(axis=1), tree[-1]):
        raise ValueError("tokens of topics are not the sums of their words")
    return tree, counts


def read_words_and_names(facts: dict[str, Any], arrays: Arrays, n_words: int) -> dict[str, Any]:
    """Read the vocabulary, and the names of topics."""
    vocabulary = texts_of("vocabulary", arrays)
    if vocabulary is not None:
        check_vocabulary(vocabulary, n_words)
    return {"vocabulary": vocabulary, "names": {int(topic): name for topic, name in facts["labels"].items()}}


def read_columns(arrays: Arrays) -> dict[str, Any]:
    """Read ids, titles and classes of the documents."""
    return {"ids": texts_of("ids", arrays), "titles": texts_of("titles", arrays), "classes": _classes(arrays)}


def read_training(model: Any, facts: dict[str, Any], arrays: Arrays, n_docs: int) -> None:
    """Read what every kind of model keeps about its training; older files lack some of it."""
    model.n_features_in_ = read_n_words(facts)
    model.rules_ = None if facts["rules"] is None else parameters.read_rules(facts["rules"])
    model.dropped_ = read_dropped(facts.get("dropped"))
    if facts.get("held_out") is not None:
        model._held_out = HeldOut.from_list(facts["held_out"])
    if "document_keys" in arrays:
        model._document_keys = take(arrays, "document_keys", np.uint32, n_docs)
    if flag("named_features", facts["named_features"]):
        if model.tree_.vocabulary is None:
            raise ValueError("the words are said to have names, and have none")
        model.feature_names_in_ = np.array(model.tree_.vocabulary, dtype=object)


def integers(name: str, arrays: Arrays) -> NDArray[np.int64]:
    """Return an array of integers of any type; refuse other numbers."""
    if arrays[name].dtype.kind not in "iu":
        raise ValueError(f"{name} has numbers of type {arrays[name].dtype}")
    return arrays[name].astype(np.int64)


def _classes(arrays: Arrays) -> tuple[tuple[str, ...], ...] | None:
    """The documents' classes; older programs did not save them."""
    texts = texts_of("classes", arrays)
    if texts is None:
        return None
    path_of: dict[str, tuple[str, ...]] = {}
    for text in texts:
        if text not in path_of:
            path = json.loads(text)
            if not isinstance(path, list) or not all(isinstance(name, str) for name in path):
                raise ValueError(f"classes must be lists of texts; got {path!r:.80}")
            path_of[text] = tuple(path)
    return tuple(path_of[text] for text in texts)


def word_counts(name: str, arrays: Arrays, shape: tuple[int, int]) -> sparse.csr_array:
    """Return a matrix of counts by topic and word; refuse anything else."""
    counts = sparse.csr_array((arrays[name], arrays[f"{name}.words"], arrays[f"{name}.starts"]), shape=shape)
    compressed(counts)
    counts.sort_indices()
    if not counts.has_canonical_format:
        raise ValueError("topics have a word more than once")
    if counts.nnz and counts.data.min() < 0:
        raise ValueError("counts are negative")
    return counts
