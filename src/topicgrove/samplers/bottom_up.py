"""The bottom-up start: find leaves first, then the branches that hold them.

When documents enter one by one, the early ones decide which branches exist, and later ones join them. Level 1 often
ends with one branch that collects everything the others do not, and another seed gives another such branch. Here,
instead, a random sample of documents is sorted into leaves several times, by rough two-level fits (`two_levels`).
Documents are close if they share leaves in many fits, and if they share words (`document_vectors`). Groups of close
documents, nested level by level, become the first tree (`nested_groups`). Sampling starts from that tree, and the other
documents enter in growing batches. The starting tree does not change what a chain converges to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from topicgrove.corpus import Corpus
from topicgrove.samplers.document_vectors import Vectors, document_vectors, own_vectors
from topicgrove.samplers.first_tree import FirstTree, begin_with, tree_of_groups
from topicgrove.samplers.nested_groups import coarse_groups, nested_groups
from topicgrove.samplers.seeded_start import seeded_groups
from topicgrove.samplers.two_levels import Leaves, fit_all_leaves
from topicgrove.state import State

SAMPLE = 40_000
"""Maximum number of documents that the first tree is made from."""

SWEEPS = 4, 12
"""Bounds on the sweeps of a fit: the smaller a part of the documents the sample is, the more sweeps it gets."""

COMPARED = 3_000
"""Maximum number of documents on which the agreement of the fits is measured."""

BLOCK_TOKENS = 1 << 26
"""Tokens whose first levels come from one stream, whichever rank has them."""

STREAMS = 0x0B0770_0B0770
"""Keeps the streams of the fits apart from those of training."""

SMALL_SHARE, SMALL_LEAF = 0.0015, (3, 25)
"""Leaves with a smaller share of the documents are ignored; the threshold is at least 3 and at most 25 documents."""

LEAF_GROWTH = 0.14
"""Exponent with which the number of leaves grows with that of documents, to allow for those outside the sample."""

WIDENING = 0.85
"""Below 1, levels widen more near the root than near the leaves."""

FEWER = 0.8
"""With max_topics, the share of the topics to try next if seeds added too many to those of the groups."""

COARSE, COARSE_POWER = 3.0, 0.22
"""Level 1 has 3 K^0.22 groups, where K is the number of leaves that a fit finds."""


class BottomUp:
    """A start from a tree that is built from its leaves up.

    Parameters
    ----------
    corpus : Corpus
        The documents of all ranks.
    n_fits : int
        Number of two-level fits.
    target_topics : int or sequence of int, default=None
        Approximate number of topics of the tree, or the number on each level below the root; None takes as many leaves
        as a fit finds.
    max_topics : int, default=None
        Maximum number of topics.

    Attributes
    ----------
    agreement : float or None
        How well the level-1 groups from one half of the fits agree with those from the other half, an adjusted Rand
        index, once documents are placed. None for a single fit, and on ranks other than the first.
    """

    def __init__(
        self,
        corpus: Corpus,
        n_fits: int,
        target_topics: int | Sequence[int] | None = None,
        max_topics: int | None = None,
    ) -> None:
        self.corpus = corpus
        self.n_fits = n_fits
        self.target_topics = target_topics
        self.max_topics = max_topics
        self.agreement: float | None = None

    def place(self, state: State, order: NDArray[np.int64], on_documents: Callable[[int], None]) -> int:
        """Place the first documents of an order in a new tree, and return their number. All ranks call it."""
        sample = order[:SAMPLE]
        found = self._find(state, sample, on_documents) if state.comm.rank == 0 else ()
        told = state.comm.broadcast(json.dumps([array.tolist() for array in found]).encode())
        tree = FirstTree(*(np.array(values, np.int64) for values in json.loads(told)))
        first, last = state.assignments.own_docs
        own = np.flatnonzero((sample >= first) & (sample < last))
        token = state.assignments.own_tokens[0]
        levels = uniform_levels(state.n_levels, int(state.seed), token, token + state.n_tokens)
        state.token_levels[:] = levels
        begin_with(state, tree, sample[own] - first, tree.last[own], tree.last[len(sample) :])
        return len(sample)

    def _find(self, state: State, sample: NDArray[np.int64], on_documents: Callable[[int], None]) -> FirstTree:
        """Return a tree with the sampled documents, and the pinned ones after them."""
        corpus, seed = self.corpus.take(sample), int(state.seed) ^ STREAMS
        n_sweeps = int(np.clip(SWEEPS[0] * self.corpus.n_docs // corpus.n_docs, *SWEEPS))
        fits = fit_all_leaves(corpus, self.n_fits, n_sweeps, seed, state.workers, on_documents)
        most = self.max_topics
        while True:
            # Several threads would add up in any order, and a seed would no longer determine the tree.
            with threadpool_limits(1):
                groups = self._group(corpus, fits, state.n_levels, seed, most)
            if state.pinned is None:
                return tree_of_groups(groups)
            tree = tree_of_groups(seeded_groups(groups, corpus, state.pinned))
            if most is None or self.max_topics is None or len(tree.parent) <= self.max_topics:
                return tree
            most = int(FEWER * most)

    def _group(
        self, corpus: Corpus, fits: Sequence[Leaves], n_levels: int, seed: int, most: int | None
    ) -> list[NDArray[np.int64]]:
        least = np.clip(SMALL_SHARE * corpus.n_docs, *SMALL_LEAF)
        found = np.mean([np.sum(np.bincount(fit.of_document) >= least) for fit in fits])
        n_leaves = int(found * (self.corpus.n_docs / corpus.n_docs) ** LEAF_GROWTH)
        target, even = self.target_topics, self.max_topics is None and n_levels > 2
        if isinstance(target, Sequence):
            share = min(1.0, 1.0 if most is None else most / (1 + sum(target)))
            sizes, even = [max(1, int(share * n)) for n in target], False
        else:
            sizes = group_sizes(max(1, n_leaves), n_levels, target, most)
        own = own_vectors(corpus, seed)
        groups = nested_groups(document_vectors(own, fits, seed), sizes, seed, even)
        self.agreement = _agreement(own, fits, int(groups[0].max()) + 1, seed) if self.n_fits > 1 else None
        return groups


def _agreement(own: Vectors, fits: Sequence[Leaves], size: int, seed: int) -> float:
    """Return how well level 1 from one half of the fits agrees with the other half's, on the first documents."""
    fits = [fit._replace(of_document=fit.of_document[:COMPARED]) for fit in fits]
    halves = [
        coarse_groups(document_vectors(own[:COMPARED], half, seed), size, seed)
        for half in (fits[: len(fits) // 2], fits[len(fits) // 2 :])
    ]
    return float(adjusted_rand_score(*halves))


def group_sizes(n_leaves: int, n_levels: int, target: int | None = None, most: int | None = None) -> list[int]:
    """Return the number of topics on each level below the root, from 3 K^0.22 to K.

    With a target, K is chosen so that the topics of all levels add up to it; ``most`` limits their sum.

    >>> group_sizes(300, 4), group_sizes(300, 3), group_sizes(300, 2), group_sizes(300, 4, most=50)
    ([11, 68, 300], [11, 300], [300], [6, 14, 28])
    """
    limit = min((n for n in (target, most) if n is not None), default=None)
    n_leaves = n_leaves if target is None else target
    while True:
        coarse = min(n_leaves, COARSE * n_leaves**COARSE_POWER)
        steps = np.linspace(0, 1, n_levels - 1) ** WIDENING if n_levels > 2 else np.ones(1)
        sizes = [round(coarse * (n_leaves / coarse) ** step) for step in steps]
        if limit is None or 1 + sum(sizes) <= limit or n_leaves == 1:
            return sizes
        n_leaves -= max(1, n_leaves // 100)


def uniform_levels(n_levels: int, seed: int, first: int, last: int) -> NDArray[np.uint8]:
    """Draw the initial levels of tokens first..last - 1 of the whole corpus; the other tokens do not matter.

    >>> uniform_levels(4, 0, 0, 9).tolist() == [*uniform_levels(4, 0, 0, 5), *uniform_levels(4, 0, 5, 9)]
    True
    """
    levels = np.empty(last - first, np.uint8)
    for start in range(first - first % BLOCK_TOKENS, last, BLOCK_TOKENS):
        begin, end = max(first, start), min(last, start + BLOCK_TOKENS)
        rng = np.random.default_rng([seed, start // BLOCK_TOKENS])
        levels[begin - first : end - first] = rng.integers(0, n_levels, end - start, np.uint8)[begin - start :]
    return levels
