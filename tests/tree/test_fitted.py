"""A tree of a fitted model."""

import json
import subprocess
import sys

import numpy as np
import pytest

from topicgrove import HierarchicalLDA
from topicgrove.tree import Documents, TopicTree

PLANTED = 5
"""Words of each of four topics; as many again are everywhere."""


@pytest.fixture(scope="module")
def fitted_tree() -> TopicTree:
    rng = np.random.default_rng(0)
    topics = np.zeros((4, 5 * PLANTED))
    for t in range(4):
        topics[t, PLANTED * (t + 1) : PLANTED * (t + 2)] = 0.7 / PLANTED
    topics[:, :PLANTED] = 0.3 / PLANTED
    X = np.array([rng.multinomial(40, topics[d % 4]) for d in range(80)])
    model = HierarchicalLDA(n_levels=3, beta=[1, 0.5, 0.25], n_iter=40, random_state=0).fit(X)
    tree = model.tree_
    document = np.repeat(np.arange(80), X.sum(axis=1))
    level_counts = np.zeros((80, 3), np.int64)
    np.add.at(level_counts, (document, model.token_levels_), 1)
    return TopicTree(
        tree.parent,
        tree.level,
        tree.n_docs,
        tree.n_tokens,
        word_counts=model.topic_word_counts_,
        beta=model.hyper_parameters_.beta,
        documents=Documents(model.paths_, level_counts),
    )


def test_a_fitted_tree_fits_together(fitted_tree):
    fitted_tree.check()
    fitted_tree.prune(min_docs=15).check()
    fitted_tree.subtree(1).check()


def test_distinctive_words_and_documents_of_a_fitted_branch_are_of_one_planted_topic(fitted_tree):
    largest = int(fitted_tree.children[0][0])
    planted = {int(word) // PLANTED - 1 for word in fitted_tree.top_words(largest, 3, by="distinctive")}
    assert len(planted) == 1
    assert planted != {-1}
    assert {d.index % 4 for d in fitted_tree.representative_documents(largest, 3)} == planted


def test_a_fitted_tree_is_exported(fitted_tree):
    assert json.loads(fitted_tree.to_json())["n_docs"] == 80
    assert len(str(fitted_tree).splitlines()) <= 40


def test_importing_the_tree_imports_no_optional_library():
    code = "import sys, topicgrove.tree; print([m for m in ('pandas', 'networkx', 'rich') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
