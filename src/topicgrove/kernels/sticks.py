"""Stick-breaking weights of a topic's children."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.random import log_gamma_variate

LEAST_SHAPE = 1e-100
"""The least share of the stick that still makes a difference in floating point."""


@kernel
def draw_sticks(
    stream: NDArray[np.uint64],
    n_docs: NDArray[np.int64],
    gamma: float,
    log_pi: NDArray[np.float32],
    children: NDArray[np.int64],
) -> None:
    """Draw log pi of siblings: V_k ~ Beta(m_k, gamma + m_{>k}), or Beta(1, gamma) without documents.

    The last sibling takes the rest.
    """
    later = 0
    for k in range(len(children)):
        later += n_docs[k]
    log_left = 0.0
    for k in range(len(children) - 1):
        later -= n_docs[k]
        take = log_gamma_variate(stream, float(max(n_docs[k], 1)))
        leave = log_gamma_variate(stream, max(gamma + later, LEAST_SHAPE))
        both = max(take, leave) + math.log1p(math.exp(-abs(take - leave)))
        log_pi[children[k]] = np.float32(log_left + take - both)
        log_left += leave - both
    log_pi[children[len(children) - 1]] = np.float32(log_left)
