"""Blocked Gibbs sampling (BGS): phi and pi are drawn once an iteration, and documents are independent given them.

The tree is truncated: every internal topic has ``free_children`` children that no document uses yet, the last of which
takes the rest of the stick. After every sweep, unused topics are dropped and drawn again. The sticks of used topics
therefore follow the Dirichlet process's posterior, which does not depend on the order of the topics. They do not follow
the Beta(1 + m_k, gamma + m_{>k}) of sticks that keep their places.

pi: pi_k = V_k prod_{j<k} (1 - V_j), V_k ~ Beta(m_k, gamma + m_{>k}) in use, Beta(1, gamma) free
phi: phi_t ~ Dir(beta_l + C_t)
z: p(z_dn = l) ~ (C_dl + alpha_l) phi_tv;   c: p(c_d = c) ~ prod_l pi_{c_{l-1} -> c_l} f_I(d, c_l)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.free_memory import check_fits
from topicgrove.kernels.random import start_stream
from topicgrove.kernels.sticks import draw_sticks
from topicgrove.samplers.base import SamplerSettings
from topicgrove.samplers.distributions import refresh_phi
from topicgrove.state import State
from topicgrove.topics import Nodes

STICK_STREAMS = np.uint64(0x571C571C571C571C)
"""Keeps the streams of pi apart from those of phi and of the documents."""

TOPIC_BYTES, ENTRY_BYTES = 32, 8
"""Least memory of a topic, in bytes: its place in the tree, and a count and a probability per word."""


class BlockedGibbs:
    """BGS: bit-identical for any number of threads."""

    name = "bgs"
    fixed_weights = True

    def __init__(self, free_children: int, draw_phi: bool) -> None:
        self.free_children = free_children
        self.draw_phi = draw_phi

    @classmethod
    def of(cls, settings: SamplerSettings) -> BlockedGibbs:
        """Make a sampler; refuse a tree that does not fit into memory."""
        n_levels, free_children = settings.n_levels, settings.free_children
        n_topics = sum(free_children**level for level in range(n_levels))
        tree = f"n_levels={n_levels} and free_children={free_children} make at least {n_topics:.3g} topics"
        check_fits(f"sampler='bgs': {tree}", n_topics * (TOPIC_BYTES + ENTRY_BYTES * settings.n_words))
        return cls(free_children, draw_phi=settings.phi != "mean")

    def refresh(self, state: State) -> None:
        """Count, drop unused topics, add free ones, and draw phi and pi."""
        state.topics.count_documents()
        nodes = _with_free_children(state.nodes(), state.n_levels, self.free_children)
        slots = state.topics.instantiate_all(nodes)
        state.topics.tree.log_weight[slots] = _draw_sticks(state, nodes)
        state.topics.tree.log_visits[:] = 0
        refresh_phi(state, self.draw_phi)


def _with_free_children(nodes: Nodes, n_levels: int, free_children: int) -> Nodes:
    """Append children without documents to every internal topic, and to those children in turn."""
    parts = [nodes]
    n_nodes = len(nodes.slot)
    parents = np.flatnonzero(nodes.level < n_levels - 1)
    levels = nodes.level[parents]
    while len(parents):
        parents, levels = np.repeat(parents, free_children), np.repeat(levels, free_children) + 1
        nothing = np.zeros(len(parents), np.int64)
        parts.append(Nodes(parents, levels, nothing, nothing - 1))
        index = n_nodes + np.arange(len(parents))
        n_nodes += len(parents)
        internal = levels < n_levels - 1
        parents, levels = index[internal], levels[internal]
    return Nodes(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _draw_sticks(state: State, nodes: Nodes) -> NDArray[np.float32]:
    """Draw log pi of every topic among its siblings; the root's is 0."""
    log_pi = np.zeros(len(nodes.slot), np.float32)
    stream = np.zeros(2, np.uint64)
    order = np.argsort(nodes.parent[1:], kind="stable") + 1
    starts = np.flatnonzero(np.diff(nodes.parent[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    for start, end in zip(starts, ends, strict=True):
        children = order[start:end]
        parent = nodes.parent[children[0]]
        with np.errstate(over="ignore"):
            start_stream(stream, state.seed ^ STICK_STREAMS, np.uint64(state.refreshes), np.uint64(parent))
        log_gamma = state.prior.log_gamma[nodes.level[parent]]
        draw_sticks(stream, nodes.n_docs[children], np.exp(log_gamma), log_pi, children)
    return log_pi
