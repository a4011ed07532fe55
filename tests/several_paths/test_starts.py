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


def test_flat_topics_separate_words_that_never_meet(walk_plan):
    corpus = Corpus.from_documents([[0, 1, 2, 3] * 5, [4, 5, 6, 7] * 5] * 20, 8)
    with Workers(1) as workers:
        topics = starts.flat_topics(walk_plan, 2, corpus, workers)
    assert set(topics) == {0, 1}
    assert len(set(topics[corpus.words < 4])) == 1
    assert topics[0] != topics[-1]


def test_topics_of_flat_lda_go_below_the_branches_whose_documents_use_them(corpus, plan, walk_plan, monkeypatch):
    document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
    with Workers(1) as workers:
        parent, before = starts.one_path_start(plan, corpus, workers)
        level = levels_of(parent)
        branch = np.zeros(corpus.n_docs, int)
        np.maximum.at(branch, document, np.where(level[before] == 2, parent[before], before))
        n_branches = int((level == 1).sum())
        flat = (n_branches - branch[document]).astype(np.int32)
        monkeypatch.setattr(starts, "flat_topics", lambda *given: flat)
        wanted = walk_plan._replace(target_topics=1 + 2 * n_branches)
        parent, node = starts.branches_start(plan, wanted, corpus, workers)
    below = level[before] == 2
    assert all(a <= b for a, b in pairwise(parent))
    assert np.bincount(levels_of(parent)).tolist() == [1, n_branches, n_branches]
    assert (parent[node[below]] == branch[document[below]]).all()
    assert (node[~below] == before[~below]).all()


def test_a_start_has_as_many_topics_as_asked_for(corpus, plan, walk_plan):
    with Workers(1) as workers:
        parent, node = starts.branches_start(plan, walk_plan._replace(target_topics=20), corpus, workers)
    assert len(parent) == 20
    assert len(node) == corpus.n_tokens
    assert set(np.unique(node)) <= set(range(20))
    assert levels_of(parent).max() == 2
