"""A bottom-up start with seeds: each close group of documents goes to the seeded topic whose words it uses most.

A group is matched by the documents n_v in which a word v occurs, where E_v would be expected. A topic's score is the
signed Poisson deviance of its words and of those below it in the taxonomy,

S = sum_v sign(n_v - E_v) (n_v log(n_v / E_v) - n_v + E_v).

The topic with the best score takes the group if the score is significant; then the topics below it compete in the same
way. Groups that no topic takes stay as they are, and so does what lies below the last seeded topic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import xlogy

from topicgrove.corpus import Corpus
from topicgrove.samplers.first_tree import nested
from topicgrove.seeds.pinned import Pinned

LEAST_SCORE = 3.0
"""Least score, in nats, with which a topic takes a group."""

Longs = NDArray[np.int64]


def seeded_groups(groups: Sequence[Longs], corpus: Corpus, pinned: Pinned) -> list[Longs]:
    """Return nested groups of the documents and, after them, of the pinned documents, with seeded topics among them.

    A pinned document joins the largest group that its last seeded topic took.
    """
    last = groups[-1]
    topic_of = match(last, corpus, pinned)
    paths = _seeded_paths(pinned, len(groups))
    first_free = len(pinned.names) + pinned.n_docs
    keys = [first_free + group for group in groups]
    seeded = np.vstack([paths, np.full(len(groups), -1)])[topic_of[last]]
    documents = [np.where(seeded[:, i] >= 0, seeded[:, i], key) for i, key in enumerate(keys)]
    own = np.stack(pinned.keys(len(groups) + 1), axis=1)
    sizes = np.bincount(last)
    for topic, document in enumerate(pinned.document.tolist()):
        taken = np.flatnonzero(topic_of == topic)
        if len(taken) and pinned.level[topic] == pinned.seeded_levels[document]:
            member = np.flatnonzero(last == taken[np.argmax(sizes[taken])])[0]
            own[document] = [key[member] for key in documents]
    return nested([np.append(key, of_pinned) for key, of_pinned in zip(documents, own.T, strict=True)])


def match(groups: Longs, corpus: Corpus, pinned: Pinned) -> Longs:
    """Return the last seeded topic on the path that takes each group; -1 for none.

    >>> from topicgrove.seeds.pinned import pin
    >>> from topicgrove.seeds.taxonomy import SeedTopic
    >>> corpus = Corpus.from_documents([[0, 1]] * 9 + [[0, 2]] * 9 + [[0]] * 9)
    >>> pinned = pin([SeedTopic("a", -1, 1, ()), SeedTopic("b", -1, 1, ())], [np.array([2]), np.array([1])], 1)
    >>> match(np.repeat([0, 1, 2], 9), corpus, pinned).tolist()
    [1, 0, -1]
    """
    scores = _scores(groups, corpus, pinned)
    taken = np.full(len(scores), -1, np.int64)
    for level in range(1, int(pinned.level.max()) + 1):
        topics = np.flatnonzero(pinned.level == level)
        for group in range(len(scores)):
            rivals = topics[pinned.parent[topics] == taken[group]]
            if len(rivals) and scores[group, rivals].max() >= LEAST_SCORE:
                taken[group] = rivals[np.argmax(scores[group, rivals])]
    return taken


def _scores(groups: Longs, corpus: Corpus, pinned: Pinned) -> NDArray[np.float64]:
    """Return (groups, seeded topics) scores."""
    present = corpus.to_csr()
    present.data = np.ones(len(present.data), np.float64)
    member = sparse.csr_array((np.ones(len(groups)), (groups, np.arange(len(groups)))))
    sizes, n_docs = np.bincount(groups), np.asarray(present.sum(axis=0)).ravel()
    scores = np.zeros((len(sizes), len(pinned.names)))
    for topic, words in enumerate(pinned.word_ids):
        found = np.asarray((member @ present[:, words]).todense())
        expected = np.outer(sizes / len(groups), n_docs[words])
        deviance = xlogy(found, found / np.maximum(expected, 1e-300)) - found + expected
        scores[:, topic] = (np.sign(found - expected) * deviance).sum(axis=1)
    # Depth first, so what is below a topic comes after it.
    for topic in range(len(pinned.names) - 1, -1, -1):
        if pinned.parent[topic] >= 0:
            scores[:, pinned.parent[topic]] += scores[:, topic]
    return scores


def _seeded_paths(pinned: Pinned, n_below: int) -> Longs:
    """Return the seeded topics on the path to each of them, on every level below the root; -1 below the last."""
    paths = np.full((len(pinned.names), n_below), -1)
    for topic in range(len(pinned.names)):
        if pinned.parent[topic] >= 0:
            paths[topic] = paths[pinned.parent[topic]]
        paths[topic, pinned.level[topic] - 1] = topic
    return paths
