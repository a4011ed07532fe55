"""A document's step: its own share of the counts is left out of its scores, and changes are written."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topicgrove.corpus import Corpus
from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.document_words import count_by_level, list_distinct
from topicgrove.kernels.gibbs_step import choose_path, take_out
from topicgrove.kernels.random import start_stream
from topicgrove.kernels.shared_counts import subtract_words, write_levels
from topicgrove.kernels.structures import LOCK_STRIDE, N_TOPIC_LOCKS, TopicArrays, TopicWords
from topicgrove.kernels.tree import follow_path
from topicgrove.memory import workspace
from topicgrove.prior import HyperParameters
from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs
from topicgrove.samplers.base import Sampler
from topicgrove.state import State
from topicgrove.sweeps import Sweeper
from topicgrove.training import Schedule, Trainer
from topicgrove.workers import Workers

N_SLOW = 16
N_TIMES = 2_000_000
SAMPLERS = {"cgs": CollapsedGibbs(), "pcgs": PartiallyCollapsedGibbs(4, draw_phi=False)}


@pytest.mark.parametrize("path", [[16, 20, 30], [0, 5, 18], [0, 5, 7]], ids=["rapid", "mixed", "slow"])
@pytest.mark.parametrize("count_type", [np.uint16, np.int32])
def test_counts_follow_the_levels(rng: np.random.Generator, count_type: type, path: list[int]) -> None:
    words = np.sort(rng.integers(0, 12, 40)).astype(np.int32)
    before, after = rng.integers(0, 3, (2, 40)).astype(np.uint8)
    others = rng.poisson(0.5, (12, 16))

    def with_tokens(levels: np.ndarray) -> np.ndarray:
        counts = others.copy()
        columns = np.array(path)[levels] - N_SLOW
        np.add.at(counts, (words[columns >= 0], columns[columns >= 0]), 1)
        return counts

    state = State(Corpus.from_documents([words]), HyperParameters.of(3), 0, Workers(1))
    work = workspace(state, 1)
    counts = with_tokens(before).astype(count_type)
    totals = counts.sum(axis=0, dtype=np.int32)
    log_phi = np.zeros((12, N_SLOW), np.float32)
    topic_words = TopicWords(counts, log_phi, np.zeros(12, np.float32), totals)
    topics = TopicArrays(state.topics.tree, topic_words, state.topics.layout, state.topics.control)
    work.path[:] = path
    document = work.document
    document.n_rows[0] = list_distinct(words, document.word, document.row_of)
    count_by_level(before, document.row_of, document.n_rows[0], document.counted)
    write_levels(after, topics, work)
    assert_array_equal(counts, with_tokens(after))
    assert_array_equal(totals, with_tokens(after).sum(axis=0))
    assert not topics.control.topic_locks.any(), "all locks are open"


@kernel
def _subtract_again_and_again(columns: Any, words: Any, times: Any, counts: Any, totals: Any, locks: Any) -> None:
    for _ in range(N_TIMES):
        for i in range(len(columns)):
            subtract_words(columns[i], words, times, len(words), counts, totals, locks)


def test_threads_lose_no_addition_to_a_topic(compiled: bool) -> None:
    if not compiled:
        pytest.skip("plain Python is for one thread")
    n_threads, words, times = 4, np.arange(5, dtype=np.int32), -np.ones(5, np.float32)
    counts, totals = np.zeros((5, 96), np.int32), np.zeros(96, np.int32)
    locks = np.zeros(N_TOPIC_LOCKS * LOCK_STRIDE, np.int64)

    def work(thread: int) -> None:
        # A root for all, a topic each, and topics that share a lock though they are different.
        columns = np.array([0, 1 + thread, 80 if thread % 2 else 80 - N_TOPIC_LOCKS])
        _subtract_again_and_again(columns, words, times, counts, totals, locks)

    with Workers(n_threads) as workers:
        workers.each(work)
    wanted = np.zeros(96, np.int32)
    wanted[0], wanted[1 : 1 + n_threads], wanted[[16, 80]] = n_threads * N_TIMES, N_TIMES, n_threads // 2 * N_TIMES
    assert_array_equal(counts, np.tile(wanted, (5, 1)))
    assert_array_equal(totals, 5 * wanted)


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS.keys())
@pytest.mark.parametrize("n_fresh", [0, 1, 2])
def test_paths_of_a_document_inside_weigh_as_if_it_were_not_there(
    rng: np.random.Generator, sampler: Sampler, n_fresh: int
) -> None:
    topics = rng.dirichlet(np.full(15, 0.2), 4)
    corpus = Corpus.from_matrix(np.array([rng.multinomial(12, topics[d % 4]) for d in range(20)]))
    hyper = HyperParameters.of(3, beta=[1.0, 0.5, 0.2], gamma=0.4)
    n_compared = 0
    for d in range(corpus.n_docs):
        state = State(corpus, hyper, 3, Workers(1))
        Trainer(state, sampler, Schedule(4, 0, 1, None, None)).run()
        work = workspace(state, max(n_fresh, 1))
        settings = Sweeper(state, n_fresh, fixed_weights=False, max_topics=None).settings(9, fresh_levels=n_fresh > 0)
        words = state.docs.words[state.docs.offsets[d] : state.docs.offsets[d + 1]]
        levels = state.docs.levels[state.docs.offsets[d] : state.docs.offsets[d + 1]]
        follow_path(state.topics.tree.parent, int(state.docs.leaf[d]), work.path)
        if state.topics.tree.n_docs[state.docs.leaf[d]] == 1:
            continue
        document = work.document
        document.n_rows[0] = list_distinct(words, document.word, document.row_of)
        count_by_level(levels, document.row_of, document.n_rows[0], document.counted)
        arrays = (state.topics.arrays, state.prior, settings, work)

        def candidates(inside: bool, levels: Any = levels, d: int = d, work: Any = work, arrays: Any = arrays) -> Any:
            with np.errstate(over="ignore"):
                start_stream(work.stream, np.uint64(1), np.uint64(2), np.uint64(d))
                choose_path(levels.copy(), *arrays, inside)
            slots = np.concatenate([np.arange(first, last) for first, last in work.paths.ranges])
            return work.paths.candidate[:, slots].copy()

        inside = candidates(inside=True)
        take_out(state.topics.arrays, state.prior, work)
        outside = candidates(inside=False)
        alive = np.isfinite(outside)
        assert_array_equal(np.isfinite(inside), alive)
        assert_allclose(inside[alive], outside[alive], rtol=1e-5, atol=1e-4)
        n_compared += 1
    assert n_compared > 5
