"""Models on disk: one sealed file with the tree, its counts and words, the documents' places, and the parameters."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.choices import MODELS, SAMPLERS
from topicgrove.inference import all_paths
from topicgrove.persistence import parameters
from topicgrove.persistence.history import check_history
from topicgrove.persistence.hyper import hyper_arrays, hyper_of
from topicgrove.persistence.migrations import newest_version
from topicgrove.persistence.model_parts import (
    common_arrays,
    common_facts,
    integers,
    read_columns,
    read_n_words,
    read_training,
    read_tree,
    read_words_and_names,
)
from topicgrove.persistence.sealed import Arrays, check_known, consistent, read_sealed, take, write_sealed
from topicgrove.persistence.seed_priors import seed_arrays, seeds_of
from topicgrove.plans import check_parameters
from topicgrove.tree import Documents, TopicTree
from topicgrove.validation import check_choice
from topicgrove.whole_files import FilePath

if TYPE_CHECKING:
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.nested_hdp import NestedHDP

KIND = "topicgrove model"
VERSION = newest_version(KIND)


def save_model(model: HierarchicalLDA, path: FilePath) -> None:
    """Write a fitted HierarchicalLDA atomically."""
    documents = model.tree_.documents
    assert documents is not None
    check_parameters(model)
    facts = common_facts(model) | {"sampler": model.sampler_}
    arrays = common_arrays(model) | hyper_arrays(model.hyper_parameters_)
    arrays |= {"leaf": model.paths_[:, -1], "level_counts": documents.level_counts, "token_levels": model.token_levels_}
    write_model(path, "hlda", facts, arrays | seed_arrays(model.tree_.seeds))


def write_model(path: FilePath, model: str, facts: dict[str, Any], arrays: Arrays) -> None:
    """Write the file of a model of that name."""
    write_sealed(path, KIND, VERSION, {"model": model} | facts, arrays)


def load_model(path: FilePath) -> HierarchicalLDA | NestedHDP:
    """Read a model that ``save`` wrote, after checking everything.

    Parameters
    ----------
    path : str or path-like
        The model's file.

    Returns
    -------
    HierarchicalLDA or NestedHDP

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
        check_known("model", [facts["model"]], MODELS)
        model: HierarchicalLDA | NestedHDP = resolve_name(MODELS[facts["model"]].read)(facts, arrays)
        return model


def read_one_path_model(facts: dict[str, Any], arrays: Arrays) -> HierarchicalLDA:
    """Make a HierarchicalLDA of the content of a file."""
    model: HierarchicalLDA = parameters.estimator_of(facts["parameters"])
    hyper = hyper_of(arrays)
    n_levels, n_words = hyper.n_levels, read_n_words(facts)
    (parent, level, n_docs, n_tokens), counts = read_tree(arrays, n_words)
    tree = TopicTree(parent, level, n_docs, n_tokens)
    tree.check()
    leaf = integers("leaf", arrays)
    if len(leaf) and (leaf.min() < 0 or leaf.max() >= len(parent)):
        raise ValueError("documents are in topics that are not there")
    paths = all_paths(tree)[leaf].astype(np.int32)
    level_counts, token_levels = integers("level_counts", arrays), take(arrays, "token_levels", np.uint8, None)
    _check_documents(tree, paths, level_counts, token_levels, n_levels)
    tree = TopicTree(
        parent,
        level,
        n_docs,
        n_tokens,
        word_counts=counts,
        beta=hyper.beta,
        documents=Documents(paths, level_counts, **read_columns(arrays)),
        **read_words_and_names(facts, arrays, n_words),
        seeds=seeds_of(arrays, counts.shape),
    )
    tree.check()
    model.hyper_parameters_ = hyper
    model._keep(tree, token_levels)
    model.history_ = check_history(facts["history"], n_levels)
    sampler = facts.get("sampler")
    model.sampler_ = None if sampler is None else check_choice("sampler", sampler, tuple(SAMPLERS))
    read_training(model, facts, arrays, len(paths))
    return model


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
