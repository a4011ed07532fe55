"""Several ranks, here threads: in lockstep they do what one process does, and their counts are those of all tokens."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.distributed.thread_ranks import ThreadCommunicator, run_ranks
from tests.estimator.conftest import draw_counts
from topicgrove import Corpus, NestedHDP
from topicgrove.communication import Communicator
from topicgrove.several_paths import growth
from topicgrove.several_paths.joint import log_joint
from topicgrove.several_paths.plans import make_walk_plan
from topicgrove.several_paths.runs import WalkRun
from topicgrove.several_paths.sharing import Moves, Packing, SharedWalks
from topicgrove.several_paths.starts import balanced_tree
from topicgrove.several_paths.state import WalkState
from topicgrove.several_paths.training import WalkEvent
from topicgrove.workers import Workers

from .whole_walks import assert_walks_are_counted

SETTINGS: dict[str, Any] = {"n_iter": 8, "learn_after": 2, "grow_every": 3, "init": "none", "random_state": 0}


class Trained(NamedTuple):
    node: NDArray[np.int32]
    parent: list[int]
    beta: list[float]
    log_joint: float
    n_topics: list[int]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_matrix(draw_counts())


def train(corpus: Corpus, comm: Communicator, few_topics: int = 32, **options: Any) -> Trained:
    """Train, and check all counts after every sweep."""
    model = NestedHDP(3, **(SETTINGS | options))
    everybody = comm.all if isinstance(comm, ThreadCommunicator) else lambda mine: [mine]
    plan = make_walk_plan(model, corpus, comm.size)._replace(few_topics=few_topics)
    with Workers(plan.n_threads) as workers:
        run = WalkRun(plan, corpus, workers, balanced_tree(3, 13), comm=comm)
        n_topics: list[int] = []

        def check(event: WalkEvent) -> None:
            assert_walks_are_counted(event.state, everybody)
            n_topics.append(sum(event.n_topics_per_level))

        run.go([check])
        assert_walks_are_counted(run.state, everybody)
        state = run.state
        return Trained(state.node.copy(), state.parent.tolist(), state.hyper.beta.tolist(), log_joint(state), n_topics)


def fit_in_lockstep(corpus: Corpus, alone: Trained, n_ranks: int = 2, few_topics: int = 32, **options: Any) -> None:
    """Fail unless the result is that of one process."""
    parts = run_ranks(n_ranks, lambda comm: train(corpus, comm, few_topics, sync="lockstep", **options))
    assert (np.concatenate([part.node for part in parts]) == alone.node).all()
    for part in parts:
        assert part.parent == alone.parent
        assert part.beta == alone.beta
        assert part.n_topics == alone.n_topics
        assert part.log_joint == pytest.approx(alone.log_joint)


@pytest.mark.parametrize("few_topics", [32, 1], ids=["all weighed", "proposals"])
@pytest.mark.parametrize("n_ranks", [2, 3])
def test_lockstep_is_what_one_process_does(corpus: Corpus, n_ranks: int, few_topics: int) -> None:
    """Walks, births, deaths, shares and learned priors, bit for bit; so the gates of one process hold for lockstep."""
    alone = train(corpus, Communicator(), few_topics)
    fit_in_lockstep(corpus, alone, n_ranks, few_topics)
    assert len(set(alone.n_topics)) > 1


def test_partially_collapsed_lockstep_is_what_one_process_does(corpus: Corpus) -> None:
    """Large topics are counted and drawn once per sweep; the others are told document by document."""
    options = {"sampler": "pcgs", "collapse_below": 60, "phi": "draw"}
    alone = train(corpus, Communicator(), **options)
    fit_in_lockstep(corpus, alone, 3, **options)
    assert (alone.node != train(corpus, Communicator()).node).any()


@pytest.mark.parametrize("phi", ["draw", "mean"])
def test_partially_collapsed_counts_are_those_of_all_tokens(phi: str) -> None:
    many = Corpus.from_matrix(np.tile(draw_counts(), (4, 1)))
    options = {"sampler": "pcgs", "collapse_below": 200, "phi": phi, "n_iter": 5}
    for n_jobs in (1, 2, 4, 8):
        train(many, Communicator(), n_jobs=n_jobs, **options)
    for n_ranks in (2, 3):
        run_ranks(n_ranks, lambda comm: train(many, comm, n_jobs=2, **options))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("sync", ["hybrid", "bsp", "server"])
def test_counts_are_those_of_all_tokens_after_every_sweep(corpus: Corpus, sync: str, n_jobs: int) -> None:
    """`train` fails where they are not; ranks with fewer documents take turns, so here are many."""
    many = Corpus.from_matrix(np.tile(draw_counts(), (4, 1)))
    for n_ranks in (2, 3):
        parts = run_ranks(n_ranks, lambda comm: train(many, comm, sync=sync, n_jobs=n_jobs, n_iter=5))
        assert len({part.log_joint for part in parts}) == 1
        assert sum(len(part.node) for part in parts) == many.n_tokens


def test_ranks_without_documents_take_part() -> None:
    corpus = Corpus.from_documents([[0, 1, 1, 2], [3, 3]])
    for sync in ("lockstep", "hybrid", "bsp"):
        parts = run_ranks(3, lambda comm, sync=sync: train(corpus, comm, sync=sync))
        assert sorted(len(part.node) for part in parts) == [0, 2, 4]


def test_one_rank_alone_gets_the_model(corpus: Corpus) -> None:
    alone = NestedHDP(3, **SETTINGS).fit(corpus)

    def fit(comm: ThreadCommunicator) -> NestedHDP:
        seen: list[int] = []
        model = NestedHDP(3, **SETTINGS, sync="lockstep", callbacks=[lambda event: seen.append(event.traffic.rounds)])
        model.fit(corpus, communicator=comm)
        assert seen == ([corpus.n_docs] * 8 if comm.rank == 0 else [])
        return model

    first, other = run_ranks(2, fit)
    assert (first.token_topics_ == alone.token_topics_).all()
    assert (first.paths_ == alone.paths_).all()
    assert first.log_joint_ == pytest.approx(alone.log_joint_)
    assert not hasattr(other, "tree_")


def test_a_start_by_hierarchical_lda_is_shared(corpus: Corpus) -> None:
    def fit(comm: ThreadCommunicator) -> NestedHDP:
        options = SETTINGS | {"init": "hlda", "init_iterations": 5, "target_topics": 12}
        return NestedHDP(3, **options).fit(corpus, communicator=comm)

    model = run_ranks(2, fit)[0]
    model.tree_.check()
    assert model.topic_word_counts_.sum() == corpus.n_tokens


def test_moves_add_up_on_their_way() -> None:
    """A token there and back again is not told; more than 127 take several entries."""
    packing = Packing(n_words=10)
    first = Moves(1, np.array([2 * 13 + 1, 2 * 27]))
    second = Moves(1, np.array([2 * 27 + 1, 2 * 13] + [2 * 45] * 300))
    assert len(packing.pack([])) == 0
    topic, word, change = packing.unpack(packing.pack([first, second]))
    assert (topic == 4).all()
    assert (word == 5).all()
    assert change.tolist() == [127, 127, 46]


@pytest.mark.parametrize("mistake", ["moves not merged", "counts not summed", "tables not summed"])
def test_ranks_that_do_not_tell_each_other_are_noticed(
    corpus: Corpus, mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = train(corpus, Communicator())
    summed, draw_tables = ThreadCommunicator.allreduce_sum, growth.draw_tables

    def sum_all_but_counts(comm: ThreadCommunicator, array: NDArray[Any], purpose: str = "other") -> None:
        if purpose != "slow":
            summed(comm, array, purpose)

    def draw_own_tables(state: WalkState, iteration: int) -> NDArray[np.int64]:
        comm, state.comm = state.comm, Communicator()
        tables = draw_tables(state, iteration)
        state.comm = comm
        return tables

    if mistake == "moves not merged":
        monkeypatch.setattr(SharedWalks, "_merge", lambda *_: None)
    elif mistake == "counts not summed":
        monkeypatch.setattr(ThreadCommunicator, "allreduce_sum", sum_all_but_counts)
    else:
        monkeypatch.setattr(growth, "draw_tables", draw_own_tables)
    with pytest.raises((RuntimeError, AssertionError, ValueError)):
        fit_in_lockstep(corpus, alone)
