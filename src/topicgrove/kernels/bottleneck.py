"""What merging groups of topics loses, for the information bottleneck."""

from __future__ import annotations

from typing import Any

import numpy as np

from topicgrove.kernels.compiled import kernel


@kernel
def shared_losses(
    own: Any, groups: Any, begins: Any, ends: Any, words: Any, counts: Any, xlogx: Any, losses: Any
) -> None:
    """losses[k] = sum_v g(c_v) + g(c_kv) - g(c_v + c_kv) with g(x) = x log x, for each group k of some.

    own : int64 (V,), tokens of each word in the group to be merged; groups : int64 (n,); begins, ends : int64 (n_rows,)
    where each group's words are in words and counts; xlogx : float64, g(0), g(1), ...; losses : float64 (n,), written.
    """
    for k in range(len(groups)):
        group = groups[k]
        loss = 0.0
        for entry in range(begins[group], ends[group]):
            ours = own[words[entry]]
            if ours > 0:
                theirs = counts[entry]
                loss += xlogx[ours] + xlogx[theirs] - xlogx[ours + theirs]
        losses[k] = np.float64(loss)
