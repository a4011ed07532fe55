"""log p(w, z) of the several-paths model, given its tree and hyper-parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from topicgrove.several_paths.paths import ancestors
from topicgrove.several_paths.shape import WalkHyper, levels_of, walk_tree
from topicgrove.several_paths.state import WalkState


def log_joint(state: WalkState) -> float:
    """Return log p(w, z) of the documents of all ranks: see `log_joint_of_counts`."""
    of_walks = np.array([log_walks(state.parent, state.hyper, state.document_counts())])
    state.comm.allreduce_sum(of_walks)
    return float(of_walks[0]) + log_words(state.hyper.beta[state.level], state.counts())


def log_joint_of_counts(
    parent: NDArray[np.integer], hyper: WalkHyper, own: sparse.csr_array, counts: sparse.csr_array
) -> float:
    """Return log p(z) + log p(w | z), walks and topics summed out.

    sum_di log B(n_di + stop_i, b_dj + a_j) / B(stop_i, a_j) + sum_t log B(C_t + beta) / B(beta)

    Parameters
    ----------
    parent : array of shape (T,)
        The tree, breadth first.
    hyper : WalkHyper
        Its priors.
    own : CSR array of shape (D, T)
        Tokens of each document in each topic.
    counts : CSR array of shape (T, V)
        Tokens of each word in each topic.

    Examples
    --------
    >>> hyper = WalkHyper(np.array([1.0, 0.5]), np.ones(2), np.ones(2))
    >>> own, counts = sparse.csr_array([[1, 1]]), sparse.csr_array([[1, 0], [0, 1]])
    >>> round(float(np.exp(log_joint_of_counts(np.array([-1, 0]), hyper, own, counts))), 4)
    0.0417
    """
    return log_walks(parent, hyper, own) + log_words(hyper.beta[levels_of(parent)], counts)


def log_walks(parent: NDArray[np.integer], hyper: WalkHyper, own: sparse.csr_array) -> float:
    """Return log p(z) of (D, T) tokens of documents in topics."""
    tree = walk_tree(parent, hyper)
    through = (own @ ancestors(parent)).tocsr()
    total = np.asarray(tree.total, np.float64)
    inside = tree.inner[through.indices] >= 0
    log_p = -_log_rising(total[through.indices[inside]], through.data[inside]).sum()
    below = through.indices > 0
    log_p += _log_rising(tree.child_weight.astype(np.float64)[through.indices[below]], through.data[below]).sum()
    stays = tree.inner[own.indices] >= 0
    log_p += _log_rising(tree.stop.astype(np.float64)[own.indices[stays]], own.data[stays]).sum()
    return float(log_p)


def log_words(beta: NDArray[np.float64], counts: sparse.csr_array) -> float:
    """Return log p(w | z) of (T, V) words of topics, given beta of each topic."""
    n_topics, n_words = counts.shape
    topic = np.repeat(np.arange(n_topics), np.diff(counts.indptr))
    log_p = _log_rising(beta[topic], counts.data).sum()
    log_p -= _log_rising(beta * n_words, np.asarray(counts.sum(axis=1)).ravel()).sum()
    return float(log_p)


def _log_rising(a: NDArray[np.float64], n: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return log Gamma(a + n) / Gamma(a)."""
    rising: NDArray[np.float64] = gammaln(a + n) - gammaln(a)
    return rising
