"""Make the tree that users see from the assignments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.corpus.shards import blocks_of_documents
from topicgrove.distributed.shards import Assignments
from topicgrove.published import publish
from topicgrove.seeds.pinned import SeedPrior
from topicgrove.state import State
from topicgrove.topics import Nodes
from topicgrove.tree import Documents, TopicTree


def tree_of_state(state: State, corpus: Corpus, drawn: Assignments) -> TopicTree:
    """Make the tree of a state, with its words and documents; those of all ranks if there are several."""
    nodes, paths, named, seeds = publish(state, drawn.paths)
    counts = count_words(corpus, paths, drawn.token_levels, len(nodes.slot))
    documents = Documents(paths, drawn.level_counts, names(corpus.ids), names(corpus.titles), classes_of(corpus))
    return make_tree(nodes, counts, documents, corpus.vocabulary, state.hyper.beta, named, seeds)


def make_tree(
    nodes: Nodes,
    counts: sparse.csr_array,
    documents: Documents,
    vocabulary: tuple[str, ...] | None,
    beta: NDArray[np.float64],
    names: dict[int, str] | None = None,
    seeds: SeedPrior | None = None,
) -> TopicTree:
    """Make a tree of these nodes."""
    parent = nodes.parent.copy()
    parent[0] = -1
    n_tokens = np.asarray(counts.sum(axis=1), np.int64).ravel()
    return TopicTree(
        parent,
        nodes.level,
        nodes.n_docs,
        n_tokens,
        word_counts=counts,
        vocabulary=vocabulary,
        beta=beta,
        documents=documents,
        names=names or {},
        seeds=seeds,
    )


def count_words(
    corpus: Corpus, paths: NDArray[np.int32], token_levels: NDArray[np.uint8], n_topics: int
) -> sparse.csr_array:
    """Count (T, V) tokens of each word in each topic, from the assignments."""
    counts = sparse.csr_array((n_topics, corpus.n_words), dtype=np.int32)
    for docs, tokens in blocks_of_documents(corpus.offsets):
        document = np.repeat(np.arange(docs.start, docs.stop), corpus.document_lengths[docs])
        topic = paths[document, token_levels[tokens]]
        ones = np.ones(len(topic), np.int32)
        block = sparse.coo_array((ones, (topic, corpus.words[tokens])), shape=counts.shape)
        counts = counts + block.tocsc().tocsr()  # columns are short, so sorting them is faster than sorting rows
    return counts


def classes_of(corpus: Corpus) -> tuple[tuple[str, ...], ...] | None:
    """The classes of documents, in memory; equal ones are one object."""
    if corpus.classes is None:
        return None
    once: dict[tuple[str, ...], tuple[str, ...]] = {}
    return tuple(once.setdefault(tuple(path), tuple(path)) for path in corpus.classes)


def names(column: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return a column of texts as a tuple in memory."""
    return None if column is None else tuple(column)
