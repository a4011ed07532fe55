"""Probabilities of held-out tokens, given each document's path and proportions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.structures import Documents
from topicgrove.kernels.tree import follow_path


@kernel
def predict_tokens(
    first: int,
    last: int,
    docs: Documents,
    parent: NDArray[np.int32],
    log_phi: NDArray[np.float32],
    theta: NDArray[np.float64],
    path: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Compute ``out[d] = sum_n log sum_l theta[d, l] phi[c_l, w_n]`` for documents first..last."""
    for d in range(first, last):
        follow_path(parent, np.int64(docs.leaf[d]), path)
        score = 0.0
        for n in range(docs.offsets[d], docs.offsets[d + 1]):
            probability = 0.0
            for level in range(len(path)):
                probability += theta[d, level] * math.exp(log_phi[docs.words[n], path[level]])
            score += math.log(probability)
        out[d] = score
