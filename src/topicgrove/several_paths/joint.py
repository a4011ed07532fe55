"""log p(w, z) of the several-paths model, given its tree and hyper-parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from topicgrove.several_paths.paths import ancestors
from topicgrove.several_paths.state import WalkState


def log_joint(state: WalkState) -> float:
    """Return log p(z) + log p(w | z), walks and topics summed out.

    sum_di log B(n_di + stop_i, b_dj + a_j) / B(stop_i, a_j) + sum_t log B(C_t + beta) / B(beta)
    """
    tree, n_words = state.tree, state.n_words
    own = state.document_counts()
    through = (own @ ancestors(state.parent)).tocsr()
    total = np.asarray(tree.total, np.float64)
    inside = tree.inner[through.indices] >= 0
    visits = through.data[inside]
    log_p = -_log_rising(total[through.indices[inside]], visits).sum()
    below = through.indices > 0
    log_p += _log_rising(tree.child_weight.astype(np.float64)[through.indices[below]], through.data[below]).sum()
    stays = tree.inner[own.indices] >= 0
    log_p += _log_rising(tree.stop.astype(np.float64)[own.indices[stays]], own.data[stays]).sum()
    beta = state.words.beta.astype(np.float64)
    counts = state.counts().tocsr()
    topic = np.repeat(np.arange(state.n_nodes), np.diff(counts.indptr))
    log_p += _log_rising(beta[topic], counts.data).sum()
    log_p -= _log_rising(beta * n_words, state.words.totals).sum()
    return float(log_p)


def _log_rising(a: NDArray[np.float64], n: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return log Gamma(a + n) / Gamma(a)."""
    rising: NDArray[np.float64] = gammaln(a + n) - gammaln(a)
    return rising
