"""Trees of a root and leaves: a quick, rough look at which documents belong together.

A few collapsed sweeps with fresh levels sort documents into leaves. One such fit is noisy; what several of them agree
on is not. See `bottom_up`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.fitted import count_words
from topicgrove.prior import HyperParameters, root_beta
from topicgrove.samplers.collapsed import CollapsedGibbs
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.workers import Workers

MOST_TOKENS = 100, 250
"""Bounds on the tokens of a document that a fit sees, which are about the mean document length.

Each fit sees a different random choice.
"""

LEAF_BETA = 0.1
"""beta of the leaves, as a multiple of the root's."""

LOG_GAMMA = -0.1
"""log gamma, as a multiple of the mean document length."""


MOST_ROOM, DOCS_PER_LEAF = 512, 20
"""Initial room for leaves, at most, and documents per leaf that it allows for: growing later takes time."""


class Leaves(NamedTuple):
    """The leaf of each document, numbered from 0, and the tokens of each word in each leaf."""

    of_document: NDArray[np.int32]
    counts: sparse.csr_array


def fit_all_leaves(
    corpus: Corpus, n_fits: int, n_sweeps: int, seed: int, workers: Workers, on_documents: Callable[[int], None]
) -> list[Leaves]:
    """Fit several two-level trees, each in one thread, so that the number of threads does not change the result.

    ``on_documents`` is called now and then with the number of documents that a sweep over all would have drawn by then.
    """
    fits: dict[int, Leaves] = {}
    drawn = np.zeros(n_fits, np.int64)

    def fit(first: int, last: int) -> None:
        for k in range(first, last):
            fits[k] = fit_leaves(corpus, n_sweeps, (seed + k) % 2**63, partial(drawn.__setitem__, k))

    workers.ranges(n_fits, fit, 1, meanwhile=lambda: on_documents(int(drawn.sum()) // (n_fits * n_sweeps)))
    return [fits[k] for k in range(n_fits)]


def thinned(corpus: Corpus, most: int, rng: np.random.Generator) -> Corpus:
    """Return the corpus with longer documents cut down to about ``most`` random tokens each.

    >>> corpus = thinned(Corpus.from_documents([[0, 1] * 500, [1, 2]]), 100, np.random.default_rng(0))
    >>> 50 < int(corpus.document_lengths[0]) < 150, int(corpus.document_lengths[1])
    (True, 2)
    """
    lengths = corpus.document_lengths
    kept = rng.random(corpus.n_tokens, np.float32) * np.repeat(lengths, lengths) < most
    offsets = np.append(0, np.cumsum(kept, dtype=np.int64))[corpus.offsets]
    return Corpus(corpus.words[kept], offsets, corpus.n_words)


def fit_leaves(corpus: Corpus, n_sweeps: int, seed: int, on_documents: Callable[[int], None]) -> Leaves:
    """Fit a two-level tree in one thread; ``on_documents`` is called with the number of documents drawn so far.

    All sweeps but the last draw fresh levels.
    """
    n_tokens = corpus.n_tokens
    corpus = thinned(corpus, int(np.clip(n_tokens // corpus.n_docs, *MOST_TOKENS)), np.random.default_rng(seed))
    # With fewer tokens, a prior that counts as many would leave fewer leaves.
    beta = root_beta(corpus.n_words, n_tokens) * math.sqrt(max(corpus.n_tokens, 1) / max(n_tokens, 1))
    log_gamma = np.array([LOG_GAMMA * corpus.n_tokens / corpus.n_docs])
    hyper = HyperParameters.of(2, beta=[beta, LEAF_BETA * beta])._replace(log_gamma=log_gamma)
    state = State(corpus, hyper, seed, Workers(1))
    sampler, sweeper = CollapsedGibbs(), Sweeper(state, n_samples=1, fixed_weights=False, max_topics=None)
    sweeper.on_documents = on_documents
    state.topics.grow(births=np.array([0, min(MOST_ROOM, corpus.n_docs // DOCS_PER_LEAF)]))
    documents = np.arange(corpus.n_docs)
    for iteration in range(1, n_sweeps + 1):
        sweeper.sweep(documents, iteration, fresh_levels=iteration < n_sweeps)
        sampler.refresh(state)
    nodes = state.nodes()
    paths = state.paths(nodes)
    counts = count_words(corpus, paths, state.docs.levels, len(nodes.slot))[1:]
    return Leaves(paths[:, 1] - 1, counts)
