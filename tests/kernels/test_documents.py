"""A document's step: what it adds to the shared counts is left out of its scores, and what changed is written."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from topicgrove.corpus import Corpus
from topicgrove.kernels.documents import draw_path, follow_levels, take_out
from topicgrove.kernels.paths import number_rows
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
SAMPLERS = {"cgs": CollapsedGibbs(), "pcgs": PartiallyCollapsedGibbs(4, draw_phi=False)}


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("path", [[16, 20, 30], [0, 5, 18], [0, 5, 7]], ids=["rapid", "mixed", "slow"])
@pytest.mark.parametrize("count_type", [np.uint16, np.int32])
def test_counts_follow_the_levels(rng: np.random.Generator, count_type: type, path: list[int], alone: bool) -> None:
    words = np.sort(rng.integers(0, 12, 40)).astype(np.int32)
    before, after = rng.integers(0, 3, (2, 40)).astype(np.uint8)
    others = rng.poisson(0.5, (12, 16))

    def with_tokens(levels: np.ndarray) -> np.ndarray:
        counts = others.copy()
        columns = np.array(path)[levels] - N_SLOW
        np.add.at(counts, (words[columns >= 0], columns[columns >= 0]), 1)
        return counts

    counts = with_tokens(before).astype(count_type)
    totals = counts.sum(axis=0, dtype=np.int32)
    row_word, row_of, changed = np.zeros((3, 40), np.int32)
    own = np.zeros((40, 3), np.float32)
    n_rows = number_rows(words, before, row_word, row_of, own)
    follow_levels(after, np.array(path), N_SLOW, row_word, row_of, n_rows, own, changed, counts, totals, alone)
    assert_array_equal(counts, with_tokens(after))
    assert_array_equal(totals, with_tokens(after).sum(axis=0))


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS.keys())
def test_paths_of_a_document_inside_weigh_as_if_it_were_not_there(rng: np.random.Generator, sampler: Sampler) -> None:
    topics = rng.dirichlet(np.full(15, 0.2), 4)
    corpus = Corpus.from_matrix(np.array([rng.multinomial(12, topics[d % 4]) for d in range(20)]))
    hyper = HyperParameters.of(3, beta=[1.0, 0.5, 0.2], gamma=0.4)
    n_compared = 0
    for d in range(corpus.n_docs):
        state = State(corpus, hyper, 3, Workers(1))
        Trainer(state, sampler, Schedule(4, 0, 1, None, None)).run()
        work = workspace(state, 1)
        settings = Sweeper(state, 1, fixed_weights=False, max_topics=None).settings(9, fresh_levels=False)
        words = state.docs.words[state.docs.offsets[d] : state.docs.offsets[d + 1]]
        levels = state.docs.levels[state.docs.offsets[d] : state.docs.offsets[d + 1]]
        follow_path(state.tree.parent, int(state.docs.leaf[d]), work.path)
        if state.tree.n_docs[state.docs.leaf[d]] == 1:
            continue
        arrays = (words, levels, state.tree, state.counts, state.layout, state.prior, settings, state.control, work)
        draw_path(*arrays, True)
        inside = work.candidate[0].copy()
        state_arrays = (state.tree, state.counts, state.layout, state.prior, state.control)
        take_out(words, levels, work.path, *state_arrays, work.own, True)
        draw_path(*arrays, False)
        slots = np.concatenate([np.arange(first, last) for first, last in work.ranges])
        alive = slots[np.isfinite(work.candidate[0, slots])]
        assert_array_equal(slots[np.isfinite(inside[slots])], alive)
        assert_allclose(inside[alive], work.candidate[0, alive], rtol=1e-5, atol=1e-4)
        n_compared += 1
    assert n_compared > 5
