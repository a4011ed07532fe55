"""Trainers on synthetic corpora, ready to run."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from topicgrove.corpus import Corpus
from topicgrove.prior import HyperParameters
from topicgrove.samplers import BlockedGibbs, CollapsedGibbs, PartiallyCollapsedGibbs, Sampler
from topicgrove.state import State
from topicgrove.training import Adjuster, Schedule, Trainer
from topicgrove.workers import Workers

from ..threads.conftest import draw_mixture

MakeTrainer = Callable[..., Trainer]

SAMPLERS: dict[str, Callable[[], Sampler]] = {
    "cgs": CollapsedGibbs,
    "pcgs": lambda: PartiallyCollapsedGibbs(8, draw_phi=False),
    "bgs": lambda: BlockedGibbs(2, draw_phi=False),
}


def build(
    sampler: str = "pcgs",
    n_iter: int = 12,
    init_iterations: int = 4,
    adjusters: Iterable[Adjuster] = (),
    seed: int = 1,
    hyper: HyperParameters | None = None,
    **mixture: Any,
) -> Trainer:
    """Make a trainer with three levels on documents of thirty topics."""
    corpus = Corpus.from_matrix(draw_mixture(**{"n_docs": 200, **mixture}))
    hyper = hyper or HyperParameters.of(3, beta=[0.5, 0.2, 0.1], gamma=0.5)
    state = State(corpus, hyper, seed, Workers(1))
    schedule = Schedule(n_iter, init_iterations, init_samples=1, batch_size=None, max_topics=None)
    return Trainer(state, SAMPLERS[sampler](), schedule, adjusters)


def same(a: State, b: State) -> bool:
    """Return whether two states agree in every assignment and hyper-parameter."""
    return (
        np.array_equal(a.docs.levels, b.docs.levels)
        and np.array_equal(a.paths(a.nodes()), b.paths(b.nodes()))
        and all(np.array_equal(x, y) for x, y in zip(a.hyper, b.hyper, strict=True))
    )


@pytest.fixture(scope="session")
def trainer() -> MakeTrainer:
    return build
