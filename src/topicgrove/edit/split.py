"""Split a topic by a short run inside it: its documents are grouped anew, or its children."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus import Corpus
from topicgrove.edit.draft import Draft
from topicgrove.placement import Placement
from topicgrove.prior import HyperParameters
from topicgrove.samplers.bottom_up import uniform_levels
from topicgrove.samplers.distributions import refresh_phi
from topicgrove.samplers.document_vectors import own_vectors
from topicgrove.samplers.first_tree import tree_of_groups
from topicgrove.samplers.nested_groups import nested_groups
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.topics import Nodes
from topicgrove.tree import TopicTree
from topicgrove.validation import check_whole
from topicgrove.workers import Workers

SWEEPS = 20
"""Sweeps of the run inside a topic."""

ROUNDS = 3
"""Rounds in which the levels of its documents are drawn again."""


def split(draft: Draft, topic: Any, into: Any = 2) -> None:
    """Split a topic into siblings; the largest part keeps its id, and none keeps its name.

    Documents of a topic on the last level are grouped by their words. Above it, children are grouped by theirs.
    """
    whole = draft.below_root(topic)
    n = check_whole("into", into, 2)
    documents = draft.documents_in([whole])
    corpus = draft.corpus.take(documents)
    last = draft.level[whole] == draft.n_levels - 1
    n_items = len(documents) if last else len(draft.children[whole])
    if n > n_items:
        what = "documents" if last else "topics below it; split those first"
        raise ValueError(f"topic {whole} cannot be split into {n}: it has {n_items} {what}")
    children = list(draft.children[whole])
    column = {child: i for i, child in enumerate(children)}
    items = corpus
    if not last:
        child_of = draft.paths()[documents, draft.level[whole] + 1]
        items = _joined(draft, corpus, documents, np.array([column[int(child)] for child in child_of]), whole)
    group = _by_size(groups_within(items, n, _priors(draft, whole), draft.seed), items.document_lengths, last)
    n_found = int(group.max()) + 1
    if n_found < n:
        raise ValueError(f"topic {whole} cannot be split into {n}: there are only {n_found} that differ in their words")
    parts = [whole, *(draft.add(draft.parent[whole]) for _ in range(n - 1))]
    draft.names.pop(whole, None)
    if last:
        draft.leaf[documents] = np.array(parts)[group]
    else:
        draft.children[whole] = []
        for child, part in zip(children, group.tolist(), strict=True):
            draft.parent[child] = parts[part]
            draft.children[parts[part]].append(child)
    _settle(draft, parts, documents, corpus)


def groups_within(corpus: Corpus, n: int, hyper: HyperParameters, seed: int) -> NDArray[np.int64]:
    """Return the group of each document, out of n: k-means, then a run of a tree with n leaves.

    Groups that the run leaves empty come back as k-means had them.

    >>> corpus = Corpus.from_documents([[0, 0, 1], [1, 0], [2, 3, 3], [3, 2]] * 5)
    >>> groups = groups_within(corpus, 2, HyperParameters.of(2, beta=[0.5, 0.1]), seed=0)
    >>> len(set(groups[0::4].tolist() + groups[1::4].tolist())), len(set(groups.tolist()))
    (1, 2)
    """
    if n == corpus.n_docs:
        return np.arange(n)
    start = nested_groups(own_vectors(corpus, seed), [n], seed)[0]
    with Workers(1) as workers:
        state = State(corpus, hyper, seed, workers)
        parent, level, leaf = tree_of_groups([start])
        nothing = np.zeros(len(parent), np.int64)
        state.docs.leaf[:] = state.topics.instantiate_all(Nodes(parent, level, nothing, nothing - 1))[leaf]
        state.docs.levels[:] = uniform_levels(2, seed, 0, corpus.n_tokens)
        state.topics.count_documents()
        sweeper = Sweeper(state, n_samples=1, fixed_weights=True, max_topics=None)
        for iteration in range(1, SWEEPS + 1):
            refresh_phi(state, draw=False)
            sweeper.sweep(np.arange(corpus.n_docs), iteration, fresh_levels=iteration <= SWEEPS // 2)
            state.topics.count_documents()
        found = np.unique(state.docs.leaf, return_inverse=True)[1].astype(np.int64)
    return found if found.max() == start.max() else start


def _priors(draft: Draft, topic: int) -> HyperParameters:
    """Return priors of two levels, for the topics above the split and for its parts."""
    level, hyper = draft.level[topic], draft.hyper
    alpha = [float(hyper.alpha[:level].sum()), float(hyper.alpha[level:].sum())]
    priors = HyperParameters.of(2, alpha=alpha, beta=hyper.beta[level - 1 : level + 1])
    return priors._replace(log_gamma=hyper.log_gamma[level - 1 : level])


def _joined(draft: Draft, corpus: Corpus, documents: NDArray[np.int64], child: NDArray[np.int64], topic: int) -> Corpus:
    """Return a document for each child: the tokens of its documents from the level of ``topic`` on down."""
    inside = draft.levels[draft.tokens_of(documents)] >= draft.level[topic]
    of_token = np.repeat(child, corpus.document_lengths)[inside]
    order = np.lexsort((corpus.words[inside], of_token))
    n_tokens = np.bincount(of_token, minlength=len(draft.children[topic]))
    return Corpus(corpus.words[inside][order], np.append(0, np.cumsum(n_tokens)), corpus.n_words)


def _by_size(group: NDArray[np.int64], lengths: NDArray[np.int64], last: bool) -> NDArray[np.int64]:
    """Number groups by documents, or by the tokens of the children, the largest first."""
    sizes = np.bincount(group, None if last else lengths)
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[group]


def _settle(draft: Draft, parts: list[int], documents: NDArray[np.int64], corpus: Corpus) -> None:
    """Draw the levels of the documents again, with their paths fixed, so that words find the parts or go above."""
    above = [draft.parent[parts[0]]]
    while above[0] > 0:
        above.insert(0, draft.parent[above[0]])
    topics = sorted((one for part in parts for one in draft.branch(part)), key=lambda one: draft.level[one])
    topics = above + topics
    place = np.full(len(draft.parent), -1, np.int64)
    place[topics] = np.arange(len(topics))
    everything = draft.branch(0)
    rows = np.argsort(everything)[np.searchsorted(np.sort(everything), topics)]
    with Workers(1) as workers:
        for turn in range(ROUNDS):
            whole = draft.part(everything, np.arange(len(draft.leaf)))
            assert whole.word_counts is not None
            tree = TopicTree(
                np.array([-1, *(place[draft.parent[topic]] for topic in topics[1:])]),
                whole.level[rows],
                whole.n_docs[rows],
                whole.n_tokens[rows],
                word_counts=whole.word_counts[rows],
            )
            placement = Placement(tree, tree.word_counts, draft.hyper, corpus, workers)
            levels = draft.levels[draft.tokens_of(documents)]
            placement.settle(place[draft.leaf[documents]], levels, draft.seed + turn)
            draft.set_places(documents, draft.leaf[documents], placement.state.docs.levels)
