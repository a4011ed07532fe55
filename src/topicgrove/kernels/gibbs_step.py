"""One Gibbs step: a document gets a path and levels, given all other documents.

    c ~ nCRP(c; gamma) prod_l f(d, c_l)             resample_path       scores.py, paths.py
    z ~ (C_dl + alpha_l) phi_{c_l, w}               resample_levels     levels.py

Nearly all documents stay on their path, and most tokens on their level. So a document stays in the shared counts while
it is resampled: its own share is left out of its scores, and only what changed is written (shared_counts.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import inlined, part
from topicgrove.kernels.document_words import clear_counts, count_by_level, list_by_level, list_distinct
from topicgrove.kernels.levels import (
    count_drawn,
    draw_levels,
    draw_uniform_levels,
    fetch_path,
    gather_likelihoods,
    prepare_levels,
)
from topicgrove.kernels.paths import draw_candidate, set_ranges, weigh_paths
from topicgrove.kernels.random import start_stream, uniform
from topicgrove.kernels.scores import score_level, score_own_topics, score_root_topic
from topicgrove.kernels.shared_counts import subtract_counts, write_levels
from topicgrove.kernels.structures import ROOT, Documents, Prior, Settings, TopicArrays, Workspace
from topicgrove.kernels.tree import follow_path, join_path, leave_path


@inlined
def resample_document(
    d: int, docs: Documents, topics: TopicArrays, prior: Prior, settings: Settings, work: Workspace
) -> None:
    """Draw c_d given the levels (or with them summed out), then the levels z_d given the path."""
    words = docs.words[docs.offsets[d] : docs.offsets[d + 1]]
    levels = docs.levels[docs.offsets[d] : docs.offsets[d + 1]]
    path, document, leaf, counted = work.path, work.document, np.int64(docs.leaf[d]), True
    start_stream(work.stream, settings.seed, settings.iteration, docs.key[d])
    if leaf < 0 and not settings.fresh_levels:
        draw_uniform_levels(levels, len(path), work.stream)
    document.n_rows[0] = list_distinct(words, document.word, document.row_of)
    count_by_level(levels, document.row_of, document.n_rows[0], document.counted)
    if settings.fixed_paths:
        follow_path(topics.tree.parent, leaf, path)
    else:
        counted = resample_path(leaf, levels, topics, prior, settings, work)
    docs.leaf[d] = path[len(path) - 1]
    if not counted:
        clear_counts(document.n_rows[0], document.counted)
    resample_levels(levels, topics, prior, work, settings.fresh_levels or not counted)


@inlined
def resample_path(
    leaf: int, levels: NDArray[np.uint8], topics: TopicArrays, prior: Prior, settings: Settings, work: Workspace
) -> bool:
    """Draw c into ``work.path``; return whether the topics on it have counted the document.

    A document alone in its leaf is taken out first, so that the topics it leaves can be born again. Any other is taken
    out after another path has been chosen, and put on that path.
    """
    tree = topics.tree
    slot = int(np.int64(-1))  # a literal -1 would make Numba compile parts once more
    inside = leaf >= 0 and not settings.fixed_weights
    leaves = False
    if inside:
        follow_path(tree.parent, leaf, work.path)
        leaves = tree.n_docs[leaf] == 1
    while True:
        if leaves:
            take_out(topics, prior, work)
            inside = False
        if slot >= 0 and join_path(topics, prior, work.path, slot, settings.max_topics):
            return False
        slot = choose_path(levels, topics, prior, settings, work, inside)
        if settings.fixed_weights:
            follow_path(tree.parent, slot, work.path)
            return True
        if inside and slot == leaf:
            return True
        leaves = inside


@inlined
def take_out(topics: TopicArrays, prior: Prior, work: Workspace) -> None:
    """Take the document off ``work.path`` and out of the counts; topics without documents die."""
    subtract_counts(topics, work)
    leave_path(topics, prior, work.path)


@part
def choose_path(
    levels: NDArray[np.uint8],
    topics: TopicArrays,
    prior: Prior,
    settings: Settings,
    work: Workspace,
    inside: bool,
) -> int:
    """Draw a slot given the levels or, in the early phase, given fresh uniform levels, which the tokens keep."""
    max_new = np.int64(0) if settings.fixed_weights else settings.max_topics - topics.control.n_topics[0]
    document, listed, n_levels, n_tokens = work.document, work.by_level, len(prior.alpha), len(levels)
    set_ranges(topics.layout, topics.words.log_phi.shape[1], work.paths.ranges)
    first_level = 0 if settings.n_samples > 1 else 1
    counts = document.drawn if settings.fresh_levels else document.counted
    for sample in range(settings.n_samples):
        if settings.fresh_levels:
            drawn = work.drawn_levels[sample, :n_tokens]
            draw_uniform_levels(drawn, n_levels, work.stream)
            count_by_level(drawn, document.row_of, document.n_rows[0], counts)
        list_by_level(
            document.word,
            document.n_rows[0],
            counts,
            first_level,
            listed.start,
            listed.words,
            listed.times,
            listed.tokens,
            listed.repeat,
        )
        score_topics(topics, prior, work, first_level, settings.fresh_levels, inside)
        weigh_paths(topics.tree, prior, work, sample, max_new, inside)
    paths = work.paths
    picked = draw_candidate(
        paths.candidate, paths.ranges, settings.n_samples, paths.chosen, paths.weight, uniform(work.stream)
    )
    if settings.fresh_levels:
        drawn = work.drawn_levels[picked // paths.candidate.shape[1]]
        for n in range(n_tokens):
            levels[n] = drawn[n]
    return picked % paths.candidate.shape[1]


@inlined
def score_topics(
    topics: TopicArrays, prior: Prior, work: Workspace, first_level: int, fresh: bool, inside: bool
) -> None:
    """Compute log f(d, t) of every topic and of new ones, without what a document ``inside`` adds to them."""
    n_levels = len(prior.alpha)
    work.paths.new[n_levels] = 0.0
    for level in range(n_levels - 1, 0, -1):
        score_level(topics.words, prior, work, level)
    work.paths.score[ROOT] = np.float32(0.0)
    if first_level == 0:
        score_root_topic(topics.words, prior, work)
    if inside:
        score_own_topics(topics.words, prior, work, first_level, fresh)


@inlined
def resample_levels(levels: NDArray[np.uint8], topics: TopicArrays, prior: Prior, work: Workspace, drawn: bool) -> None:
    """Draw z along ``work.path``, and update the counts.

    The topics have counted the document as in ``work.document.counted``; ``drawn`` says that ``levels`` differ.
    """
    document, weights, words = work.document, work.levels, topics.words
    path, n_slow, n_rows = work.path, words.log_phi.shape[1], document.n_rows[0]
    prepare_levels(levels, path, n_slow, words.totals, prior.alpha, prior.beta_sum, weights.scratch)
    fetch_path(document.word, n_rows, path, words.rapid, words.log_phi)
    gather_likelihoods(
        document.word, n_rows, path, words.rapid, words.log_phi, words.root_phi, prior.beta, weights.likelihood
    )
    if drawn:
        count_drawn(levels, document.row_of, n_rows, len(path), document.counted, weights.likelihood, weights.scratch)
    draw_levels(levels, document.row_of, weights.likelihood, len(path), work.stream, weights.scratch, weights.lanes)
    write_levels(levels, topics, work)
