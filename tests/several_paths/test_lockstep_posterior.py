"""In lockstep, ranks together visit walks as often as the enumerated posterior says; told once a sweep, they do not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.distributed.thread_ranks import ThreadCommunicator, run_ranks
from tests.statistics.walk_chains import ALL, FEW, REFRESH_EVERY, SMALL, SlowTopics, distance, fixed_posterior
from topicgrove import Corpus
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.sharing import WalkSweeper
from topicgrove.several_paths.state import WalkState
from topicgrove.workers import Workers

N_SWEEPS, BOUND = 5_000, 0.03

MANY, LONG_BOUND = 60_000, 0.01
"""Those of one process: see test_fixed_tree.py."""

N_RANKS = len(SMALL.docs)


def chain(n_sweeps: int, sync: str, few_topics: int, slow: tuple[int, ...] = ()) -> NDArray[np.int32]:
    """Return the topics of all tokens after each sweep; every rank has one document."""

    def visit(comm: ThreadCommunicator) -> NDArray[np.int32]:
        corpus = Corpus.from_documents([SMALL.docs[comm.rank]], n_words=SMALL.n_words)
        hyper = WalkHyper(*(np.array(value, float) for value in (SMALL.beta, SMALL.alpha, SMALL.stop)))
        key = np.array([comm.rank], np.uint64)
        state = WalkState(corpus, np.array(SMALL.parent), hyper, 0, Workers(1), key, few_topics, comm)
        state.start()
        sampler, sweeper = SlowTopics(state, slow), WalkSweeper(state, sync)
        topics = np.empty((n_sweeps, len(state.node)), np.int32)
        for sweep in range(n_sweeps):
            if sweep % REFRESH_EVERY == 0:
                state.refresh()
            sampler.instantiate(sweep + 1)
            sweeper.sweep(sweep + 1)
            topics[sweep] = state.node
        return topics

    return np.concatenate(run_ranks(N_RANKS, visit), axis=1)


def test_lockstep_is_near_the_posterior() -> None:
    assert max(distance(chain(N_SWEEPS, "lockstep", ALL), fixed_posterior(SMALL))) < BOUND


@pytest.mark.slow
@pytest.mark.parametrize("slow", [(), (0, 3)], ids=["cgs", "pcgs"])
@pytest.mark.parametrize("few_topics", [ALL, FEW], ids=["all weighed", "proposals"])
def test_lockstep_visits_the_posterior(few_topics: int, slow: tuple[int, ...]) -> None:
    assert max(distance(chain(MANY, "lockstep", few_topics, slow), fixed_posterior(SMALL))) < LONG_BOUND


@pytest.mark.slow
def test_changes_told_once_a_sweep_are_noticed() -> None:
    assert max(distance(chain(MANY, "bsp", ALL), fixed_posterior(SMALL))) > 2 * LONG_BOUND
