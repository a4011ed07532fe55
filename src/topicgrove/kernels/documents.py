"""A sweep: one document after the other gets a path and levels, given all others.

Nearly all documents stay on their path, and most tokens on their level. So a document stays in the shared counts while
it is worked on, what it adds to them is left out of its scores, and only what changed is written.

Any number of threads sweep at once. They share the counts through atomic adds and relaxed reads, take chunks of
documents from a common cursor, and stop together at a document boundary when a level has no room for further topics.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import inlined, kernel
from topicgrove.kernels.hardware import add_at, fetch_add
from topicgrove.kernels.levels import (
    draw_levels,
    draw_uniform_levels,
    fetch_path,
    gather_likelihoods,
    prepare_levels,
)
from topicgrove.kernels.paths import (
    add_rows,
    draw_candidate,
    finish_rapid,
    list_by_level,
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
    N_TOPICS,
    ROOT,
    STOP,
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


@kernel
def any_rapid(path: NDArray[np.int64], n_slow: int) -> bool:
    """Whether there is a rapid topic on a path."""
    found = False
    for level in range(len(path)):
        found |= path[level] >= n_slow
    return found


@kernel
def add_document(
    words: NDArray[np.int32],
    levels: NDArray[np.uint8],
    path: NDArray[np.int64],
    n_slow: int,
    counts: NDArray[np.int32],
    totals: NDArray[np.int32],
    own: NDArray[np.int32],
    sign: np.int32,
    alone: bool,
) -> None:
    """C_tv += sign for every token whose topic on the path is rapid, and C_t likewise; atomically unless alone."""
    if not any_rapid(path, n_slow):
        return
    for level in range(len(path)):
        own[level] = 0
    if alone:
        for n in range(len(words)):
            column = path[levels[n]] - n_slow
            own[levels[n]] += sign
            if column >= 0:
                counts[words[n], column] += sign
    else:
        for n in range(len(words)):
            column = path[levels[n]] - n_slow
            own[levels[n]] += sign
            if column >= 0:
                add_at(counts, words[n], column, sign)
    for level in range(len(path)):
        if path[level] >= n_slow:
            fetch_add(totals, path[level] - n_slow, own[level])


@kernel
def follow_levels(
    levels: NDArray[np.uint8],
    path: NDArray[np.int64],
    n_slow: int,
    row_word: NDArray[np.int32],
    row_of: NDArray[np.int32],
    n_rows: int,
    before: NDArray[np.float32],
    changed: NDArray[np.int32],
    counts: NDArray[np.int32],
    totals: NDArray[np.int32],
    alone: bool,
) -> None:
    """Add to the counts of rapid topics what ``levels`` has more than ``before[row, level]``, which is used up."""
    if not any_rapid(path, n_slow):
        return
    for n in range(len(levels)):
        before[row_of[n], levels[n]] -= _ONE
    for level in range(len(path)):
        column = path[level] - n_slow
        if column < 0:
            continue
        total, n_changed = np.int32(0), np.int64(0)
        for row in range(n_rows):
            changed[n_changed] = row
            n_changed += 1 if before[row, level] != _ZERO else 0
        if alone:
            for i in range(n_changed):
                change = np.int32(-before[changed[i], level])
                total += change
                counts[row_word[changed[i]], column] += change
        else:
            for i in range(n_changed):
                change = np.int32(-before[changed[i], level])
                total += change
                add_at(counts, row_word[changed[i]], column, change)
        fetch_add(totals, column, total)


@kernel
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


@kernel
def leave_out(
    path: NDArray[np.int64],
    tree: Tree,
    counts: Counts,
    prior: Prior,
    start: NDArray[np.int64],
    bucket: NDArray[np.int32],
    offset: NDArray[np.float32],
    score: NDArray[np.float32],
) -> None:
    """Score the document's own topics below the root, those on its path, as if the document were not there."""
    for level in range(1, len(path)):
        slot, column = path[level], path[level] - counts.log_phi.shape[1]
        if column >= 0:
            begin, end = start[2 * level + 1], start[2 * level + 3]
            table, base = prior.log_rising_total[level], prior.beta_sum[level]
            log_total = log_rising(table, base, counts.totals[column] - (end - begin), end - begin)
            log_words = score_own(counts.rapid, bucket, offset, begin, end, column, prior.beta[level])
            score[slot] = log_words - log_total
        score[slot] += log_of_others(tree.n_docs[slot], prior.gamma[level], level == len(path) - 1)


@inlined
def score_paths(
    tree: Tree, counts: Counts, prior: Prior, work: Workspace, sample: int, max_new: int, n_samples: int, inside: bool
) -> None:
    """The log weight of every path, for the levels in ``bucket``: scores are summed down the tree, level by level.

    ``max_new`` is how many topics may still be born; a document ``inside`` is counted in the topics of ``work.path``.
    """
    n_levels = len(prior.alpha)
    candidate = work.candidate[sample]
    work.tail[n_levels] = 0.0
    for level in range(n_levels - 1, 0, -1):
        score_topics(counts, prior, work, level)
    work.step[ROOT] = -tree.log_visits[ROOT]
    if inside:
        leave_out(work.path, tree, counts, prior, work.start, work.bucket, work.offset, work.score)
        work.step[ROOT] = -log_visits(tree.n_docs[ROOT] - 1, prior.gamma[0], prior.log_gamma[0])
    if n_samples > 1:
        n_root = work.start[3]
        total = counts.totals[ROOT] if counts.log_phi.shape[1] == 0 else np.int32(0)
        log_total = log_rising(prior.log_rising_total[0], prior.beta_sum[0], total, n_root)
        root = score_root(work.bucket, work.offset, n_root, counts.log_phi, counts.rapid, prior.beta[0], log_total)
        work.step[ROOT] += np.float32(root)
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
    words: NDArray[np.int32],
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
    n_levels, n_tokens = len(prior.alpha), len(words)
    set_ranges(layout, counts.log_phi.shape[1], work.ranges)
    first_level = 0 if settings.n_samples > 1 else 1
    for sample in range(settings.n_samples):
        drawn = work.drawn_levels[sample, :n_tokens]
        if settings.fresh_levels:
            draw_uniform_levels(drawn, n_levels, work.stream)
        else:
            for n in range(n_tokens):
                drawn[n] = levels[n]
        work.n_rows[0] = number_rows(words, drawn, work.row_word, work.row_of, work.row_counts)
        list_by_level(
            work.row_word,
            work.n_rows[0],
            work.row_counts,
            first_level,
            work.start,
            work.words,
            work.times,
            work.bucket,
            work.offset,
        )
        score_paths(tree, counts, prior, work, sample, max_new, settings.n_samples, inside)
    picked = draw_candidate(
        work.candidate, work.ranges, settings.n_samples, work.chosen, work.weight, uniform(work.stream)
    )
    sample = picked // work.candidate.shape[1]
    for n in range(n_tokens):
        levels[n] = work.drawn_levels[sample, n]
    return picked % work.candidate.shape[1]


@kernel
def take_out(
    words: NDArray[np.int32],
    levels: NDArray[np.uint8],
    path: NDArray[np.int64],
    tree: Tree,
    counts: Counts,
    layout: Layout,
    prior: Prior,
    control: Control,
    own: NDArray[np.int32],
    alone: bool,
) -> None:
    """Take a document off its path and out of the counts; topics that it leaves empty die."""
    n_slow = counts.log_phi.shape[1]
    add_document(words, levels, path, n_slow, counts.rapid, counts.totals, own, np.int32(-1), alone)
    leave_path(tree, layout, prior.gamma, prior.log_gamma, n_slow, path, control)


@inlined
def resample_path(
    leaf: int,
    words: NDArray[np.int32],
    levels: NDArray[np.uint8],
    tree: Tree,
    counts: Counts,
    layout: Layout,
    prior: Prior,
    settings: Settings,
    control: Control,
    work: Workspace,
) -> None:
    """Draw c given z, or with z summed out, into ``work.path``; the counts follow.

    A document alone in its leaf is taken out before, so that what it leaves can be born again.
    """
    n_slow, alone = counts.log_phi.shape[1], settings.n_threads == 1
    inside = leaf >= 0 and not settings.fixed_weights
    if inside:
        follow_path(tree.parent, leaf, work.path)
        if settings.fresh_levels or tree.n_docs[leaf] == 1:
            take_out(words, levels, work.path, tree, counts, layout, prior, control, work.own, alone)
            inside = False
    if leaf < 0 and not settings.fresh_levels:
        draw_uniform_levels(levels, len(work.path), work.stream)
    while True:
        slot = draw_path(words, levels, tree, counts, layout, prior, settings, control, work, inside)
        if settings.fixed_weights:
            follow_path(tree.parent, slot, work.path)
            return
        if inside and slot == leaf:
            return
        if inside:
            take_out(words, levels, work.path, tree, counts, layout, prior, control, work.own, alone)
            inside = False
        if join_path(tree, layout, prior.gamma, prior.log_gamma, n_slow, work.path, control, slot, settings.max_topics):
            add_document(words, levels, work.path, n_slow, counts.rapid, counts.totals, work.own, np.int32(1), alone)
            return


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
    path, n_slow, leaf = work.path, counts.log_phi.shape[1], np.int64(docs.leaf[d])
    start_stream(work.stream, settings.seed, settings.iteration, docs.key[d])
    if settings.fixed_paths:
        follow_path(tree.parent, leaf, path)
    else:
        resample_path(leaf, words, levels, tree, counts, layout, prior, settings, control, work)
    docs.leaf[d] = path[len(path) - 1]
    prepare_levels(levels, path, n_slow, counts.totals, prior.alpha, prior.beta_sum, work.scratch)
    if settings.n_samples > 1 or settings.fixed_paths:
        work.n_rows[0] = number_rows(words, levels, work.row_word, work.row_of, work.row_counts)
    fetch_path(work.row_word, work.n_rows[0], path, counts.log_phi)
    gather_likelihoods(
        work.row_word, work.n_rows[0], path, counts.rapid, counts.log_phi, counts.root_phi, prior.beta, work.likelihood
    )
    draw_levels(levels, work.row_of, work.likelihood, len(path), work.stream, work.scratch, work.lanes)
    follow_levels(
        levels,
        path,
        n_slow,
        work.row_word,
        work.row_of,
        work.n_rows[0],
        work.row_counts,
        work.bucket,
        counts.rapid,
        counts.totals,
        settings.n_threads == 1,
    )


@kernel
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
