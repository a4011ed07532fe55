"""Steering to a number of topics: a start that fits it, then beta and gamma that follow the tree while it still grows.

Measured on six corpora of 1,500 to 19,000 documents with 4 levels: the number of topics goes with beta^-1.3 and with
(-log gamma)^-0.4; with default beta and gamma it is about 0.24 sqrt(tokens). A bottom-up start begins with the target
number of topics. With any other start, i of the I sweeps of the early phase give (i / I)^0.2 of the topics that the
phase ends with. Afterwards the tree changes little, and tightening never removes much, so all steering happens early.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.prior import BETA_RANGE, LOG_GAMMA_RANGE, HyperParameters
from topicgrove.training import Trainer
from topicgrove.validation import check_finite

BETA_ELASTICITY, GAMMA_ELASTICITY = 1.3, 0.4
"""Exponents of 1 / beta and of 1 / -log gamma in the number of topics."""

USUAL_TOPICS = 0.24
"""Number of topics with the defaults, as a multiple of the square root of the tokens."""

GROWTH = 0.2
"""Exponent of the elapsed share of the early phase in the number of topics."""

FROM_BELOW = 0.8
"""Share of the target that the start aims at: topics are easier to gain than to lose."""

SURPLUS = 1.1
"""Multiple of the target that the early phase aims at: some topics die afterwards."""

GAIN = 0.4
"""Share of the difference that one sweep corrects."""

BETA_SHARE = 0.7
"""Share of that correction that beta makes; gamma makes the rest."""

GAMMA_LIMITS = (0.3, 3.0)
"""Bounds on log gamma, as multiples of its start, while beta can do the rest.

A loose gamma gives leaves with single documents.
"""

GAMMA_LIMITS_ALONE = (0.01, 100.0)

PHASE = 32
"""Sweeps of steering if there is no early phase."""


def steered_start(
    hyper: HyperParameters, usual: HyperParameters, target: int, n_tokens: int, *, beta: bool = True, gamma: bool = True
) -> HyperParameters:
    """Return hyper-parameters to start from for a target number of topics; those that are not steered stay as they are.

    ``usual`` has the defaults for the corpus.

    Examples
    --------
    >>> hyper = HyperParameters.of(4, n_words=10_000, n_tokens=400_000, mean_length=200)
    >>> steered_start(hyper, hyper, 400, 400_000).beta.round(3).tolist()
    [0.394, 0.197, 0.099, 0.067]
    """
    if target < hyper.n_levels:
        raise ValueError(f"target_topics must be at least n_levels ({hyper.n_levels}), a path's topics; got {target}")
    excess = USUAL_TOPICS * math.sqrt(max(n_tokens, 1.0)) / (FROM_BELOW * target)
    if beta:
        scaled = usual.beta * excess ** (1 / BETA_ELASTICITY)
        hyper = hyper._replace(beta=np.clip(scaled, *BETA_RANGE))
    if gamma and beta:
        hyper = hyper._replace(log_gamma=usual.log_gamma)
    elif gamma:
        excess *= np.exp(np.log(usual.beta / hyper.beta).mean()) ** BETA_ELASTICITY
        scale = np.clip(excess ** (1 / GAMMA_ELASTICITY), *GAMMA_LIMITS_ALONE)
        hyper = hyper._replace(log_gamma=usual.log_gamma * scale)
    return hyper


class SteerTopics:
    """An adjuster that moves beta and gamma during the early phase, to end it with about ``target`` topics.

    The target includes the root. At the end of the phase, gamma returns to its start if it was loosened and beta could
    help: the tree then hardly grows any more, and topics that only a loose gamma kept alive may die. From there on,
    both stay as they are. beta alone reaches almost any number; gamma alone reaches from a third to twice the number
    without steering.

    Parameters
    ----------
    target : int or sequence of int
        Number of topics to end with; or one for each level below the root, which beta of that level and gamma of the
        level above it then steer.
    init_iterations : int
        Sweeps of the early phase; with 0, the first 32 sweeps are used.
    beta, gamma : bool
        Which of them to move.
    grows : bool
        Whether the tree grows from a root; if not, it is there from the first sweep.

    Examples
    --------
    >>> steer = SteerTopics(100, init_iterations=32)
    >>> round(steer.missing(n_topics=55, progress=1 / 32), 2), round(steer.missing(n_topics=55, progress=0.5), 2)
    (0.0, 0.55)
    """

    def __init__(
        self,
        target: int | Sequence[int],
        init_iterations: int,
        *,
        beta: bool = True,
        gamma: bool = True,
        grows: bool = True,
    ) -> None:
        self.target = target
        self.phase = init_iterations or PHASE
        self.beta = beta
        self.gamma = gamma
        self.growth = GROWTH if grows else 0.0
        self._start: NDArray[np.float64] | None = None

    def after_sweep(self, trainer: Trainer) -> None:
        """Steer during the early phase."""
        state, last = trainer.state, min(self.phase, trainer.schedule.n_iter)
        hyper = state.hyper
        if self._start is None:
            self._start = hyper.log_gamma
        if trainer.iteration < last:
            levels = np.bincount(state.nodes().level, minlength=state.n_levels)
            n_topics = int(levels.sum()) if isinstance(self.target, int) else levels[1:]
            state.set_hyper(self._steered(hyper, self._start, self.missing(n_topics, trainer.iteration / last)))
        elif trainer.iteration == last and self.beta and self.gamma:
            state.set_hyper(hyper._replace(log_gamma=np.minimum(hyper.log_gamma, self._start)))

    def missing(self, n_topics: Any, progress: float) -> Any:
        """Return the logarithm of the factor still to gain, given the number of topics and the phase's progress.

        With a target for each level, both are arrays.
        """
        if isinstance(self.target, int):
            return math.log(SURPLUS * self.target * progress**self.growth / n_topics)
        return np.log(SURPLUS * np.array(self.target) * progress**self.growth / np.maximum(n_topics, 1))

    def _steered(self, hyper: HyperParameters, start: NDArray[np.float64], missing: Any) -> HyperParameters:
        share = BETA_SHARE if self.gamma else 1.0
        exp = math.exp if isinstance(self.target, int) else np.exp
        if self.beta:
            factor = exp(-GAIN * share * missing / BETA_ELASTICITY)
            if not isinstance(self.target, int):
                factor = np.append(1.0, factor)
            hyper = hyper._replace(beta=np.clip(hyper.beta * factor, *BETA_RANGE))
        if self.gamma:
            rest, (near, far) = (1 - share, GAMMA_LIMITS) if self.beta else (1.0, GAMMA_LIMITS_ALONE)
            factor = exp(-GAIN * rest * missing / GAMMA_ELASTICITY)
            hyper = hyper._replace(log_gamma=np.clip(hyper.log_gamma * factor, far * start, near * start))
        return hyper

    def to_dict(self) -> dict[str, Any]:
        """Return the initial log gamma."""
        return {"log_gamma": None if self._start is None else self._start.tolist()}

    def restore(self, saved: dict[str, Any], hyper: HyperParameters) -> None:
        """Restore the initial log gamma."""
        start = check_finite("log_gamma of the start", saved["log_gamma"])
        if start.shape != hyper.log_gamma.shape or np.any((start < LOG_GAMMA_RANGE[0]) | (start > LOG_GAMMA_RANGE[1])):
            raise ValueError(f"log_gamma of the start is {start}; there are {len(hyper.log_gamma)} levels with one")
        self._start = start
