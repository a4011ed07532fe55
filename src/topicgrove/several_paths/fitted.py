"""The step from the nodes of tokens to the tree that users see."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.fitted import classes_of, names
from topicgrove.several_paths.paths import (
    ROUNDS,
    ancestors,
    explained_paths,
    main_paths,
    profiles_of,
    telling_counts,
    word_counts,
)
from topicgrove.several_paths.shape import WalkHyper, levels_of
from topicgrove.several_paths.state import WalkState, document_counts
from topicgrove.tree import Documents, TopicTree


class Walks(NamedTuple):
    """The topic of every token, and main paths, of the documents of all ranks; only rank 0 has them."""

    node: NDArray[np.int32]
    paths: NDArray[np.int64]


def gathered_walks(state: WalkState, n_levels: int, after: int) -> Walks | None:
    """Gather the walks of all ranks at rank 0, in the order of the corpus; return None elsewhere.

    First main paths come from a few more sweeps, numbered from ``after + 1`` on; from there, documents go where the
    documents on a topic explain them best.
    """
    state.collapse()
    node = state.node.copy()
    paths = main_paths(state.parent, telling_counts(state, after), n_levels)
    state.node[:] = node
    own, counts = state.document_counts(), state.counts()
    documents = word_counts(state.tokens.words, state.tokens.offsets, state.n_words)
    for _ in range(ROUNDS):
        profiles = profiles_of(paths, own)
        state.comm.allreduce_sum(profiles)
        paths = explained_paths(state.parent, profiles, counts, documents, n_levels)
    nodes, all_paths = state.comm.gather(node), state.comm.gather(paths)
    return Walks(np.concatenate(nodes), np.concatenate(all_paths)) if state.comm.rank == 0 else None


def tree_of_walks(
    state: WalkState, corpus: Corpus, walks: Walks, *, keep_ids: bool
) -> tuple[TopicTree, NDArray[np.int32], WalkHyper]:
    """Return the tree of a state, the topic of every token, and the hyper-parameters.

    Siblings are sorted by the documents whose main path they are on, most first, unless topics keep their numbers.
    """
    parent, level, paths = state.parent, state.level, walks.paths
    own = document_counts(corpus.offsets, walks.node, state.n_nodes)
    old = np.arange(len(parent)) if keep_ids else _sorted_by_documents(parent, level, paths, own)
    new = np.empty(len(parent), np.int64)
    new[old] = np.arange(len(parent))
    parent = np.append(-1, new[parent[old][1:]])
    paths = np.where(paths >= 0, new[paths], -1)
    own, counts = _with_columns(own, old), state.counts()[old]
    tree = _make_tree(parent, counts, own, paths, corpus, state.hyper.beta)
    hyper = WalkHyper(state.hyper.beta, state.hyper.child_weight[old], state.hyper.stop_weight[old])
    return tree, new[walks.node].astype(np.int32), hyper


def tree_of_sweep(state: WalkState, corpus: Corpus) -> TopicTree:
    """Return the tree of a state during training, without unused topics; main paths are by the tokens of one sweep."""
    own = document_counts(corpus.offsets, state.node, state.n_nodes)
    used = np.flatnonzero((own @ ancestors(state.parent)).sum(axis=0))
    parent = np.append(-1, np.searchsorted(used, state.parent[used[1:]]))
    own = _with_columns(own, used)
    paths = main_paths(parent, own, int(state.level[used].max()) + 1)
    return _make_tree(parent, state.counts()[used], own, paths, corpus, state.hyper.beta)


def _make_tree(
    parent: NDArray[np.int64],
    counts: sparse.csr_array,
    own: sparse.csr_array,
    paths: NDArray[np.int64],
    corpus: Corpus,
    beta: NDArray[np.float64],
) -> TopicTree:
    level = levels_of(parent)
    return TopicTree(
        parent,
        level,
        np.bincount(paths[paths >= 0], minlength=len(parent)),
        np.asarray(counts.sum(axis=1), np.int64).ravel(),
        word_counts=counts,
        vocabulary=corpus.vocabulary,
        beta=beta,
        documents=Documents(
            paths,
            level_counts(own, level, paths.shape[1]),
            names(corpus.ids),
            names(corpus.titles),
            classes_of(corpus),
            own,
        ),
    )


def level_counts(own: sparse.csr_array, level: NDArray[np.int64], n_levels: int) -> NDArray[np.int64]:
    """Return (D, L) tokens of each document on each level, given (D, T) tokens in each topic."""
    by_level = sparse.csr_array((np.ones(len(level), np.int64), (np.arange(len(level)), level)), (len(level), n_levels))
    counts: NDArray[np.int64] = (own @ by_level).toarray()
    return counts


def _sorted_by_documents(
    parent: NDArray[np.int64], level: NDArray[np.int64], paths: NDArray[np.int64], own: sparse.csr_array
) -> NDArray[np.int64]:
    """Return the topics breadth first; siblings with most documents come first, then those with most tokens."""
    n_docs = np.bincount(paths[paths >= 0], minlength=len(parent))
    n_tokens = ancestors(parent).T @ np.asarray(own.sum(axis=0)).ravel()
    place = np.zeros(len(parent), np.int64)
    order = [np.zeros(1, np.int64)]
    for at in range(1, int(level.max()) + 1):
        here = np.flatnonzero(level == at)
        here = here[np.lexsort((here, -n_tokens[here], -n_docs[here], place[parent[here]]))]
        place[here] = np.arange(len(here))
        order.append(here)
    return np.concatenate(order)


def _with_columns(matrix: sparse.csr_array, columns: NDArray[np.int64]) -> sparse.csr_array:
    chosen: sparse.csr_array = matrix[:, columns].tocsr()
    chosen.sort_indices()
    return chosen
