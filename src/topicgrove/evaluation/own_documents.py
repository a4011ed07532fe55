"""How probable the documents of training are, given where they are in the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.prior import HyperParameters
    from topicgrove.tree import TopicTree

BLOCK = 2_000_000
"""Tokens that are looked up at a time."""


def log_probabilities(tree: TopicTree, hyper: HyperParameters, corpus: Corpus) -> NDArray[np.float64]:
    """log p(w_d | c_d) = sum_w log sum_l theta_dl phi_{c_dl, w} of each document, with theta and phi at their means.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    hyper : HyperParameters
        Of the model; `alpha` and `beta` are used.
    corpus : Corpus
        The documents that the tree was learned from.

    Examples
    --------
    >>> from topicgrove import Corpus, HierarchicalLDA
    >>> corpus = Corpus.from_matrix([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(corpus)
    >>> bool((log_probabilities(model.tree_, model.hyper_parameters_, corpus) < 0).all())
    True
    """
    documents, counts = tree.documents, tree.word_counts
    assert documents is not None
    assert counts is not None
    check_same_lengths(corpus, documents.level_counts.sum(axis=1))
    counts = counts.copy() if tree.seeds is None else (counts + tree.seeds.counts).tocsr()
    counts.sum_duplicates()
    n_words = counts.shape[1]
    rows = np.repeat(np.arange(len(tree), dtype=np.int64), np.diff(counts.indptr))
    keys, values = rows * n_words + counts.indices, counts.data
    theta = documents.level_counts + hyper.alpha
    theta = theta / theta.sum(axis=1, keepdims=True)
    smoothing = hyper.beta[tree.level]
    totals = counts.sum(axis=1) + n_words * smoothing
    out = np.zeros(corpus.n_docs)
    document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
    for first in range(0, corpus.n_tokens, BLOCK):
        word, of = corpus.words[first : first + BLOCK], document[first : first + BLOCK]
        mixed = np.zeros(len(word))
        for level in range(documents.paths.shape[1]):
            topic = documents.paths[of, level].astype(np.int64)
            key = topic * n_words + word
            at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            count = np.where(keys[at] == key, values[at], 0)
            mixed += theta[of, level] * (count + smoothing[topic]) / totals[topic]
        out += np.bincount(of, weights=np.log(mixed), minlength=corpus.n_docs)
    return out


def check_same_lengths(corpus: Corpus, lengths: NDArray[np.integer]) -> None:
    """Refuse a corpus unless its documents have the lengths of the documents of training."""
    if corpus.n_docs != len(lengths) or not np.array_equal(corpus.document_lengths, lengths):
        raise ValueError(
            f"corpus must be the {len(lengths)} documents that the model was trained on, in their order; "
            f"it has {corpus.n_docs}" + (", with other words" if corpus.n_docs == len(lengths) else "")
        )
