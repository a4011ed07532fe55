"""Corpora that grow large trees quickly."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove.corpus import Corpus, read_uci

Mixture = Callable[..., NDArray[np.int64]]


def draw_mixture(n_docs: int = 300, n_words: int = 120, length: int = 40, seed: int = 0) -> NDArray[np.int64]:
    """Documents of 30 sparse topics, each mixed with a common background."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.05), 30)
    background = rng.dirichlet(np.ones(n_words))
    chosen = rng.integers(len(topics), size=n_docs)
    return np.array([rng.multinomial(rng.poisson(length), 0.4 * background + 0.6 * topics[t]) for t in chosen])


@pytest.fixture(scope="session")
def mixture() -> Mixture:
    return draw_mixture


@pytest.fixture(scope="session")
def reuters() -> Corpus:
    file = Path(__file__).parents[2].parent / "shared" / "data" / "lda_reuters395" / "docword.lda_reuters395.txt.gz"
    if not file.is_file():
        pytest.skip("the shared corpora are not here")
    return read_uci(file)
