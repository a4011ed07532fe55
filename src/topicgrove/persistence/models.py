"""Models on disk: one sealed file with the tree, its counts and words, the documents' places, and the parameters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.checks import flag
from topicgrove.choices import SAMPLERS
from topicgrove.corpus.count_matrix import MAX_SIZE
from topicgrove.corpus.dropped import read_dropped
from topicgrove.corpus.invariants import check_vocabulary
from topicgrove.corpus.sparse_layouts import compressed
from topicgrove.holding_out import HeldOut
from topicgrove.inference import all_paths
from topicgrove.persistence import parameters
from topicgrove.persistence.history import check_history
from topicgrove.persistence.hyper import hyper_arrays, hyper_of
from topicgrove.persistence.migrations import newest_version
from topicgrove.persistence.sealed import (
    Arrays,
    consistent,
    read_sealed,
    take,
    text_arrays,
    texts_of,
    write_sealed,
)
from topicgrove.plans import check_parameters
from topicgrove.tree import Documents, TopicTree
from topicgrove.validation import check_choice, check_whole
from topicgrove.whole_files import FilePath

if TYPE_CHECKING:
    from topicgrove.estimator import HierarchicalLDA

KIND = "topicgrove model"
VERSION = newest_version(KIND)
_TREE = ("parent", "level", "n_docs", "n_tokens")


def save_model(model: HierarchicalLDA, path: FilePath) -> None:
    """Write a fitted model atomically."""
    tree, counts, documents = model.tree_, model.topic_word_counts_, model.tree_.documents
    assert documents is not None
    assert counts is not None
    check_parameters(model)
    facts = {
        "parameters": parameters.to_json(model.get_params(deep=False)),
        "n_words": int(model.n_features_in_),
        "history": model.history_,
        "labels": {str(topic): name for topic, name in tree.names.items()},
        "rules": None if model.rules_ is None else model.rules_.to_dict(),
        "named_features": hasattr(model, "feature_names_in_"),
        "dropped": model.dropped_,
        "held_out": None if model._held_out is None else model._held_out.to_list(),
        "sampler": model.sampler_,
    }
    arrays: Arrays = {f"tree.{name}": getattr(tree, name) for name in _TREE}
    arrays |= {"counts.starts": counts.indptr.astype(np.int64), "counts.words": counts.indices, "counts": counts.data}
    arrays |= hyper_arrays(model.hyper_parameters_)
    arrays |= {"leaf": model.paths_[:, -1], "level_counts": documents.level_counts, "token_levels": model.token_levels_}
    if model._document_keys is not None:
        arrays["document_keys"] = model._document_keys
    texts = {"vocabulary": tree.vocabulary, "ids": documents.ids, "titles": documents.titles}
    if documents.classes is not None:
        texts["classes"] = tuple(json.dumps(path) for path in documents.classes)
    for name, entries in texts.items():
        arrays |= {} if entries is None else text_arrays(name, entries)
    write_sealed(path, KIND, VERSION, facts, arrays)


def load_model(path: FilePath) -> HierarchicalLDA:
    """Read a model that ``save`` wrote, after checking everything.

    Parameters
    ----------
    path : str or path-like
        The model's file.

    Returns
    -------
    HierarchicalLDA

    Raises
    ------
    CorruptModelError
        If the file is damaged, of a newer version, or no model of TopicGrove's.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from topicgrove import HierarchicalLDA, load
    >>> model = HierarchicalLDA(2, n_iter=5, random_state=0).fit([[2, 0], [0, 2]])
    >>> with TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/pets.grove")
    ...     load(f"{folder}/pets.grove").paths_.tolist() == model.paths_.tolist()
    True
    """
    facts, arrays = read_sealed(path, KIND, VERSION)
    with consistent(path, "model"):
        return _build(facts, arrays)


def _build(facts: dict[str, Any], arrays: Arrays) -> HierarchicalLDA:
    model = parameters.estimator_of(facts["parameters"])
    hyper = hyper_of(arrays)
    n_levels, n_words = hyper.n_levels, check_whole("n_words", facts["n_words"], 1, MAX_SIZE)
    parent, level, n_docs, n_tokens = (_integers(f"tree.{name}", arrays) for name in _TREE)
    counts = _word_counts(arrays, (len(parent), n_words))
    if not np.array_equal(counts.sum(axis=1), n_tokens):
        raise ValueError("tokens of topics are not the sums of their words")
    tree = TopicTree(parent, level, n_docs, n_tokens)
    tree.check()
    leaf = _integers("leaf", arrays)
    if len(leaf) and (leaf.min() < 0 or leaf.max() >= len(parent)):
        raise ValueError("documents are in topics that are not there")
    paths = all_paths(tree)[leaf].astype(np.int32)
    level_counts, token_levels = _integers("level_counts", arrays), take(arrays, "token_levels", np.uint8, None)
    _check_documents(tree, paths, level_counts, token_levels, n_levels)
    documents = Documents(paths, level_counts, texts_of("ids", arrays), texts_of("titles", arrays), _classes(arrays))
    vocabulary = texts_of("vocabulary", arrays)
    if vocabulary is not None:
        check_vocabulary(vocabulary, n_words)
    tree = TopicTree(
        parent,
        level,
        n_docs,
        n_tokens,
        word_counts=counts,
        vocabulary=vocabulary,
        beta=hyper.beta,
        documents=documents,
        names={int(topic): name for topic, name in facts["labels"].items()},
    )
    tree.check()
    model.hyper_parameters_ = hyper
    model._keep(tree, token_levels)
    model.history_, model.n_features_in_ = check_history(facts["history"], n_levels), n_words
    model.rules_ = None if facts["rules"] is None else parameters.read_rules(facts["rules"])
    _read_training(model, facts, arrays)
    if flag("named_features", facts["named_features"]):
        if vocabulary is None:
            raise ValueError("the words are said to have names, and have none")
        model.feature_names_in_ = np.array(vocabulary, dtype=object)
    return model


def _read_training(model: HierarchicalLDA, facts: dict[str, Any], arrays: Arrays) -> None:
    """Read facts about the documents of training, which older files lack."""
    model.dropped_ = read_dropped(facts.get("dropped"))
    sampler = facts.get("sampler")
    model.sampler_ = None if sampler is None else check_choice("sampler", sampler, tuple(SAMPLERS))
    if facts.get("held_out") is not None:
        model._held_out = HeldOut.from_list(facts["held_out"])
    if "document_keys" in arrays:
        model._document_keys = take(arrays, "document_keys", np.uint32, len(model.paths_))


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


def _word_counts(arrays: Arrays, shape: tuple[int, int]) -> sparse.csr_array:
    counts = sparse.csr_array((arrays["counts"], arrays["counts.words"], arrays["counts.starts"]), shape=shape)
    compressed(counts)
    counts.sort_indices()
    if not counts.has_canonical_format:
        raise ValueError("topics have a word more than once")
    if counts.nnz and counts.data.min() < 0:
        raise ValueError("counts are negative")
    return counts


def _integers(name: str, arrays: Arrays) -> NDArray[np.int64]:
    if arrays[name].dtype.kind not in "iu":
        raise ValueError(f"{name} has numbers of type {arrays[name].dtype}")
    return arrays[name].astype(np.int64)


def _check_documents(
    tree: TopicTree,
    paths: NDArray[np.int32],
    level_counts: NDArray[np.int64],
    token_levels: NDArray[np.uint8],
    n_levels: int,
) -> None:
    if tree.n_levels != n_levels or level_counts.shape != (len(paths), n_levels) or level_counts.min(initial=0) < 0:
        raise ValueError("the levels of the tree, of its prior and of the documents differ")
    if not np.array_equal(np.bincount(paths.ravel(), minlength=len(tree)), tree.n_docs):
        raise ValueError("documents of topics are not those whose paths go through them")
    document = np.repeat(np.arange(len(paths)), level_counts.sum(axis=1))
    if len(document) != len(token_levels) or token_levels.max(initial=0) >= n_levels:
        raise ValueError("levels of tokens and of documents differ")
    counted = np.bincount(document * n_levels + token_levels, minlength=level_counts.size)
    if not np.array_equal(counted, level_counts.ravel()):
        raise ValueError("levels of tokens and of documents differ")
