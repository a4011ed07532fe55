"""New documents for a trained tree: they join or found topics, while the earlier documents stay as they are.

The topics start with the counts of the earlier documents, which are not sampled again. This is collapsed Gibbs sampling
over the new documents, with the earlier ones as fixed observations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.fitted import classes_of, count_words, make_tree, names
from topicgrove.prior import HyperParameters
from topicgrove.published import renumbered
from topicgrove.samplers.collapsed import CollapsedGibbs
from topicgrove.state import State
from topicgrove.topics import Nodes
from topicgrove.training import Schedule, Trainer
from topicgrove.tree import Documents, TopicTree
from topicgrove.workers import Workers

SWEEPS = 20
FRESH_SWEEPS = 5
"""First sweeps, which draw paths given fresh uniform levels, as when documents enter in training."""


def extend(
    tree: TopicTree,
    hyper: HyperParameters,
    corpus: Corpus,
    *,
    seed: int,
    max_topics: int | None,
    workers: Workers,
) -> tuple[TopicTree, NDArray[np.uint8]]:
    """Return the tree after a corpus has entered, and the levels of the new tokens."""
    leaves = np.flatnonzero(tree.level == tree.n_levels - 1)
    state = State(_with_empty(corpus, len(leaves)), hyper, seed, workers)
    slots = _lay_out(state, tree)
    # Topics move as the matrix grows. An empty document in each leaf, never sampled, shows where the leaf went.
    state.docs.leaf[corpus.n_docs :] = slots[leaves]
    schedule = Schedule(SWEEPS, FRESH_SWEEPS, init_samples=1, batch_size=None, max_topics=max_topics)
    Trainer(state, CollapsedGibbs(), schedule, n_docs=corpus.n_docs).run()
    nodes = state.nodes()
    paths = state.paths(nodes)
    new_paths, levels = paths[: corpus.n_docs], state.docs.levels
    renamed = _renamed(tree, leaves, paths[corpus.n_docs :])
    counts = count_words(corpus, new_paths, levels, len(nodes.slot))
    counts = (counts + _selection(renamed, len(nodes.slot)) @ tree.word_counts).tocsr()
    seeds = None
    if tree.seeds is not None:
        seeds = tree.seeds.part_of(renamed, len(nodes.slot))
        nodes, new = renumbered(nodes, nodes.n_docs - seeds.n_docs)
        counts, seeds = counts[np.argsort(new)], seeds.part_of(new, len(new))
        renamed, new_paths = new[renamed], new[new_paths].astype(np.int32)
    counts.sort_indices()
    documents = _joined(tree.documents, renamed, new_paths, state.assignments.level_counts()[: corpus.n_docs], corpus)
    names = {int(renamed[topic]): name for topic, name in tree.names.items()}
    vocabulary = tree.vocabulary or corpus.vocabulary
    return make_tree(nodes, counts, documents, vocabulary, hyper.beta, names, seeds), levels


def _with_empty(corpus: Corpus, n: int) -> Corpus:
    offsets = np.append(corpus.offsets, np.full(n, corpus.n_tokens))
    return replace(corpus, offsets=offsets, ids=None, titles=None, classes=None)


def _lay_out(state: State, tree: TopicTree) -> NDArray[np.int64]:
    """Lay out all topics as rapid, with their counts, and return their slots."""
    counts, n_docs = tree.word_counts, tree.n_docs
    assert counts is not None
    if tree.seeds is not None:
        counts, n_docs = (counts + tree.seeds.counts).tocsr(), n_docs + tree.seeds.n_docs
    most = int(np.asarray(counts.sum(axis=0)).max(initial=0)) + int(np.bincount(state.docs.words, minlength=1).max())
    if most >= 2**16:
        state.topics.count_type = np.int32
    nodes = Nodes(np.maximum(tree.parent, 0), tree.level, n_docs, np.full(len(tree), -1, np.int64))
    state.topics.lay_out(nodes, np.zeros(len(tree), np.bool_))
    # Right after layout, the living slots of a level are in the order of the nodes.
    slots = np.flatnonzero(state.topics.tree.n_docs > 0)
    columns = counts.tocsc()
    for word in range(state.n_words):
        entries = slice(columns.indptr[word], columns.indptr[word + 1])
        state.topics.words.rapid[word, slots[columns.indices[entries]]] = columns.data[entries]
    state.topics.words.totals[slots] = counts.sum(axis=1)
    return slots


def _renamed(tree: TopicTree, leaves: NDArray[np.int64], paths: NDArray[np.int32]) -> NDArray[np.int64]:
    renamed = np.empty(len(tree), np.int64)
    old = leaves
    for level in range(tree.n_levels - 1, -1, -1):
        renamed[old] = paths[:, level]
        old = np.maximum(tree.parent[old], 0)
    return renamed


def _selection(renamed: NDArray[np.int64], n_topics: int) -> sparse.csr_array:
    """Return a (topics now, topics before) matrix with 1 where a topic is the same."""
    ones = np.ones(len(renamed), np.int32)
    return sparse.coo_array((ones, (renamed, np.arange(len(renamed)))), shape=(n_topics, len(renamed))).tocsr()


def _joined(
    old: Documents | None,
    renamed: NDArray[np.int64],
    paths: NDArray[np.int32],
    level_counts: NDArray[np.int64],
    corpus: Corpus,
) -> Documents:
    """Join the earlier documents and the new ones; a document without a name gets its number."""
    assert old is not None
    all_names: dict[str, Any] = {}
    for name in ("ids", "titles"):
        before, new = getattr(old, name), names(getattr(corpus, name))
        if before is not None or new is not None:
            numbers = map(str, range(len(old) + len(paths))) if name == "ids" else iter([""] * (len(old) + len(paths)))
            unnamed = tuple(numbers)
            all_names[name] = (before or unnamed[: len(old)]) + (new or unnamed[len(old) :])
    if old.classes is not None or corpus.classes is not None:
        none: tuple[tuple[str, ...], ...] = ((),)
        all_names["classes"] = (old.classes or none * len(old)) + (classes_of(corpus) or none * len(paths))
    return Documents(
        np.concatenate([renamed[old.paths].astype(np.int32), paths]),
        np.concatenate([old.level_counts, level_counts]),
        **all_names,
    )
