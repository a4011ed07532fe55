"""Corpora drawn from the model itself, whose true tree is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.tree import Documents, TopicTree
from topicgrove.validation import check_whole

BLOCK_TOKENS = 1 << 23
"""Tokens that are drawn or sorted at once, which bounds the memory used besides the corpus."""


@dataclass(frozen=True, eq=False)
class SyntheticCorpus:
    """A corpus, with the true topics of its documents and tokens.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    tree : TopicTree
        The true topics, those without documents left out, with the words that were drawn from each.
    paths : array of shape (n_docs, n_levels)
        Topics along each document's path, by their ids in the tree.
    token_levels : uint8 array of shape (n_tokens,)
        The level that each token of the corpus was drawn on.

    Examples
    --------
    >>> made = generate(5, 20, 2, length=3, seed=1)
    >>> made.paths.shape, made.token_levels.shape == made.corpus.words.shape
    ((5, 2), True)
    """

    corpus: Corpus
    tree: TopicTree
    paths: NDArray[np.int64]
    token_levels: NDArray[np.uint8]


def generate(
    n_docs: int,
    n_words: int,
    n_levels: int = 4,
    *,
    branching: Sequence[int] | None = None,
    gamma: ArrayLike = 1.0,
    alpha: ArrayLike = 0.2,
    beta: ArrayLike = 0.1,
    zipf: float = 0.0,
    length: float | Sequence[int] | NDArray[np.integer] = 100.0,
    seed: int = 0,
) -> SyntheticCorpus:
    """Draw a corpus from hierarchical LDA; the same arguments give the same corpus.

    It takes at most 16 bytes per token, plus the word counts of the topics.

    Parameters
    ----------
    n_docs, n_words : int
        Documents, and size of the vocabulary.
    n_levels : int, default=4
        Depth of the tree, the root included.
    branching : sequence of n_levels - 1 int, default=None
        Children of every topic on each level but the last; a document takes each with the same probability. None means
        a tree drawn from the nested Chinese restaurant process.
    gamma : float or one per internal level, default=1.0
        How readily topics branch under the nested Chinese restaurant process; ignored with ``branching``.
    alpha : float or one per level, default=0.2
        Dirichlet prior of a document's proportions over the levels of its path.
    beta : float or one per level, default=0.1
        Dirichlet prior of topics over words: phi ~ Dir(beta V q), where q is the frequency of words in general.
    zipf : float, default=0.0
        q falls with this power of a word's rank, q_v ~ (v + 1)^-zipf; 0 makes all words equally frequent, as in the
        model, and 1 is like natural language.
    length : float or array of int, shape (n_docs,), default=100.0
        Mean of the document lengths, which are Poisson and at least 1; or the length of every document.
    seed : int, default=0
        Seed.

    Returns
    -------
    SyntheticCorpus

    Examples
    --------
    >>> made = generate(200, 50, 3, branching=(2, 3), length=30, seed=7)
    >>> made.tree
    <TopicTree: 9 topics, 1-2-6 by level>
    >>> int(made.tree.n_docs[1:3].sum()), int(made.tree.n_tokens.sum()) == made.corpus.n_tokens
    (200, True)
    """
    check_whole("n_docs", n_docs, 1)
    check_whole("n_words", n_words, 1)
    check_whole("n_levels", n_levels, 2, 64)
    check_whole("seed", seed, 0)
    hyper = HyperParameters.of(n_levels, alpha, beta, gamma)
    children = None if branching is None else _check_branching(branching, n_levels)
    concentration = hyper.beta[:, None] * n_words * _frequencies(n_words, zipf)
    tree_rng, document_rng, *topic_rngs = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2 + n_levels))
    paths, parent, level, n_docs_of = _number_topics(_draw_paths(n_docs, hyper, children, tree_rng))
    lengths = _check_lengths(length, n_docs, document_rng)
    level_counts = document_rng.multinomial(lengths, document_rng.dirichlet(hyper.alpha, n_docs))
    offsets = np.append(0, np.cumsum(lengths))
    words = np.empty(int(offsets[-1]), np.int32)
    rows = [
        row
        for at, rng in enumerate(topic_rngs)
        for row in _draw_level(at, words, offsets, level_counts, paths[:, at], concentration[at], rng)
    ]
    token_levels = _sort_tokens(words, offsets, level_counts)
    counts = _stack(rows, n_words)
    n_tokens = np.asarray(counts.sum(axis=1), np.int64).ravel()
    tree = TopicTree(
        parent,
        level,
        n_docs_of,
        n_tokens,
        word_counts=counts,
        beta=hyper.beta,
        documents=Documents(paths, level_counts),
    )
    return SyntheticCorpus(Corpus(words, offsets, n_words), tree, paths, token_levels)


def _check_branching(branching: Sequence[int], n_levels: int) -> list[int]:
    if len(branching) != n_levels - 1:
        raise ValueError(f"branching must have n_levels - 1 = {n_levels - 1} numbers; got {len(branching)}")
    return [check_whole(f"branching[{at}]", n, 1) for at, n in enumerate(branching)]


def _check_lengths(
    length: float | Sequence[int] | NDArray[np.integer], n_docs: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the number of tokens of every document."""
    given = np.asarray(length)
    if given.ndim == 0:
        if not (np.isfinite(given) and given > 0):
            raise ValueError(f"length must be a positive number or one whole number a document; got {length!r}")
        return np.maximum(rng.poisson(float(given), n_docs), 1)
    if given.shape != (n_docs,) or not np.issubdtype(given.dtype, np.integer) or given.min() < 0:
        raise ValueError(f"length must be a positive number or an array of {n_docs} whole numbers, none negative")
    return given.astype(np.int64)


def _frequencies(n_words: int, zipf: float) -> NDArray[np.float64]:
    """Return q_v ~ (v + 1)^-zipf."""
    if not (np.isfinite(zipf) and zipf >= 0):
        raise ValueError(f"zipf must be a finite number of at least 0; got {zipf!r}")
    weights = np.arange(1.0, n_words + 1.0) ** -zipf
    return np.asarray(weights / weights.sum())


def _draw_paths(
    n_docs: int, hyper: HyperParameters, branching: list[int] | None, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Draw, for every level below the root, which child of its topic a document takes."""
    above = np.zeros(n_docs, np.int64)
    taken = []
    for at in range(hyper.n_levels - 1):
        if branching is not None:
            child = rng.integers(0, branching[at], n_docs)
        else:
            child = np.empty(n_docs, np.int64)
            for docs in _groups(above):
                child[docs] = _choose_tables(len(docs), np.exp(hyper.log_gamma[at]), rng)
        taken.append(child)
        above = np.unique(np.stack([above, child], axis=1), axis=0, return_inverse=True)[1].ravel()
    return taken


def _choose_tables(n: int, gamma: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the children of n documents under a Chinese restaurant process by breaking sticks, as many as needed.

    >>> _choose_tables(6, 1e-9, np.random.default_rng(0)).tolist()
    [0, 0, 0, 0, 0, 0]
    """
    draws = rng.random(n)
    ends, rest = [], 1.0
    while 1.0 - rest <= draws.max():
        rest *= 1.0 - rng.beta(1.0, gamma)
        ends.append(1.0 - rest)
    return np.searchsorted(ends, draws, side="right")


def _groups(topics: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Give the documents of each topic, topics in ascending order."""
    order = np.argsort(topics, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(topics[order])) + 1)


def _number_topics(
    taken: list[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return paths by topic ids, breadth first and siblings by documents; and topics' parents, levels, documents."""
    n = len(taken[0])
    paths = np.zeros((n, len(taken) + 1), np.int64)
    parents, levels, sizes = [np.array([-1])], [np.zeros(1, np.int64)], [np.array([n])]
    first = 1
    for at, child in enumerate(taken, 1):
        pairs, which, n_docs = np.unique(
            np.stack([paths[:, at - 1], child], axis=1), axis=0, return_inverse=True, return_counts=True
        )
        order = np.lexsort((pairs[:, 1], -n_docs, pairs[:, 0]))
        rank = np.empty(len(order), np.int64)
        rank[order] = first + np.arange(len(order))
        paths[:, at] = rank[which.ravel()]
        parents.append(pairs[order, 0])
        levels.append(np.full(len(order), at))
        sizes.append(n_docs[order])
        first += len(order)
    return paths, np.concatenate(parents), np.concatenate(levels), np.concatenate(sizes)


def _draw_level(
    at: int,
    words: NDArray[np.int32],
    offsets: NDArray[np.int64],
    level_counts: NDArray[np.int64],
    topics: NDArray[np.int64],
    concentration: NDArray[np.float64],
    rng: np.random.Generator,
) -> Iterator[sparse.csr_array]:
    """Draw the words of a level into every document's part for it; return each topic's word counts."""
    starts = offsets[:-1] + level_counts[:, :at].sum(axis=1)
    sizes = level_counts[:, at]
    n_words = len(concentration)
    for docs in _groups(topics):
        ends = np.cumsum(rng.dirichlet(concentration))
        counts = np.zeros(n_words, np.int64)
        for block in _blocks(docs, sizes[docs]):
            drawn = np.searchsorted(ends, rng.random(int(sizes[block].sum())) * ends[-1], side="right")
            words[_positions(starts[block], sizes[block])] = drawn
            counts += np.bincount(drawn, minlength=n_words)
        yield sparse.csr_array(counts[None, :])


def _blocks(docs: NDArray[np.int64], sizes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Give documents in runs of at most about ``BLOCK_TOKENS`` tokens."""
    yield from np.split(docs, np.flatnonzero(np.diff(np.cumsum(sizes) // BLOCK_TOKENS)) + 1)


def _positions(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return starts[i], starts[i] + 1, ..., of every run.

    >>> _positions(np.array([3, 9]), np.array([2, 3])).tolist()
    [3, 4, 9, 10, 11]
    """
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))


def _sort_tokens(
    words: NDArray[np.int32], offsets: NDArray[np.int64], level_counts: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Sort every document's words, which are grouped by level, in place; return the levels in the new order."""
    n_docs, n_levels = level_counts.shape
    token_levels = np.empty(len(words), np.uint8)
    for block in _blocks(np.arange(n_docs), np.diff(offsets)):
        part = slice(int(offsets[block[0]]), int(offsets[block[-1] + 1]))
        sizes = level_counts[block]
        document = np.repeat(np.arange(len(block), dtype=np.uint64), sizes.sum(axis=1))
        level = np.repeat(np.tile(np.arange(n_levels, dtype=np.uint64), len(block)), sizes.ravel())
        key = (document << np.uint64(38)) | (words[part].astype(np.uint64) << np.uint64(6)) | level
        key.sort()
        words[part] = ((key >> np.uint64(6)) & np.uint64(0xFFFFFFFF)).astype(np.int32)
        token_levels[part] = (key & np.uint64(63)).astype(np.uint8)
    return token_levels


def _stack(rows: list[sparse.csr_array], n_words: int) -> sparse.csr_array:
    """Stack rows of counts to one matrix, topics in order."""
    starts = np.append(0, np.cumsum([row.nnz for row in rows]))
    indices = np.concatenate([row.indices for row in rows])
    data = np.concatenate([row.data for row in rows])
    return sparse.csr_array((data, indices, starts), shape=(len(rows), n_words))
