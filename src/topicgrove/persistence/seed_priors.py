"""What seeds add to the prior of a model's topics, in its file."""

from __future__ import annotations

import numpy as np

from topicgrove.persistence.model_parts import integers, word_counts
from topicgrove.persistence.sealed import Arrays
from topicgrove.seeds.pinned import SeedPrior


def seed_arrays(seeds: SeedPrior | None) -> Arrays:
    """Return it as arrays to store; none without seeds.

    >>> seed_arrays(None)
    {}
    """
    if seeds is None:
        return {}
    starts = seeds.counts.indptr.astype(np.int64)
    parts: Arrays = {"seeds.starts": starts, "seeds.words": seeds.counts.indices, "seeds": seeds.counts.data}
    return parts | {"seeds.n_docs": seeds.n_docs}


def seeds_of(arrays: Arrays, shape: tuple[int, int]) -> SeedPrior | None:
    """Read it; None if there are none."""
    if "seeds.n_docs" not in arrays:
        return None
    return SeedPrior(word_counts("seeds", arrays, shape), integers("seeds.n_docs", arrays))
