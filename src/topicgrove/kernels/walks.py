"""Drawing the node of every token in a tree where each token walks by itself.

With n_dt tokens of document d at t and b_dt in t's subtree, all without the token, and phi with C_tw + beta likewise,

p(z = t) ~ prod_{i->j on the path} (b_dj + a_j) / (b_di + A_i) * s_t * phi_tw,   s_t = (n_dt + stop_t) / (b_dt + A_t),

and s_t = 1 at leaves. A document uses few nodes. Those it uses are weighed exactly. The others are reached from an
inner node i in use by the prior alone, with R_i H_wi in all, where R_i = reach_i / (b_di + A_i) and H is tabulated for
every word. H counts the children in use, too, and its phi is that of the last refresh; so what is drawn is a proposal,

q(t) = [t in use] p(t) + sum over inner nodes i in use above t of R_i a_j prior(j -> t) phi_old_tw,

and a Metropolis-Hastings step makes it exact: it is accepted with probability min(1, p(t') q(t) / (p(t) q(t'))).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import fused, kernel, part
from topicgrove.kernels.random import Stream, next_bits, start_stream, unit_float32
from topicgrove.kernels.walk_structures import WalkSpace, WalkTokens, WalkTree, WalkWords
from topicgrove.kernels.walk_words import fetch_word, live_phi, move_count, phi_without, weigh_slow, weigh_word

_ONE, _ZERO = np.float32(1.0), np.float32(0.0)

BLOCK = 16
"""Children whose weights are added before any is looked at alone."""


@part
def uniform32(stream: Stream) -> np.float32:
    """Uniform on [0, 1) with 24 bits."""
    return unit_float32(next_bits(stream))


@part
def add_slot(t: np.int32, tree: WalkTree, space: WalkSpace) -> None:
    """Give a node, and those above it, slots unless they have some."""
    depth, node = 0, t
    while node >= 0 and space.slot[node] < 0:
        space.path[depth] = node
        depth += 1
        node = tree.parent[node]
    for k in range(depth - 1, -1, -1):
        node = space.path[k]
        s = space.size[0]
        space.size[0] = s + 1
        space.slot[node], space.node[s] = s, node
        up = tree.parent[node]
        i = tree.inner[node]
        if i < 0:
            space.source[s] = tree.inner[up]
            continue
        space.source[s] = i
        space.inner[space.size[1]] = i
        space.above[i] = tree.inner[up] if up >= 0 else -1
        space.size[1] += 1


@fused
def weigh_slot(node: np.int32, tree: WalkTree, space: WalkSpace) -> None:
    """Set gain and ratio of a node that has a slot from the document's counts."""
    i, b, s = tree.inner[node], np.float32(space.through[node]), space.slot[node]
    used = b > _ZERO or space.every[0] != 0
    if i < 0:
        space.gain[s] = b + tree.child_weight[node] if used else _ZERO
        return
    total = b + tree.total[node]
    if node == 0:
        space.gain[s] = np.float32(space.own[node]) + tree.stop[node]
        space.ratio[i] = _ONE / total
        return
    space.gain[s] = np.float32(space.own[node]) + tree.stop[node] if used else _ZERO
    space.ratio[i] = (b + tree.child_weight[node]) / total if used else _ZERO


@fused
def count_token(t: np.int32, change: np.int32, tree: WalkTree, space: WalkSpace) -> None:
    """Let the document have ``change`` more tokens at t, which has a slot."""
    space.own[t] += change
    node = t
    while node >= 0:
        space.through[node] += change
        weigh_slot(node, tree, space)
        node = tree.parent[node]


@part
def enter_document(nodes: NDArray[np.int32], tree: WalkTree, space: WalkSpace) -> None:
    """Count a document's tokens and give its nodes slots."""
    for node in range(len(tree.parent) if space.every[0] != 0 else 1):
        if space.slot[node] < 0:
            add_slot(np.int32(node), tree, space)
    for n in range(len(nodes)):
        t = nodes[n]
        if space.slot[t] < 0:
            add_slot(t, tree, space)
        space.own[t] += 1
        while t >= 0:
            space.through[t] += 1
            t = tree.parent[t]
    for s in range(space.size[0]):
        weigh_slot(space.node[s], tree, space)


@part
def leave_document(space: WalkSpace) -> None:
    """Clear what `enter_document` counted."""
    for s in range(space.size[0]):
        node = space.node[s]
        space.own[node] = 0
        space.through[node] = 0
        space.slot[node] = -1
    space.size[0] = 0
    space.size[1] = 0


@part
def drop_slot(node: np.int32, space: WalkSpace) -> None:
    """Take the slot of a leaf that the document uses no more."""
    s, last = space.slot[node], space.size[0] - 1
    other = space.node[last]
    space.node[s], space.source[s], space.gain[s], space.phi[s] = (
        other,
        space.source[last],
        space.gain[last],
        space.phi[last],
    )
    space.slot[other] = s
    space.slot[node] = -1
    space.size[0] = last


@part
def weigh_all(
    n_slots: int,
    source: NDArray[np.int32],
    gain: NDArray[np.float32],
    phi: NDArray[np.float32],
    reach: NDArray[np.float32],
    drawn: NDArray[np.float32],
) -> np.float32:
    """drawn_s = R_source(s) gain_s phi_s; returns the sum."""
    total = _ZERO
    for s in range(n_slots):
        weight = reach[source[s]] * gain[s] * phi[s]
        drawn[s] = weight
        total += weight
    return total


@part
def weigh_rest(
    row: int,
    n_inner: int,
    inner: NDArray[np.int32],
    above: NDArray[np.int32],
    ratio: NDArray[np.float32],
    reach: NDArray[np.float32],
    below: NDArray[np.float32],
    smooth: NDArray[np.float32],
) -> np.float32:
    """R_i = R_parent(i) ratio_i and smooth = R_i H_wi; returns the sum of these."""
    reach[inner[0]] = ratio[inner[0]]
    smooth[0] = ratio[inner[0]] * below[row + inner[0]]
    total = smooth[0]
    for k in range(1, n_inner):
        i = inner[k]
        r = reach[above[i]] * ratio[i]
        reach[i] = r
        smooth[k] = r * below[row + i]
        total += smooth[k]
    return total


@part
def pick(u: np.float32, n: int, weights: NDArray[np.float32]) -> int:
    """The first k with u < w_0 + ... + w_k; the last with a positive weight if rounding leaves none."""
    last = 0
    for k in range(n):
        w = weights[k]
        if w > _ZERO:
            if u < w:
                return k
            last = k
        u -= w
    return last


@part
def pick_stop(
    u: np.float32, first: int, end: int, row: int, prior: NDArray[np.float32], phi: NDArray[np.float32]
) -> tuple[int, np.float32]:
    """The first j with u < g_first + ... + g_j, g_j = prior_j phi_wj, or -1 if there is none; and what is left of u."""
    for begin in range(first, end, BLOCK):
        last = min(begin + BLOCK, end)
        total = _ZERO
        for j in range(begin, last):
            total += prior[j] * phi[row + j]
        if u < total:
            for j in range(begin, last - 1):
                g = prior[j] * phi[row + j]
                if u < g:
                    return j, u
                u -= g
            return last - 1, u
        u -= total
    return -1, u


@fused
def descend(i: np.int32, w: int, stream: Stream, tree: WalkTree, words: WalkWords) -> np.int32:
    """A node below inner node i, by the prior and the word's old phi."""
    row, inner_row = w * len(tree.parent), w * len(tree.nodes)
    while True:
        u = uniform32(stream) * words.below[inner_row + i]
        chosen, u = pick_stop(u, tree.first_child[i], tree.end_child[i], row, tree.stop_prior, words.phi)
        if chosen >= 0:
            return np.int32(chosen)
        first, end = tree.first_inner[i], tree.end_inner[i]
        if first == end:
            return np.int32(tree.end_child[i] - 1)
        i = np.int32(end - 1)
        for k in range(first, end - 1):
            g = tree.below_prior[k] * words.below[inner_row + k]
            if u < g:
                i = np.int32(k)
                break
            u -= g


@fused
def prior_reach(t: np.int32, tree: WalkTree, space: WalkSpace) -> tuple[np.float32, np.float32]:
    """Probabilities of coming to t and stopping there by the prior alone, from the inner nodes in use above it.

    From the lowest of them, which is p(t) / phi_tw if t is not in use, and from all.
    """
    chain = _ONE if tree.inner[t] < 0 else tree.stop[t] / tree.total[t]
    lowest, total = _ZERO, _ZERO
    node = t
    while node > 0:
        chain *= tree.child_weight[node]
        node = tree.parent[node]
        if node == 0 or space.through[node] > 0:
            r = chain * space.reach[tree.inner[node]]
            total += r
            if lowest == _ZERO:
                lowest = r
        chain /= tree.total[node]
    return lowest, total


@fused
def target_and_proposal(
    t: np.int32, row: int, phi: np.float32, tree: WalkTree, words: WalkWords, space: WalkSpace
) -> tuple[np.float32, np.float32]:
    """p(t) and q(t) for the present token, as `weigh_all` and `weigh_rest` left things."""
    lowest, total = prior_reach(t, tree, space)
    s, rest = space.slot[t], total * words.phi[row + t]
    if s >= 0 and space.gain[s] > _ZERO:
        return space.drawn[s], space.drawn[s] + rest
    return lowest * phi, rest


@fused
def propose(
    w: int, total: np.float32, rest: np.float32, tree: WalkTree, words: WalkWords, space: WalkSpace
) -> np.int32:
    """A node by q."""
    u = uniform32(space.stream) * (total + rest)
    if u < total:
        return space.node[pick(u, space.size[0], space.drawn)]
    k = pick(u - total, space.size[1], space.smooth)
    return descend(space.inner[k], w, space.stream, tree, words)


@fused
def draw_node(w: int, t: np.int32, phi_t: np.float32, tree: WalkTree, words: WalkWords, space: WalkSpace) -> np.int32:
    """The new node of a token that is at t, where phi_t is without it; the document's counts are, too."""
    row = w * len(tree.parent)
    rest = weigh_rest(
        w * len(tree.nodes),
        space.size[1],
        space.inner,
        space.above,
        space.ratio,
        space.reach,
        words.below,
        space.smooth,
    )
    total = weigh_all(space.size[0], space.source, space.gain, space.phi, space.reach, space.drawn)
    if space.every[0] != 0:
        return space.node[pick(uniform32(space.stream) * total, space.size[0], space.drawn)]
    new = propose(w, total, rest, tree, words, space)
    if new == t:
        return t
    phi_new = live_phi(row, new, words)
    p_old, q_old = target_and_proposal(t, row, phi_t, tree, words, space)
    p_new, q_new = target_and_proposal(new, row, phi_new, tree, words, space)
    if uniform32(space.stream) * (p_old * q_new) < p_new * q_old:
        return new
    return t


@fused
def settle(
    w: int, t: np.int32, new: np.int32, learning: bool, tree: WalkTree, words: WalkWords, space: WalkSpace
) -> None:
    """Put the token into its new node."""
    row = w * len(tree.parent)
    if space.slot[new] < 0:
        n_before = space.size[0]
        add_slot(new, tree, space)
        for s in range(n_before, space.size[0]):
            space.phi[s] = live_phi(row, space.node[s], words)
    count_token(new, np.int32(1), tree, space)
    if new != t:
        space.moved[0] += 1
        if learning:
            move_count(row, t, np.int32(-1), words)
            move_count(row, new, np.int32(1), words)
    if learning:
        space.phi[space.slot[t]] = live_phi(row, t, words)
        space.phi[space.slot[new]] = live_phi(row, new, words)
    if space.through[t] == 0 and tree.inner[t] < 0 and space.every[0] == 0:
        drop_slot(t, space)


@kernel
def draw_walks(
    first: int,
    last: int,
    seed: np.uint64,
    iteration: np.uint64,
    learning: bool,
    tokens: WalkTokens,
    tree: WalkTree,
    words: WalkWords,
    space: WalkSpace,
) -> None:
    """Draw the node of every token of documents first..last, once each; counts of words change only while learning."""
    n_nodes = len(tree.parent)
    for d in range(first, last):
        begin, end = tokens.offsets[d], tokens.offsets[d + 1]
        start_stream(space.stream, seed, iteration, tokens.keys[d])
        enter_document(tokens.node[begin:end], tree, space)
        before = -1
        for n in range(begin, end):
            w, t = tokens.words[n], tokens.node[n]
            row = np.int64(w) * n_nodes
            if w != before:
                weigh_word(row, space.size[0], space.node, words.counts, words.beta, words.inverse, space.phi)
                if words.any_slow[0] != 0:
                    weigh_slow(row, space.size[0], space.node, words.slow, words.phi, space.phi)
                before = w
            if n + 1 < end and tokens.words[n + 1] != w:
                fetch_word(np.int64(tokens.words[n + 1]), tree, words, space)
            count_token(t, np.int32(-1), tree, space)
            if learning:
                space.phi[space.slot[t]] = phi_without(row, t, words)
            new = draw_node(w, t, space.phi[space.slot[t]], tree, words, space)
            settle(w, t, new, learning, tree, words, space)
            tokens.node[n] = new
        leave_document(space)


@kernel
def start_walks(
    first: int, last: int, seed: np.uint64, tokens: WalkTokens, tree: WalkTree, words: WalkWords, stream: Stream
) -> None:
    """Draw the node of every token of documents first..last by the prior and its word, each token by itself."""
    n_nodes, n_inner = len(tree.parent), len(tree.nodes)
    for d in range(first, last):
        start_stream(stream, seed, np.uint64(0), tokens.keys[d])
        for n in range(tokens.offsets[d], tokens.offsets[d + 1]):
            w = np.int64(tokens.words[n])
            stay = tree.stop[0] * words.phi[w * n_nodes]
            if uniform32(stream) * (stay + words.below[w * n_inner]) < stay:
                tokens.node[n] = 0
            else:
                tokens.node[n] = descend(np.int32(0), w, stream, tree, words)
