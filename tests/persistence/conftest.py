"""A small model with every feature of a model, and its file."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove import Corpus, HierarchicalLDA

SPACE, SPORT = ("moon", "orbit", "rocket", "launch", "comet"), ("goal", "team", "match", "league", "coach")


def draw_texts(n_docs: int = 40, seed: int = 0) -> list[str]:
    """Texts of two subjects, with a few common words."""
    rng = np.random.default_rng(seed)
    subjects = [(*SPACE, "news", "today"), (*SPORT, "news", "today")]
    return [" ".join(rng.choice(subjects[d % 2], size=12)) for d in range(n_docs)]


def fit_model(n_docs: int = 40) -> HierarchicalLDA:
    corpus = Corpus.from_texts(
        draw_texts(n_docs), ids=[f"doc-{d}" for d in range(n_docs)], titles=True, min_df=1, stop_words=None, n_jobs=1
    )
    model = HierarchicalLDA(3, beta=[0.5, 0.3, 0.2], gamma=0.5, n_iter=12, collapse_below=9, random_state=5).fit(corpus)
    model.tree_.set_names({0: "alles", 1: "первый"})
    return model


@pytest.fixture(scope="session")
def model() -> HierarchicalLDA:
    """Fit once; tests must not change it."""
    return fit_model()


@pytest.fixture
def saved(model: HierarchicalLDA, tmp_path: Path) -> Path:
    path = tmp_path / "model.grove"
    model.save(path)
    return path


@pytest.fixture
def counts() -> NDArray[np.int64]:
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(25, 0.1), 4)
    return np.array([rng.multinomial(20, topics[d % 4]) for d in range(48)])
