"""A growing tree: enumerated on a tiny corpus, and what must hold after every sweep."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from tests.estimator.conftest import draw_counts
from topicgrove import NestedHDP

DOCS, N_WORDS, N_LEVELS = [[0, 0], [0, 1]], 2, 3
BETA, TAU, STOP, GAMMA = (0.8, 0.5, 0.3), 1.5, 0.7, 0.9
N_SWEEPS = 8_000


def stirling(n, m):
    """Unsigned Stirling numbers of the first kind."""
    if n == m:
        return 1
    return 0 if m <= 0 or m > n else stirling(n - 1, m - 1) + (n - 1) * stirling(n - 1, m)


def log_family(totals, stays, children):
    """log of the probability of how the tokens of each document go on from one topic, shares and tables summed out."""
    log_p = sum(
        math.lgamma(STOP + TAU) - math.lgamma(STOP + TAU + b) + math.lgamma(STOP + n) - math.lgamma(STOP)
        for b, n in zip(totals, stays, strict=True)
    )
    counts = [b for child in children for b in child]
    total = 0.0
    for tables in product(*[range(min(b, 1), b + 1) for b in counts]):
        sums = np.reshape(tables, (len(children), len(totals))).sum(axis=1) if counts else np.zeros(0)
        weight = math.prod(stirling(b, m) * TAU**m for b, m in zip(counts, tables, strict=True))
        weight *= GAMMA ** len(children) * math.prod(math.gamma(m) for m in sums)
        total += weight * math.gamma(GAMMA) / math.gamma(GAMMA + sum(tables))
    return log_p + math.log(total)


def log_words(state, words):
    log_p = 0.0
    for node in set(state):
        beta = BETA[len(node)]
        counts = np.bincount([w for w, at in zip(words, state, strict=True) if at == node], minlength=N_WORDS)
        log_p += math.lgamma(N_WORDS * beta) - math.lgamma(N_WORDS * beta + counts.sum())
        log_p += sum(math.lgamma(beta + c) - math.lgamma(beta) for c in counts)
    return log_p


def states(n_tokens):
    """Every way for tokens to stop at nodes, a node being the numbers of children on the way to it."""
    found = [()]
    for _ in range(n_tokens):
        found = [(*state, node) for state in found for node in nodes_for(state)]
    return found


def nodes_for(state):
    """The nodes that one more token may stop at: those on ways in use, and new ones, numbered by first appearance."""
    ways = {node[:k] for node in state for k in range(len(node) + 1)} | {()}
    for way in sorted(ways, key=len):
        yield way
        if len(way) < N_LEVELS - 1:
            n_children = len({other for other in ways if len(other) == len(way) + 1 and other[:-1] == way})
            new = (*way, n_children)
            yield new
            for _ in range(N_LEVELS - 1 - len(new)):
                new = (*new, 0)
                yield new


def posterior():
    words = [w for doc in DOCS for w in doc]
    document = [d for d, doc in enumerate(DOCS) for _ in doc]
    found = states(len(words))
    log_p = []
    for state in found:
        ways = {node[:k] for node in state for k in range(len(node) + 1)} | {()}

        def through(way, own=False, state=state):
            inside = [at == way if own else at[: len(way)] == way for at in state]
            return [sum(i for i, d in zip(inside, document, strict=True) if d == e) for e in range(len(DOCS))]

        log_state = log_words(state, words)
        for way in ways:
            if len(way) < N_LEVELS - 1:
                children = [through(other) for other in ways if len(other) == len(way) + 1 and other[:-1] == way]
                log_state += log_family(through(way), through(way, own=True), children)
        log_p.append(log_state)
    p = np.exp(np.array(log_p) - max(log_p))
    return found, p / p.sum()


def features(state):
    """Levels of the tokens, and how many topics there are on each level."""
    ways = {node[:k] for node in state for k in range(len(node) + 1)}
    return tuple(len(node) for node in state), tuple(sum(len(way) == k for way in ways) for k in range(N_LEVELS))


def chain():
    """The states that a chain visits."""
    seen = []

    def note(event):
        parent = event.parent

        def way(t):
            return () if t == 0 else (*way(parent[t]), int(t))

        seen.append(tuple(way(t) for t in event.token_topics))

    NestedHDP(
        N_LEVELS,
        tree=[-1, 0],
        init="none",
        learn=(),
        learn_after=1,
        grow_every=1,
        beta=BETA,
        child_weight=TAU,
        tau=TAU,
        stop_weight=STOP,
        gamma=GAMMA,
        min_tokens=1,
        n_iter=N_SWEEPS,
        random_state=1,
        callbacks=[note],
    ).fit(np.array([np.bincount(doc, minlength=N_WORDS) for doc in DOCS]))
    return seen


def test_a_growing_chain_visits_trees_as_often_as_the_posterior_says():
    expected = Counter()
    for state, p in zip(*posterior(), strict=True):
        for feature in features(state):
            expected[feature] += p
    seen = chain()
    visited = Counter(feature for state in seen for feature in features(state))
    assert max(abs(visited[f] / len(seen) - p) for f, p in expected.items()) < 0.02
    by_topics = {f for f in expected if f[0] == 1 and len(f) == N_LEVELS}
    assert sum(abs(visited[f] / len(seen) - expected[f]) for f in by_topics) / 2 < 0.03


@pytest.mark.parametrize("n_jobs", [1, 2, 4, 8])
def test_counts_are_those_of_the_tokens_after_every_sweep(n_jobs):
    counts, levels = draw_counts(), set()

    def check(event):
        state = event.state
        maintained = state.words.counts.reshape(state.n_words, state.n_nodes)
        counted = np.zeros_like(maintained)
        np.add.at(counted, (state.tokens.words, event.token_topics), 1)
        assert (maintained == counted).all()
        assert (state.words.totals == counted.sum(axis=0)).all()
        assert state.parent[0] == -1
        assert (np.diff(state.parent) >= 0).all()
        levels.add(tuple(event.n_topics_per_level))

    model = NestedHDP(
        3,
        target_topics=8,
        n_iter=30,
        learn_after=5,
        random_state=0,
        n_jobs=n_jobs,
        callbacks=[check],
        init_iterations=10,
    ).fit(counts)
    model.tree_.check()
    assert len(levels) > 1
    assert model.topic_word_counts_.sum() == counts.sum()
