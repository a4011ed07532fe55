"""The log joint probability against a slow computation, document by document and gamma function by gamma function."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.state import State
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers


def log_paths(paths: NDArray[np.int64], gamma: NDArray[np.float64]) -> float:
    """Documents sit down one by one: at a child with m_k / (m + gamma), at a new one with gamma / (m + gamma)."""
    seated: dict[tuple[int, ...], int] = {}
    total = 0.0
    for path in paths.tolist():
        for level in range(1, len(path)):
            parent, child = tuple(path[:level]), tuple(path[: level + 1])
            m, g = seated.get(parent, 0), gamma[level - 1]
            total += (np.log(seated[child]) if child in seated else np.log(g)) - (np.log(m + g) if m else np.log(g))
        for level in range(len(path)):
            here = tuple(path[: level + 1])
            seated[here] = seated.get(here, 0) + 1
    return total


def log_dirichlet_multinomial(counts: NDArray[np.int64], prior: NDArray[np.float64]) -> float:
    """log B(counts + prior) / B(prior) of a row of counts."""
    rising = (gammaln(counts + prior) - gammaln(prior)).sum()
    return float(rising - gammaln(counts.sum() + prior.sum()) + gammaln(prior.sum()))


def slow_log_joint(
    X: NDArray[np.int64], paths: NDArray[np.int32], levels: NDArray[np.uint8], hyper: HyperParameters
) -> float:
    n_levels, n_words = paths.shape[1], X.shape[1]
    topics: dict[tuple[int, int], NDArray[np.int64]] = {}
    total = log_paths(paths.astype(np.int64), np.exp(hyper.log_gamma))
    n = 0
    for d, row in enumerate(X):
        own = np.zeros(n_levels, int)
        for word in np.repeat(np.arange(n_words), row):
            level = int(levels[n])
            own[level] += 1
            topics.setdefault((level, int(paths[d, level])), np.zeros(n_words, int))[word] += 1
            n += 1
        total += log_dirichlet_multinomial(own, hyper.alpha)
    for (level, _), counts in topics.items():
        total += log_dirichlet_multinomial(counts, np.full(n_words, hyper.beta[level]))
    return total


def draw_counts() -> NDArray[np.int64]:
    rng = np.random.default_rng(3)
    X = rng.poisson(rng.gamma(0.3, 2.0, (50, 20)))
    X[:, 0] += 1
    X[0, 1] = 3_000
    return X


def test_topics_may_be_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).poisson(0.7, (30, 12))
    model = HierarchicalLDA(3, n_iter=5, random_state=0).fit(X)
    monkeypatch.setattr("topicgrove.evaluation.joint.MOST_COUNTS", 40)
    in_parts = HierarchicalLDA(3, n_iter=5, random_state=0).fit(X)
    assert len(model.tree_) > 5
    assert in_parts.log_joint_ == pytest.approx(model.log_joint_, rel=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("gamma", [1e-300, 1e-20, 1e-3, 1.0, 1e4])
@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_the_log_joint_of_every_sweep_is_right(sampler: str, gamma: float, n_jobs: int) -> None:
    X = draw_counts()
    pairs: list[tuple[float, float]] = []

    def check(event: SweepEvent) -> None:
        pairs.append((event.log_joint, slow_log_joint(X, event.paths, event.token_levels, event.state.hyper)))

    options: dict[str, Any] = {"alpha": [0.2, 0.7, 1.5], "beta": [1.0, 0.5, 0.25], "n_iter": 3, "random_state": 0}
    HierarchicalLDA(3, sampler=sampler, gamma=gamma, n_jobs=n_jobs, callbacks=[check], **options).fit(X)
    assert len(pairs) == 3
    for fast, slow in pairs:
        assert fast == pytest.approx(slow, rel=1e-6)


@pytest.mark.parametrize("log_gamma", [-700.0, -31.0, -29.0, -5.0, 0.0, 3.0, 12.0, 30.0, 100.0])
def test_the_trees_part_is_the_product_of_seatings(log_gamma: float) -> None:
    rng = np.random.default_rng(0)
    paths = np.column_stack([np.zeros(30, int), rng.integers(0, 3, 30), rng.integers(0, 3, 30)])
    hyper = HyperParameters.of(3, gamma=[np.exp(log_gamma), 2.0])
    prefixes = [sorted({tuple(path[: k + 1]) for path in paths.tolist()}) for k in range(3)]
    nodes = [prefix for level in prefixes for prefix in level]
    index = {prefix: i for i, prefix in enumerate(nodes)}
    parent = np.array([index[node[:-1]] if len(node) > 1 else 0 for node in nodes])
    level = np.array([len(node) - 1 for node in nodes])
    n_docs = np.array([sum(tuple(path[: len(node)]) == node for path in paths.tolist()) for node in nodes])
    exact = log_paths(paths, np.exp(hyper.log_gamma))
    assert hyper.log_ncrp(parent, level, n_docs) == pytest.approx(exact, rel=1e-9)


def test_level_counts_count_each_documents_levels() -> None:
    corpus = Corpus.from_documents([[0, 1, 1], [], [2, 2]])
    state = State(corpus, HyperParameters.of(4), 0, Workers(1))
    state.docs.levels[:] = [0, 2, 2, 1, 1]
    assert state.assignments.level_counts().tolist() == [[1, 0, 2, 0], [0, 0, 0, 0], [0, 2, 0, 0]]
