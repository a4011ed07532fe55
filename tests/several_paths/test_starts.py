"""What training with several paths starts from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.estimator.conftest import draw_counts
from topicgrove import Corpus, HierarchicalLDA, NestedHDP
from topicgrove.plans import make_plan
from topicgrove.several_paths import starts
from topicgrove.several_paths.plans import make_walk_plan
from topicgrove.several_paths.shape import levels_of
from topicgrove.workers import Workers


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_matrix(draw_counts())


@pytest.fixture(scope="module")
def plan(corpus):
    return make_plan(HierarchicalLDA(3, target_topics=12, n_iter=10, random_state=0), corpus)


@pytest.fixture(scope="module")
def walk_plan(corpus):
    return make_walk_plan(NestedHDP(3, random_state=0), corpus)


def test_relaxed_tokens_of_words_that_never_meet_part(walk_plan):
    corpus = Corpus.from_documents([[0, 1, 2, 3] * 5, [4, 5, 6, 7] * 5] * 20, 8)
    mixed = (np.arange(corpus.n_tokens) % 2).astype(np.int32)
    with Workers(1) as workers:
        topics = starts.relaxed(walk_plan, corpus, workers, mixed, 2)
    assert set(topics) == {0, 1}
    assert len(set(topics[corpus.words < 4])) == 1
    assert topics[0] != topics[-1]


def test_leaves_go_below_the_branches_whose_documents_use_them(corpus, plan, walk_plan, monkeypatch):
    given = {}

    def moved(plan, corpus, workers, node, n_topics, comm):
        """Every token of level 2 to the leaf that has the number of its document's branch, from behind."""
        document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
        level, parent = given["level"], given["parent"]
        branch = np.zeros(corpus.n_docs, int)
        np.maximum.at(branch, document, np.where(level[node] == 2, parent[node], np.where(level[node] == 1, node, 0)))
        given.update(node=node, branch=branch[document])
        return np.where(level[node] == 2, n_topics - branch[document], node).astype(np.int32)

    with Workers(1) as workers:
        given["parent"], _ = starts.one_path_start(plan, corpus, workers)
        given["level"] = levels_of(given["parent"])
        monkeypatch.setattr(starts, "relaxed", moved)
        parent, node = starts.relaxed_start(plan, walk_plan, corpus, workers)
    level = levels_of(parent)
    assert all(a <= b for a, b in pairwise(parent))
    assert np.bincount(level).tolist() == np.bincount(given["level"]).tolist()
    assert (level[node] == given["level"][given["node"]]).all()
    below = level[node] == 2
    assert (parent[node[below]] == given["branch"][below]).all()
    assert (node[~below] == given["node"][~below]).all()


def test_a_relaxed_start_keeps_the_number_of_topics(corpus, plan, walk_plan):
    with Workers(1) as workers:
        before, _ = starts.one_path_start(plan, corpus, workers)
        parent, node = starts.relaxed_start(plan, walk_plan, corpus, workers)
    assert len(parent) == len(before)
    assert len(node) == corpus.n_tokens
    assert set(np.unique(node)) <= set(range(len(parent)))
    assert levels_of(parent).max() == 2
