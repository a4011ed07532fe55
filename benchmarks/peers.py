"""tomotopy 0.13.0, the fastest peer whose trees grow, brought to the same shape as our models."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import tomotopy
from numpy.typing import NDArray
from scipy import sparse

from topicgrove import Corpus, TopicTree
from topicgrove.prior import HyperParameters


class Fitted(NamedTuple):
    """A tree of topics from whatever package, with the seconds that training took."""

    tree: TopicTree
    counts: sparse.csr_array
    hyper: HyperParameters
    seconds: float


def fit_tomotopy(corpus: Corpus, *, eta: float, gamma: float, n_iter: int, seed: int) -> Fitted:
    """Train tomotopy's hierarchical LDA, four levels, alpha .2, in one thread; reading the corpus is not timed."""
    model = tomotopy.HLDAModel(
        tw=tomotopy.TermWeight.ONE, min_cf=0, min_df=0, rm_top=0, depth=4, alpha=0.2, eta=eta, gamma=gamma, seed=seed
    )
    for d in range(corpus.n_docs):
        words = corpus.words[corpus.offsets[d] : corpus.offsets[d + 1]]
        if len(words):
            model.add_doc([str(word) for word in words])
    started = time.perf_counter()
    model.train(n_iter, workers=1, parallel=tomotopy.ParallelScheme.NONE)
    seconds = time.perf_counter() - started
    tree, counts = _arrays(model, corpus.n_words)
    return Fitted(tree, counts, HyperParameters.of(4, 0.2, eta, gamma), seconds)


def _arrays(model: Any, n_words: int) -> tuple[TopicTree, sparse.csr_array]:
    """Its living topics by level, and their word counts from every token's assignment."""
    alive = [k for k in range(model.k) if model.is_live_topic(k)]
    alive.sort(key=lambda k: (model.level(k), k))
    index = {k: i for i, k in enumerate(alive)}
    word_of = np.array([int(word) for word in model.vocabs])
    topics = np.concatenate([np.asarray(doc.topics, np.int64) for doc in model.docs])
    words = word_of[np.concatenate([np.asarray(doc.words, np.int64) for doc in model.docs])]
    table = np.full(model.k, -1)
    table[alive] = np.arange(len(alive))
    ones = np.ones(len(words), np.int64)
    counts = sparse.coo_array((ones, (table[topics], words)), shape=(len(alive), n_words)).tocsr()
    parent = np.array([-1 if model.level(k) == 0 else index[model.parent_topic(k)] for k in alive])
    level = np.array([model.level(k) for k in alive])
    n_docs = np.array([model.num_docs_of_topic(k) for k in alive])
    n_tokens = np.asarray(counts.sum(axis=1)).ravel()
    return TopicTree(parent, level, n_docs, n_tokens), counts


def level_one_topics(corpus: Corpus, *, n_iter: int, seed: int) -> NDArray[np.int64]:
    """The level-1 topic of every document in tomotopy's hierarchical LDA as it comes; -1 for empty documents."""
    model = tomotopy.HLDAModel(seed=seed)
    added = []
    for d in range(corpus.n_docs):
        words = corpus.words[corpus.offsets[d] : corpus.offsets[d + 1]]
        if len(words):
            model.add_doc([str(word) for word in words])
            added.append(d)
    model.train(n_iter, workers=1, parallel=tomotopy.ParallelScheme.NONE)
    topics = np.full(corpus.n_docs, -1)
    topics[added] = [doc.path[1] for doc in model.docs]
    return topics
