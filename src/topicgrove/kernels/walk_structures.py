"""Arrays of the several-paths model, in which every token walks down the tree by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.random import Stream


class WalkTree(NamedTuple):
    """A tree whose nodes are numbered breadth first, and the prior of walks down it.

    A token at an inner node i stops there with probability psi_di0 and goes on to child j with psi_dij, where
    psi_di ~ Dir(stop_i, a_j for the children j of i); ``total`` is A_i = stop_i + sum_j a_j.
    """

    parent: NDArray[np.int32]
    inner: NDArray[np.int32]
    """The number of a node among the inner nodes; -1 for a leaf."""
    nodes: NDArray[np.int32]
    """The inner nodes."""
    first_child: NDArray[np.int32]
    """The first child of each inner node; the others follow."""
    end_child: NDArray[np.int32]
    child_weight: NDArray[np.float32]
    """a_j of the edge into each node."""
    stop: NDArray[np.float32]
    """stop_i of each node; 0 for leaves."""
    total: NDArray[np.float32]
    """A_i of each node; 0 for leaves."""
    stop_prior: NDArray[np.float32]
    """a_j s_j of each node: going on to it and stopping there; s_j = stop_j / A_j at inner nodes, 1 at leaves."""
    below_prior: NDArray[np.float32]
    """a_j / A_j of each inner node, by its number: going on to it, and on from there."""
    first_inner: NDArray[np.int32]
    """The number of the first inner node among the children of each inner node; the others follow."""
    end_inner: NDArray[np.int32]


class WalkWords(NamedTuple):
    """The words of the nodes. Matrices have a row for each word, one after the other in a flat array."""

    counts: NDArray[np.int32]
    """(V T) C_tw."""
    totals: NDArray[np.int32]
    """(T,) C_t."""
    inverse: NDArray[np.float32]
    """(T,) 1 / (C_t + V beta_t)."""
    beta: NDArray[np.float32]
    """(T,) beta of each node's level."""
    mass: NDArray[np.float32]
    """(T,) V beta of each node's level."""
    phi: NDArray[np.float32]
    """(V T) phi_tw of slow topics; of others, phi_tw as it was at the last refresh."""
    slow: NDArray[np.uint8]
    """(T,) 1 if the topic's phi is instantiated, so that its counts are not kept up to date during a sweep."""
    any_slow: NDArray[np.uint8]
    """(1,) whether any topic is slow."""
    below: NDArray[np.float32]
    """(V I) H_wi = sum over children j of i of a_j G_wj; G is a word's probability in j's subtree by the prior."""


class WalkTokens(NamedTuple):
    """The tokens of the documents, and the node of each."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    keys: NDArray[np.uint64]
    """What starts the random stream of each document."""
    node: NDArray[np.int32]


class WalkSpace(NamedTuple):
    """Room for one thread and one document.

    The document's *slots* are the nodes in which it has tokens, and the nodes above those.
    """

    stream: Stream
    own: NDArray[np.int32]
    """(T,) n_dt."""
    through: NDArray[np.int32]
    """(T,) b_dt."""
    slot: NDArray[np.int32]
    """(T,) slot of each node, -1 for nodes without."""
    size: NDArray[np.int64]
    """(2,) number of slots, and of inner nodes among them."""
    node: NDArray[np.int32]
    """(T,) node of each slot."""
    source: NDArray[np.int32]
    """(T,) for each slot the inner node, by its number, whose reach its weight is a multiple of."""
    gain: NDArray[np.float32]
    """(T,) for each slot that multiple: b + a for a leaf and n + stop for an inner node, 0 if b is 0."""
    phi: NDArray[np.float32]
    """(T,) phi of the present word in each slot."""
    drawn: NDArray[np.float32]
    """(T,) weight of each slot for the present token."""
    inner: NDArray[np.int32]
    """(I,) numbers of the inner nodes among the slots, parents first."""
    above: NDArray[np.int32]
    """(I,) the number of each inner node's parent."""
    ratio: NDArray[np.float32]
    """(I,) (b + a) / (b + A) of each inner node."""
    reach: NDArray[np.float32]
    """(I,) R_i, the product of the ratios down to i."""
    smooth: NDArray[np.float32]
    """(I,) R_i H_wi for the inner nodes in the order of ``inner``."""
    path: NDArray[np.int32]
    """Room for the nodes above one."""
    every: NDArray[np.int64]
    """(1,) 1 if all nodes have slots and count as in use: then what is drawn is p itself."""
    moved: NDArray[np.int64]
    """(1,) tokens that changed their node."""
