"""A sweep: one document after the other gets a path and levels, given all others.

Nearly all documents stay on their path, and most tokens on their level. So a document stays in the shared counts while
it is worked on, what it adds to them is left out of its scores, and only what changed is written.

Any number of threads sweep at once. They write to a topic one at a time and read without any order, take chunks of
documents from a common cursor, and stop together at a document boundary when a level has no room for further topics.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import inlined, kernel, part
from topicgrove.kernels.hardware import fetch_add, lock, unlock
from topicgrove.kernels.levels import (
    count_drawn,
    draw_levels,
    draw_uniform_levels,
    fetch_path,
    gather_likelihoods,
    prepare_levels,
)
from topicgrove.kernels.paths import (
    add_rows,
    count_rows,
    draw_candidate,
    finish_rapid,
    list_by_level,
    list_left,
    log_of_others,
    log_rising,
    multiply_rows,
    number_rows,
    score_new,
    score_own,
    score_root,
    sum_down,
    sum_leaves,
)
from topicgrove.kernels.random import start_stream, uniform
from topicgrove.kernels.structures import (
    CONTROL_STRIDE,
    CURSOR,
    LINE,
    N_TOPIC_LOCKS,
    N_TOPICS,
    ROOT,
    STOP,
    TOPIC_LOCKS,
    Counts,
    Documents,
    Layout,
    Prior,
    Settings,
    Tree,
    Workspace,
)
from topicgrove.kernels.tree import Control, follow_path, has_room, join_path, leave_path, log_visits

CHUNK = 8
"""Documents that a thread takes from the cursor at once."""

_ONE, _ZERO = np.float32(1.0), np.float32(0.0)
_STOP, _CURSOR, _N_TOPICS = STOP * CONTROL_STRIDE, CURSOR * CONTROL_STRIDE, N_TOPICS * CONTROL_STRIDE


@part
def any_rapid(path: NDArray[np.int64], n_slow: int) -> bool:
    """Whether there is a rapid topic on a path."""
    found = False
    for level in range(len(path)):
        found |= path[level] >= n_slow
    return found


@part
def take_from_topics(
    path: NDArray[np.int64],
    n_slow: int,
    row_word: NDArray[np.int32],
    n_rows: int,
    amount: NDArray[np.float32],
    words: NDArray[np.int32],
    times: NDArray[np.float32],
    counts: NDArray[np.int32],
    totals: NDArray[np.int32],
    control: Control,
) -> None:
    """C_tv -= ``amount[row, level]`` for the rapid topics on a path, and C_t likewise.

    A topic is written by one thread at a time: a lock for all words of a document costs far less than an atomic
    subtraction for each. ``words`` and ``times`` are room to list them in before.
    """
    for level in range(len(path)):
        column = path[level] - n_slow
        if column < 0:
            continue
        n_words = np.int64(0)
        for row in range(n_rows):
            words[n_words] = row_word[row]
            times[n_words] = amount[row, level]
            n_words += 1 if amount[row, level] != _ZERO else 0
        total, gate = np.int32(0), (TOPIC_LOCKS + column % N_TOPIC_LOCKS) * CONTROL_STRIDE
        lock(control, gate)
        for n in range(n_words):
            change = np.int32(times[n])
            counts[words[n], column] -= change
            total += change
        totals[column] -= total
        unlock(control, gate)


@part
def follow_levels(
    levels: NDArray[np.uint8],
    path: NDArray[np.int64],
    n_slow: int,
    row_word: NDArray[np.int32],
    row_of: NDArray[np.int32],
    n_rows: int,
    before: NDArray[np.float32],
    words: NDArray[np.int32],
    times: NDArray[np.float32],
    counts: NDArray[np.int32],
    totals: NDArray[np.int32],
    control: Control,
) -> None:
    """Add to the counts of rapid topics what ``levels`` has more than ``before[row, level]``, which is used up."""
    if any_rapid(path, n_slow):
        for n in range(len(levels)):
            before[row_of[n], levels[n]] -= _ONE
        take_from_topics(path, n_slow, row_word, n_rows, before, words, times, counts, totals, control)


@part
def set_ranges(layout: Layout, n_slow: int, ranges: NDArray[np.int64]) -> None:
    """The slots of every level: slow ones in row 2l, rapid ones in row 2l + 1, in whole cache lines."""
    ranges[0, 0], ranges[0, 1] = ROOT, ROOT + 1
    for level in range(1, len(layout.n_free)):
        ranges[2 * level, 0] = layout.slow_start[level]
        ranges[2 * level, 1] = layout.slow_start[level + 1]
        first = n_slow + layout.rapid_start[level]
        ranges[2 * level + 1, 0] = first
        ranges[2 * level + 1, 1] = first + (layout.rapid_used[level] + LINE - 1) // LINE * LINE


@inlined
def score_topics(counts: Counts, prior: Prior, work: Workspace, level: int) -> None:
    """log f(d, t) of all topics of a level, and of a new one."""
    begin, end = work.start[2 * level], work.start[2 * level + 2]
    begin_token, end_token = work.start[2 * level + 1], work.start[2 * level + 3]
    n_tokens, n_slow = end_token - begin_token, counts.log_phi.shape[1]
    first, last = work.ranges[2 * level, 0], work.ranges[2 * level, 1]
    if last > first:
        add_rows(counts.log_phi, work.words, work.times, begin, end, first, last, work.score)
    slot, last = work.ranges[2 * level + 1, 0], work.ranges[2 * level + 1, 1] - n_slow
    first = slot - n_slow
    beta, table, base = prior.beta[level], prior.log_rising_total[level], prior.beta_sum[level]
    mantissa, exponent = work.mantissa, work.exponent
    if last > first:
        multiply_rows(
            counts.rapid, work.bucket, work.offset, begin_token, end_token, first, last, beta, mantissa, exponent
        )
        out = work.score[slot:]
        finish_rapid(mantissa, exponent, counts.totals, table, base, n_tokens, first, last, out)
    new = score_new(work.times, begin, end, n_tokens, prior.log_rising_word[level], beta, table, base)
    work.tail[level] = work.tail[level + 1] + new


@part
def leave_out(
    path: NDArray[np.int64],
    first_level: int,
    fresh: bool,
    tree: Tree,
    counts: Counts,
    prior: Prior,
    start: NDArray[np.int64],
    bucket: NDArray[np.int32],
    offset: NDArray[np.float32],
    n_rows: int,
    own: NDArray[np.float32],
    counted: NDArray[np.float32],
    left: NDArray[np.float32],
    score: NDArray[np.float32],
) -> None:
    """Score the document's own topics, those on its path, as if what they have ``counted`` of it were not there.

    Of fresh levels, a word's tokens have the factors C - counted + o + beta. Otherwise the k that are there are those
    counted, with factors from C - k + beta to C - 1 + beta: C - 1 - o + beta, in the other order.
    """
    for level in range(first_level, len(path)):
        slot, column = path[level], path[level] - counts.log_phi.shape[1]
        if column >= 0:
            begin, end = start[2 * level + 1], start[2 * level + 3]
            words, beta = bucket[begin:end], np.float64(prior.beta[level])
            if fresh:
                n_counted = list_left(n_rows, own, counted, level, left)
                log_words = score_own(counts.rapid, words, left, 1.0, column, beta)
            else:
                n_counted = end - begin
                log_words = score_own(counts.rapid, words, offset[begin:end], -1.0, column, beta - 1.0)
            table, base = prior.log_rising_total[level], prior.beta_sum[level]
            score[slot] = log_words - log_rising(table, base, counts.totals[column] - n_counted, end - begin)
        if level > 0:
            score[slot] += log_of_others(tree.n_docs[slot], prior.gamma[level], level == len(path) - 1)


@inlined
def score_paths(
    tree: Tree,
    counts: Counts,
    prior: Prior,
    work: Workspace,
    own: NDArray[np.float32],
    sample: int,
    max_new: int,
    first_level: int,
    fresh: bool,
    inside: bool,
) -> None:
    """The log weight of every path, for the levels in ``bucket``: scores are summed down the tree, level by level.

    ``own`` has the document's distinct words by level. ``max_new`` is how many topics may still be born; what a
    document ``inside`` has in the topics of ``work.path`` is in ``work.row_counts``.
    """
    n_levels = len(prior.alpha)
    candidate = work.candidate[sample]
    work.tail[n_levels] = 0.0
    for level in range(n_levels - 1, 0, -1):
        score_topics(counts, prior, work, level)
    work.score[ROOT] = _ZERO
    if first_level == 0:
        log_total = 0.0
        if counts.log_phi.shape[1] == 0:
            log_total = log_rising(prior.log_rising_total[0], prior.beta_sum[0], counts.totals[ROOT], work.start[3])
        work.score[ROOT] = score_root(
            work.bucket, work.offset, work.start[3], counts.log_phi, counts.rapid, prior.beta[0], log_total
        )
    log_root_visits = tree.log_visits[ROOT]
    if inside:
        leave_out(
            work.path,
            first_level,
            fresh,
            tree,
            counts,
            prior,
            work.start,
            work.bucket,
            work.offset,
            work.n_rows[0],
            own,
            work.row_counts,
            work.left,
            work.score,
        )
        log_root_visits = np.float32(log_visits(tree.n_docs[ROOT] - 1, prior.gamma[0], prior.log_gamma[0]))
    work.step[ROOT] = work.score[ROOT] - log_root_visits
    for r in range(2 * n_levels):
        level, first, last = r // 2, work.ranges[r, 0], work.ranges[r, 1]
        if level == n_levels - 1:
            sum_leaves(work.score, tree.log_docs, tree.parent, first, last, work.step, candidate)
            continue
        may_branch = n_levels - 1 - level <= max_new
        branch = np.float32(prior.log_gamma[level] + work.tail[level + 1]) if may_branch else np.float32(-math.inf)
        if level == 0:
            candidate[ROOT] = work.step[ROOT] + branch
        else:
            sum_down(work.score, tree.log_docs, tree.log_visits, tree.parent, first, last, branch, work.step, candidate)


@inlined
def draw_path(
    levels: NDArray[np.uint8],
    tree: Tree,
    counts: Counts,
    layout: Layout,
    prior: Prior,
    settings: Settings,
    control: Control,
    work: Workspace,
    inside: bool,
) -> int:
    """Draw a slot given the levels or, with fresh ones, given new uniform levels, which the tokens keep."""
    max_new = np.int64(0) if settings.fixed_weights else settings.max_topics - control[_N_TOPICS]
    n_levels, n_tokens, n_rows = len(prior.alpha), len(levels), work.n_rows[0]
    set_ranges(layout, counts.log_phi.shape[1], work.ranges)
    first_level = 0 if settings.n_samples > 1 else 1
    own = work.row_drawn if settings.fresh_levels else work.row_counts
    for sample in range(settings.n_samples):
        if settings.fresh_levels:
            drawn = work.drawn_levels[sample, :n_tokens]
            draw_uniform_levels(drawn, n_levels, work.stream)
            count_rows(drawn, work.row_of, n_rows, own)
        list_by_level(
            work.row_word, n_rows, own, first_level, work.start, work.words, work.times, work.bucket, work.offset
        )
        score_paths(tree, counts, prior, work, own, sample, max_new, first_level, settings.fresh_levels, inside)
    picked = draw_candidate(
        work.candidate, work.ranges, settings.n_samples, work.chosen, work.weight, uniform(work.stream)
    )
    if settings.fresh_levels:
        drawn = work.drawn_levels[picked // work.candidate.shape[1]]
        for n in range(n_tokens):
            levels[n] = drawn[n]
    return picked % work.candidate.shape[1]


@inlined
def take_out(tree: Tree, counts: Counts, layout: Layout, prior: Prior, control: Control, work: Workspace) -> None:
    """Take a document off ``work.path`` and out of the counts; topics that it leaves empty die."""
    n_slow = counts.log_phi.shape[1]
    take_from_topics(
        work.path,
        n_slow,
        work.row_word,
        work.n_rows[0],
        work.row_counts,
        work.words,
        work.times,
        counts.rapid,
        counts.totals,
        control,
    )
    leave_path(tree, layout, prior.gamma, prior.log_gamma, n_slow, work.path, control)


@inlined
def resample_path(
    leaf: int,
    levels: NDArray[np.uint8],
    tree: Tree,
    counts: Counts,
    layout: Layout,
    prior: Prior,
    settings: Settings,
    control: Control,
    work: Workspace,
) -> bool:
    """Draw c given z, or with z summed out, into ``work.path``; whether the counts have the document on that path yet.

    A document alone in its leaf is taken out before, so that what it leaves can be born again.
    """
    n_slow = counts.log_phi.shape[1]
    inside = leaf >= 0 and not settings.fixed_weights
    if inside:
        follow_path(tree.parent, leaf, work.path)
        if tree.n_docs[leaf] == 1:
            take_out(tree, counts, layout, prior, control, work)
            inside = False
    while True:
        slot = draw_path(levels, tree, counts, layout, prior, settings, control, work, inside)
        if settings.fixed_weights:
            follow_path(tree.parent, slot, work.path)
            return True
        if inside and slot == leaf:
            return True
        if inside:
            take_out(tree, counts, layout, prior, control, work)
            inside = False
        if join_path(tree, layout, prior.gamma, prior.log_gamma, n_slow, work.path, control, slot, settings.max_topics):
            return False


@inlined
def resample_levels(
    levels: NDArray[np.uint8],
    counts: Counts,
    prior: Prior,
    control: Control,
    work: Workspace,
    drawn: bool,
) -> None:
    """Draw z along ``work.path``; the counts follow, which have the document as ``work.row_counts`` says.

    Other ``levels`` than those are ``drawn`` since.
    """
    path, n_slow, n_rows = work.path, counts.log_phi.shape[1], work.n_rows[0]
    prepare_levels(levels, path, n_slow, counts.totals, prior.alpha, prior.beta_sum, work.scratch)
    fetch_path(work.row_word, n_rows, path, counts.rapid, counts.log_phi)
    gather_likelihoods(
        work.row_word, n_rows, path, counts.rapid, counts.log_phi, counts.root_phi, prior.beta, work.likelihood
    )
    if drawn:
        count_drawn(levels, work.row_of, n_rows, len(path), work.row_counts, work.likelihood, work.scratch)
    draw_levels(levels, work.row_of, work.likelihood, len(path), work.stream, work.scratch, work.lanes)
    follow_levels(
        levels,
        path,
        n_slow,
        work.row_word,
        work.row_of,
        n_rows,
        work.row_counts,
        work.words,
        work.times,
        counts.rapid,
        counts.totals,
        control,
    )


@inlined
def resample_document(
    d: int,
    docs: Documents,
    tree: Tree,
    counts: Counts,
    layout: Layout,
    prior: Prior,
    settings: Settings,
    control: Control,
    work: Workspace,
) -> None:
    """One Gibbs step for a document: c given z (or with z summed out), then z given c."""
    words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
    levels = docs.levels[docs.offsets[d] : docs.offsets[d + 1]]
    path, leaf, inside = work.path, np.int64(docs.leaf[d]), True
    start_stream(work.stream, settings.seed, settings.iteration, docs.key[d])
    if leaf < 0 and not settings.fresh_levels:
        draw_uniform_levels(levels, len(path), work.stream)
    work.n_rows[0] = number_rows(words, work.row_word, work.row_of)
    count_rows(levels, work.row_of, work.n_rows[0], work.row_counts)
    if settings.fixed_paths:
        follow_path(tree.parent, leaf, path)
    else:
        inside = resample_path(leaf, levels, tree, counts, layout, prior, settings, control, work)
    docs.leaf[d] = path[len(path) - 1]
    if not inside:
        count_rows(levels[:0], work.row_of, work.n_rows[0], work.row_counts)
    resample_levels(levels, counts, prior, control, work, settings.fresh_levels or not inside)


@part
def may_go_on(layout: Layout, n_threads: int, fixed_weights: bool, control: Control) -> bool:
    """Whether every thread could have a topic born on every level now; otherwise all are told to stop."""
    if control[_STOP] != 0:
        return False
    if not fixed_weights:
        for level in range(1, len(layout.n_free)):
            if not has_room(layout, level, n_threads):
                control[_STOP] = 1
                return False
    return True


@kernel
def sweep(
    order: NDArray[np.int64],
    docs: Documents,
    tree: Tree,
    counts: Counts,
    layout: Layout,
    prior: Prior,
    settings: Settings,
    control: Control,
    work: Workspace,
) -> None:
    """Work through ``order`` together with the other threads; ``work.pending`` keeps what a stop left undone."""
    while True:
        if work.pending[0] >= work.pending[1]:
            begin = fetch_add(control, _CURSOR, CHUNK)
            if begin >= len(order):
                return
            work.pending[0] = begin
            work.pending[1] = min(begin + CHUNK, len(order))
        while work.pending[0] < work.pending[1]:
            if not may_go_on(layout, settings.n_threads, settings.fixed_weights, control):
                return
            d = order[work.pending[0]]
            resample_document(d, docs, tree, counts, layout, prior, settings, control, work)
            work.pending[0] += 1
