"""On a fixed tree with fixed priors, chains agree with the enumerated posterior."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from topicgrove import Corpus, NestedHDP
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.state import WalkState
from topicgrove.several_paths.training import WalkSchedule, WalkTrainer
from topicgrove.workers import Workers

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "several_paths.json"
N_SWEEPS = 60_000
BOUND = 0.01

pytestmark = pytest.mark.skipif(not REFERENCE.exists(), reason="there is no reference data")


@pytest.fixture(scope="module")
def reference():
    return json.loads(REFERENCE.read_text())["E"]


def distances(reference, topics):
    """The largest deviations of P(node of a token) and of P(two tokens at one node)."""
    n_topics = len(reference["fixture"]["parent"])
    node = np.stack([(topics == t).mean(axis=0) for t in range(n_topics)], axis=1)
    same = (topics[:, :, None] == topics[:, None, :]).mean(axis=0)
    return np.abs(node - reference["node"]).max(), np.abs(same - reference["same"]).max()


def sampled(reference, few_topics, seed, n_sweeps):
    """The topics of all tokens after each sweep, from kernels that weigh all topics of so small a tree or not."""
    given = reference["fixture"]
    corpus = Corpus.from_documents(given["docs"], given["V"])
    hyper = WalkHyper(*(np.array(given[name], float) for name in ("beta", "alpha", "stop")))
    state = WalkState(corpus, np.array(given["parent"]), hyper, seed, Workers(1), few_topics=few_topics)
    state.start()
    trainer = WalkTrainer(state, WalkSchedule(n_sweeps, (), 1))
    topics = np.empty((n_sweeps, corpus.n_tokens), np.int32)
    for sweep in range(n_sweeps):
        trainer.iteration = sweep + 1
        trainer.step()
        topics[sweep] = state.node
    return topics


@pytest.mark.slow
@pytest.mark.parametrize("few_topics", [32, 1], ids=["all weighed", "corrected proposals"])
def test_chains_visit_nodes_as_often_as_the_posterior_says(reference, few_topics):
    assert max(distances(reference, sampled(reference, few_topics, seed=1, n_sweeps=N_SWEEPS))) < BOUND


def test_corrected_proposals_visit_nodes_as_often_as_the_posterior_says(reference):
    assert max(distances(reference, sampled(reference, few_topics=1, seed=1, n_sweeps=15_000))) < 2 * BOUND


def test_the_estimator_with_everything_fixed_is_that_chain(reference):
    given, seen = reference["fixture"], []
    counts = np.array([np.bincount(doc, minlength=given["V"]) for doc in given["docs"]])
    model = NestedHDP(
        3,
        tree=given["parent"],
        init="none",
        grow=False,
        learn=(),
        beta=given["beta"],
        child_weight=given["alpha"],
        stop_weight=given["stop"],
        n_iter=15_000,
        random_state=1,
        callbacks=[lambda event: seen.append(event.token_topics)],
    ).fit(counts)
    assert max(distances(reference, np.array(seen))) < 2 * BOUND
    assert model.tree_.parent.tolist() == given["parent"]
    assert (model.token_topics_ == seen[-1]).all()
    assert model.hyper_parameters_.beta.tolist() == given["beta"]
