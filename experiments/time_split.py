"""How the time of a sweep splits into f_I, f_C and z: the sweep's own kernels, timed one after the other.

Timing inside a sweep would distort the result, as its steps take microseconds. So the documents of a state are
processed several times, each time with one more step, and the differences are the times of the steps. The state does
not change.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.document_words import count_by_level, list_by_level, list_distinct
from topicgrove.kernels.levels import draw_levels, draw_uniform_levels, gather_likelihoods, prepare_levels
from topicgrove.kernels.paths import draw_candidate, set_ranges, sum_down, sum_leaves
from topicgrove.kernels.random import start_stream, uniform
from topicgrove.kernels.scores import add_rows, divide_by_totals, multiply_rows
from topicgrove.kernels.tree import follow_path
from topicgrove.memory import workspace
from topicgrove.state import State

TURNS = 2
"""Rounds, of which the fastest counts: slower ones were disturbed."""


@kernel
def list_words(order: Any, docs: Any, work: Any, fresh: bool, levels: Any) -> None:
    """List the words of every document by level."""
    for i in range(len(order)):
        _list_document(order[i], docs, work, fresh, levels)


@kernel
def _list_document(d: int, docs: Any, work: Any, fresh: bool, levels: Any) -> None:
    words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
    start_stream(work.stream, np.uint64(1), np.uint64(1), np.uint64(d))
    drawn = levels[docs.offsets[d] : docs.offsets[d + 1]]
    if fresh:
        draw_uniform_levels(drawn, len(work.path), work.stream)
    document, listed = work.document, work.by_level
    n_rows = list_distinct(words, document.word, document.row_of)
    count_by_level(drawn, document.row_of, n_rows, document.counted)
    start, listed_words, times = listed.start, listed.words, listed.times
    list_by_level(document.word, n_rows, document.counted, 1, start, listed_words, times, listed.tokens, listed.repeat)


@kernel
def score_slow(order: Any, docs: Any, counts: Any, work: Any, fresh: bool, levels: Any) -> None:
    """List words by level, and compute f_I."""
    for i in range(len(order)):
        _list_document(order[i], docs, work, fresh, levels)
        for level in range(1, len(work.path)):
            first, last = work.paths.ranges[2 * level, 0], work.paths.ranges[2 * level, 1]
            begin, end = work.by_level.start[2 * level], work.by_level.start[2 * level + 2]
            if last > first:
                score = work.paths.score
                add_rows(counts.log_phi, work.by_level.words, work.by_level.times, begin, end, first, last, score)


@kernel
def score_rapid(order: Any, docs: Any, counts: Any, prior: Any, work: Any, fresh: bool, levels: Any) -> None:
    """List words by level, and compute f_C."""
    n_slow = counts.log_phi.shape[1]
    for i in range(len(order)):
        _list_document(order[i], docs, work, fresh, levels)
        for level in range(1, len(work.path)):
            listed, paths, beta = work.by_level, work.paths, prior.beta[level]
            slot = paths.ranges[2 * level + 1, 0]
            first, last = slot - n_slow, paths.ranges[2 * level + 1, 1] - n_slow
            begin, end = listed.start[2 * level + 1], listed.start[2 * level + 3]
            mantissa, exponent = paths.mantissa, paths.exponent
            if last > first:
                multiply_rows(
                    counts.rapid, listed.tokens, listed.repeat, begin, end, first, last, beta, mantissa, exponent
                )
                table, base = prior.log_rising_total[level], prior.beta_sum[level]
                out = paths.score[slot:]
                divide_by_totals(mantissa, exponent, counts.totals, table, base, end - begin, first, last, out)


@kernel
def draw_paths(order: Any, tree: Any, prior: Any, work: Any) -> None:
    """Sum scores down the tree and draw a path, for any scores."""
    n_levels = len(work.path)
    paths = work.paths
    candidate = paths.candidate[0]
    for _ in range(len(order)):
        for r in range(2 * n_levels):
            level, first, last = r // 2, paths.ranges[r, 0], paths.ranges[r, 1]
            if level == n_levels - 1:
                sum_leaves(paths.score, tree.log_weight, tree.parent, first, last, paths.passing, candidate)
            elif level > 0:
                branch, weight, visits = np.float32(prior.log_gamma[level]), tree.log_weight, tree.log_visits
                sum_down(paths.score, weight, visits, tree.parent, first, last, branch, paths.passing, candidate)
        draw_candidate(paths.candidate, paths.ranges, 1, paths.chosen, paths.weight, uniform(work.stream))


@kernel
def sample_levels(order: Any, docs: Any, tree: Any, counts: Any, prior: Any, work: Any, levels: Any) -> None:
    """Draw z of every document along its path."""
    n_slow = counts.log_phi.shape[1]
    for i in range(len(order)):
        d = order[i]
        words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
        drawn = levels[docs.offsets[d] : docs.offsets[d + 1]]
        start_stream(work.stream, np.uint64(1), np.uint64(2), np.uint64(d))
        follow_path(tree.parent, docs.leaf[d], work.path)
        document, weights = work.document, work.levels
        prepare_levels(drawn, work.path, n_slow, counts.totals, prior.alpha, prior.beta_sum, weights.scratch)
        n_rows = list_distinct(words, document.word, document.row_of)
        rapid, log_phi, root_phi = counts.rapid, counts.log_phi, counts.root_phi
        gather_likelihoods(document.word, n_rows, work.path, rapid, log_phi, root_phi, prior.beta, weights.likelihood)
        scratch, lanes = weights.scratch, weights.lanes
        draw_levels(drawn, document.row_of, weights.likelihood, len(work.path), work.stream, scratch, lanes)


def split(state: State, *, fresh_levels: bool = False) -> dict[str, float]:
    """Return the processor seconds of a sweep's steps in one thread; ``fresh_levels`` for the early phase."""
    docs, tree, counts, prior = state.docs, state.topics.tree, state.topics.words, state.prior
    work = workspace(state, 1)
    set_ranges(state.topics.layout, state.topics.n_slow, work.paths.ranges)
    order = np.arange(state.n_docs)
    levels = docs.levels.copy()
    listing = _best(lambda: list_words(order, docs, work, fresh_levels, levels))
    slow = _best(lambda: score_slow(order, docs, counts, work, fresh_levels, levels))
    rapid = _best(lambda: score_rapid(order, docs, counts, prior, work, fresh_levels, levels))
    drawing = _best(lambda: draw_paths(order, tree, prior, work))
    return {
        "list_seconds": listing,
        "f_i_seconds": max(slow - listing, 0.0),
        "f_c_seconds": max(rapid - listing, 0.0),
        "draw_seconds": drawing,
        "z_seconds": _best(lambda: sample_levels(order, docs, tree, counts, prior, work, levels)),
    }


def _best(task: Callable[[], None]) -> float:
    seconds = []
    with np.errstate(over="ignore"):
        task()  # machine code ready
        for _ in range(TURNS):
            started = time.thread_time()
            task()
            seconds.append(time.thread_time() - started)
    return min(seconds)
