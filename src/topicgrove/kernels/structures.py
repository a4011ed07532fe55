"""The arrays that kernels share, as named tuples.

Every topic has a *slot*. Slow topics take slots 0 .. W_s - 1, which are also their columns in ``log_phi``; rapid topics
follow, slot W_s + j being column j of ``rapid``. Inside both matrices the columns of a level are contiguous, padded to
whole cache lines. A slot without a topic has no documents, so its logarithm of documents is -inf and no path takes it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = 0
"""The root's slot: it is slow if any topic is."""

LINE = 16
"""Columns (of four bytes) in a cache line."""

N_TOPIC_LOCKS = 64
"""Number of locks for the counts of rapid topics; topics share them."""

LOCK_STRIDE = 8
"""Entries (of 64 bits) between two locks: each has a cache line of its own."""


class Documents(NamedTuple):
    """The corpus and its assignments."""

    words: NDArray[np.int32]  # [N] tokens, sorted by word inside a document
    offsets: NDArray[np.int64]  # [D + 1]
    levels: NDArray[np.uint8]  # [N] z
    leaf: NDArray[np.int32]  # [D] slot of the last topic of the path c; -1 before the document has entered
    key: NDArray[np.uint64]  # [D] selects the document's random numbers


class Prior(NamedTuple):
    """Hyper-parameters, and sums of logarithms made of them."""

    alpha: NDArray[np.float32]  # [L]
    beta: NDArray[np.float32]  # [L]
    beta_sum: NDArray[np.float64]  # [L] V beta
    gamma: NDArray[np.float64]  # [L], the last unused; 0 where only the logarithm can hold it
    log_gamma: NDArray[np.float64]  # [L]; -inf forbids new topics
    log_rising_word: NDArray[np.float64]  # [L, K] sum_{i<k} log(beta + i)
    log_rising_total: NDArray[np.float64]  # [L, K] sum_{i<k} log(V beta + i)


class Tree(NamedTuple):
    """The nested Chinese restaurant process, by slot."""

    parent: NDArray[np.int32]  # the root is its own parent
    n_docs: NDArray[np.int32]  # m
    log_weight: NDArray[np.float32]  # log m, or log pi where weights are instantiated; -inf without a topic
    log_visits: NDArray[np.float32]  # log(gamma + m): what the weights of the children are divided by
    id: NDArray[np.int32]  # a topic's own number, which it keeps when its slot changes


class TopicWords(NamedTuple):
    """The topics' words: counts of rapid topics, distributions of slow ones."""

    rapid: NDArray[Any]  # [V, W_r] C_tv of rapid topics: uint16, or int32 if a word is too frequent for that
    log_phi: NDArray[np.float32]  # [V, W_s] of slow topics
    root_phi: NDArray[np.float32]  # [V] of the root while it is slow; read for every word of every document
    totals: NDArray[np.int32]  # [W_r] C_t of rapid topics


class Layout(NamedTuple):
    """The columns of each level. ``free`` has a stack per level, in the level's own range of columns."""

    slow_start: NDArray[np.int64]  # [L + 1]
    rapid_start: NDArray[np.int64]  # [L + 1]
    rapid_used: NDArray[np.int64]  # [L] columns from the start that ever held a topic
    n_free: NDArray[np.int64]  # [L]
    free: NDArray[np.int32]  # [W_r] columns whose topic died


class Control(NamedTuple):
    """Counters and locks that all threads share, each in a cache line of its own."""

    n_topics: NDArray[np.int64]  # [1] living topics
    n_ids: NDArray[np.int64]  # [1] topics born so far: the id of the next
    cursor: NDArray[np.int64]  # [1] the next position in the order of the sweep
    stop: NDArray[np.int64]  # [1] not 0: all threads stop at the next document
    tree_lock: NDArray[np.int64]  # [1] held to change the tree
    topic_locks: NDArray[np.int64]  # [N_TOPIC_LOCKS x LOCK_STRIDE] held to change counts of rapid topics


class TopicArrays(NamedTuple):
    """Everything about the topics that threads share."""

    tree: Tree
    words: TopicWords
    layout: Layout
    control: Control


class Settings(NamedTuple):
    """Settings of a sweep."""

    seed: np.uint64
    iteration: np.uint64
    n_threads: int
    max_topics: int
    n_samples: int  # draws of the levels per document; 1 unless they are fresh
    fresh_levels: bool  # draw uniform levels before the path
    fixed_weights: bool  # paths are weighted by log_weight as it is, and the tree is not changed
    fixed_paths: bool  # documents keep their paths, only levels are drawn (with fixed weights)


class DocumentWords(NamedTuple):
    """The distinct words of the document, a row each."""

    n_rows: NDArray[np.int64]  # [1]
    word: NDArray[np.int32]  # [longest] the row's word
    row_of: NDArray[np.int32]  # [longest] the row of a token
    counted: NDArray[np.float32]  # [longest, L] how often the word is on a level, as the topics have counted it
    drawn: NDArray[np.float32]  # [longest, L] the same for levels just drawn


class WordsByLevel(NamedTuple):
    """The words of the document level by level: each once, and every token."""

    start: NDArray[np.int64]  # [2 L + 2] where a level begins in `words` and in `tokens`
    words: NDArray[np.int32]  # [longest + 1] distinct words
    times: NDArray[np.float32]  # [longest + 1] how often they are on the level
    tokens: NDArray[np.int32]  # [longest] words of tokens, equal ones together
    repeat: NDArray[np.float32]  # [longest] how many equal tokens come before on the level
    left: NDArray[np.float32]  # [longest + 1] the same for one level, less the topic's count of the document's


class PathScores(NamedTuple):
    """Scores of topics, and weights of paths made of them."""

    ranges: NDArray[np.int64]  # [2 L, 2] slots of a level: slow, rapid
    score: NDArray[np.float32]  # [slots] log f
    mantissa: NDArray[np.float32]  # [W_r] product of factors, exponent split off
    exponent: NDArray[np.int32]  # [W_r] sum of the exponents
    new: NDArray[np.float64]  # [L + 1] log f of new topics from a level down
    passing: NDArray[np.float32]  # [slots] log weight to pass through a topic, divided by its visits
    candidate: NDArray[np.float32]  # [samples, slots] leaf: log weight of its path; else: of a new branch below
    chosen: NDArray[np.int64]  # [samples x slots] candidates that matter
    weight: NDArray[np.float64]  # [samples x slots] running sums of their weights


class LevelWeights(NamedTuple):
    """Weights for drawing the levels of tokens."""

    likelihood: NDArray[np.float32]  # [longest, max(L, lanes)] phi along the path; 0 beyond the last level
    scratch: NDArray[np.float32]  # [N_SCRATCH, max(L, lanes)] see kernels.levels
    lanes: tuple[int, ...]  # of a vector with an entry per level; none if there are too many levels


class Workspace(NamedTuple):
    """What one thread needs to work on a document."""

    stream: NDArray[np.uint64]  # [2] random numbers
    pending: NDArray[np.int64]  # [2] documents of the current chunk still to do: first, end
    path: NDArray[np.int64]  # [L] slots
    drawn_levels: NDArray[np.uint8]  # [samples, longest]
    document: DocumentWords
    by_level: WordsByLevel
    paths: PathScores
    levels: LevelWeights
