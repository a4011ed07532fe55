"""Paths and proportions of new documents in a trained tree.

A chain starts on the path that explains a document best with levels summed out. It continues by Gibbs sampling over (c,
z) with phi and the path weights fixed. Each of its sweeps is a sample.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.evaluation.completion import log_likelihoods
from topicgrove.placement import Placement
from topicgrove.prior import HyperParameters
from topicgrove.tree import TopicTree
from topicgrove.workers import Workers


class Inferred(NamedTuple):
    """Samples of documents' places in a tree, and summaries of them, as `HierarchicalLDA.infer` returns.

    S is the number of samples, D of documents, L of levels.

    Attributes
    ----------
    leaf : int64 array of shape (S, D)
        The topic in which a document's path ends, in each sample.
    theta : float32 array of shape (S, D, L)
        The proportions of the levels along that path.
    empty : bool array of shape (D,)
        Whether a document has no words; its samples then carry no information.
    best : int64 array of shape (D,)
        The leaf of the most probable path; for an empty document, the largest leaf.
    log_probability : float64 array of shape (D,)
        log p(w | best path, its mean proportions), summed over the document's words; 0 for an empty document.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove import HierarchicalLDA
    >>> X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X)
    >>> inferred = model.infer(X[:3])
    >>> inferred.leaf.shape, inferred.theta.shape
    ((10, 3), (10, 3, 2))
    >>> bool((inferred.best == model.predict_paths(X[:3])[:, -1]).all())
    True
    """

    leaf: NDArray[np.int64]
    theta: NDArray[np.float32]
    empty: NDArray[np.bool_]
    best: NDArray[np.int64]
    log_probability: NDArray[np.float64]


def infer(
    tree: TopicTree,
    counts: sparse.csr_array,
    hyper: HyperParameters,
    corpus: Corpus,
    *,
    n_sweeps: int,
    seed: int,
    n_threads: int,
) -> Inferred:
    """Place the documents of a corpus whose vocabulary is the tree's."""
    with Workers(n_threads) as workers:
        placement = Placement(tree, counts, hyper, corpus, workers)
        placement.start_best(seed)
        start = placement.topics()
        leaf = np.empty((n_sweeps, corpus.n_docs), np.int64)
        theta = np.empty((n_sweeps, corpus.n_docs, tree.n_levels), np.float32)
        for s, sample in enumerate(placement.samples(n_sweeps)):
            leaf[s], theta[s] = sample
        empty = corpus.document_lengths == 0
        best = _most_frequent(leaf, start)
        best[empty] = _largest_leaf(tree)
        placement.state.docs.leaf[:] = placement.slot_of[best]
        log_probability = log_likelihoods(placement, corpus, mean_theta(leaf, theta, best))
    return Inferred(leaf, theta, empty, best, log_probability)


def topic_proportions(tree: TopicTree, hyper: HyperParameters, inferred: Inferred) -> NDArray[np.float64]:
    """Return the (D, T) expected share of each topic; empty documents get the prior's."""
    n_samples, n_docs = inferred.leaf.shape
    out = np.zeros((n_docs, len(tree)))
    paths = all_paths(tree)
    rows = np.arange(n_docs)[:, None]
    for s in range(n_samples):
        # The topics of a path are distinct, so no entry is added to twice.
        out[rows, paths[inferred.leaf[s]]] += inferred.theta[s]
    share = hyper.alpha / hyper.alpha.sum()
    out[inferred.empty] = share[tree.level] * tree.n_docs / tree.n_docs[0]
    out /= out.sum(axis=1, keepdims=True)
    return out


def path_distribution(tree: TopicTree, inferred: Inferred) -> sparse.csr_array:
    """Return the (D, T) probability that a document's path ends in a topic; empty documents get the prior's."""
    n_samples, n_docs = inferred.leaf.shape
    full = ~inferred.empty
    rows = np.tile(np.arange(n_docs)[full], n_samples)
    columns = inferred.leaf[:, full].ravel()
    values = np.full(len(rows), 1 / n_samples)
    leaves = np.flatnonzero(tree.level == tree.n_levels - 1)
    empty = np.flatnonzero(inferred.empty)
    rows = np.append(rows, np.repeat(empty, len(leaves)))
    columns = np.append(columns, np.tile(leaves, len(empty)))
    values = np.append(values, np.tile(tree.n_docs[leaves] / tree.n_docs[0], len(empty)))
    return sparse.coo_array((values, (rows, columns)), shape=(n_docs, len(tree))).tocsr()


def all_paths(tree: TopicTree) -> NDArray[np.int64]:
    """Return (T, L) topics from the root to each topic; the row of an inner topic repeats the topic."""
    paths = np.empty((len(tree), tree.n_levels), np.int64)
    here = np.arange(len(tree))
    for level in range(tree.n_levels - 1, -1, -1):
        paths[:, level] = here
        here = np.where(tree.level[here] == level, np.maximum(tree.parent[here], 0), here)
    return paths


def mean_theta(leaf: NDArray[np.int64], theta: NDArray[np.float32], best: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (D, L) proportions averaged over the samples on the best path, or over all samples if none is on it."""
    on_best = (leaf == best).astype(np.float64)
    on_best[:, on_best.sum(axis=0) == 0] = 1.0
    weights = on_best / on_best.sum(axis=0)
    mean: NDArray[np.float64] = np.einsum("sd,sdl->dl", weights, theta)
    return mean


def _most_frequent(leaf: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the (D,) most frequent leaf; among ties, prefer the start."""
    votes = np.array([(leaf == candidate).sum(axis=0) for candidate in leaf])
    first = np.argmax(votes, axis=0)
    most = votes[first, np.arange(leaf.shape[1])]
    return np.where((leaf == start).sum(axis=0) == most, start, leaf[first, np.arange(leaf.shape[1])])


def _largest_leaf(tree: TopicTree) -> int:
    leaves = np.flatnonzero(tree.level == tree.n_levels - 1)
    return int(leaves[np.argmax(tree.n_docs[leaves])])
