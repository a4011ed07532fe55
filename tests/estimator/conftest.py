"""A small corpus with a few clear topics."""

import numpy as np
import pytest
from numpy.typing import NDArray


def draw_counts(n_docs: int = 60, n_words: int = 30, length: int = 25, seed: int = 0) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.1), 4)
    background = rng.dirichlet(np.ones(n_words))
    chosen = rng.integers(4, size=n_docs)
    lengths = 1 + rng.poisson(length, n_docs)
    return np.array(
        [rng.multinomial(n, 0.3 * background + 0.7 * topics[t]) for n, t in zip(lengths, chosen, strict=True)]
    )


@pytest.fixture
def counts() -> NDArray[np.int64]:
    return draw_counts()
