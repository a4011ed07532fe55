"""Parameters of the estimator with arbitrary values: each is refused by its name, or gives a valid model."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_array_equal

from topicgrove import HierarchicalLDA, SweepEvent
from topicgrove.prior import HyperParameters

from . import samples
from .cases import Target
from .mutations import WILD, Random

SWEEPS = 3
NUMBERS: list[Any] = [1, 0.2, 1e-9, 1e9, 1e-10, 1e10, 1e-30, 1e30, 1e-300, 5e-324, 1e308, 0, -1, math.nan, math.inf,
                      "1", None, True, [0.5, 0.3, 0.2], [0.5, 0.3], (1, 2, 3), [1, math.nan, 1], [1e-9, 1e9, 1.0],
                      [[1], [1]], np.array([1, 2], np.int8), np.float32(0.5), [], 1j, [None, 1], 2**70,
                      [[1, 2], [3]]]  # fmt: skip
CHOICES: dict[str, list[Any]] = {
    "n_levels": [2, 3, 5, 64, 65, 1, 0, -1, 2.0, np.int8(3), True],
    "alpha": NUMBERS,
    "beta": NUMBERS,
    "gamma": NUMBERS,
    "sampler": ["auto", "pcgs", "cgs", "bgs", "PCGS", b"cgs"],
    "collapse_below": [None, math.inf, 1, 2, 1e300, 0, math.nan, 2.5, -1, 2**70],
    "init": ["monte_carlo", "bottom_up", "progressive", "none", None],
    "init_iterations": [0, 1, 2, 32, 2**70, -1, 1.0],
    "init_samples": [1, 3, 0, -1, 1.5],
    "batch_size": [None, 1, 3, 1000, 2**70, 0, -1],
    "phi": ["auto", "mean", "draw", "none"],
    "n_iter": [1, 2, 3, 2**70, 0, -1, 2.0],
    "max_topics": [None, 3, 5, 1000, 2, 2**31, 2**70, 0, -1],
    "free_children": [1, 2, 5, 0, -1],
    "refine": [True, False, 1, np.True_],
    "target_topics": [None, 3, 10, 1000, 2**70, 1, 0, -1, 5.0],
    "min_docs": [1, 2, 5, 1000, 2**70, 0, -1],
    "learn": [(), "beta", ["alpha", "gamma"], {"alpha"}, "all", [1], None, 3, [["alpha"]]],
    "early_stopping": [False, True, 2, 1, 0, 2**70, "yes"],
    "sync": ["hybrid", "bsp", "server", "lockstep", "none"],
    "n_jobs": [None, 1, 2, -1, 0, -2, 1025, 2**70, 1.0],
    "random_state": [None, 0, 7, 2**63 - 1, 2**63, -1, 1.5, "1", np.random.RandomState(1), np.int64(3)],
}


class Enough(Exception):  # noqa: N818 - it ends a run, and is no error
    """Ends a fit after a few sweeps, however many were requested."""


class Estimator(Target):
    """`HierarchicalLDA.fit` on a few documents."""

    share = 12

    def prepare(self) -> None:
        """Compile what any of the samplers needs."""
        for sampler in ("pcgs", "cgs", "bgs"):
            for refine in (False, True):
                samples.estimator(sampler=sampler, refine=refine, learn=("alpha", "beta", "gamma"), min_docs=3).fit(
                    samples.corpus()
                )

    def generate(self, rng: Random, folder: Path) -> dict[str, Any]:
        """Up to three parameters."""
        given: dict[str, Any] = {"n_levels": 3, "n_iter": SWEEPS, "init_iterations": 1, "random_state": 1}
        for name in rng.choice(list(CHOICES), size=rng.choice([1, 2, 3], p=[0.5, 0.3, 0.2]), replace=False):
            values = WILD if rng.random() < 0.15 else CHOICES[name]
            given[str(name)] = values[rng.integers(len(values))]
        return given

    def run(self, given: dict[str, Any]) -> HierarchicalLDA | None:
        """Fit; None if it was ended after some sweeps."""

        def end(event: SweepEvent) -> None:
            if event.iteration == 2 * SWEEPS:
                raise Enough

        try:
            return HierarchicalLDA(**given, callbacks=[end]).fit(samples.corpus())
        except Enough:
            return None

    def check(self, given: dict[str, Any], result: HierarchicalLDA | None) -> None:
        """Check that the model is valid, and that the same seed reproduces it."""
        if result is None:
            return
        check_model(result)
        again = self.run(given)
        if again is not None and given["random_state"] is not None and given.get("n_jobs") in (None, 1):
            if isinstance(given["random_state"], np.random.RandomState):
                return
            assert_array_equal(again.paths_, result.paths_)
            assert_array_equal(again.token_levels_, result.token_levels_)

    def check_refusal(self, given: Any, error: Exception) -> None:
        """The message names a parameter that was given, or whose default does not go with it."""
        assert any(name in str(error) for name in CHOICES), f"no parameter in {error}"


class Prior(Target):
    """Hyper-parameters by themselves."""

    share = 6

    def generate(self, rng: Random, folder: Path) -> dict[str, Any]:
        """alpha, beta and gamma of any kind."""
        given: dict[str, Any] = {"n_levels": int(rng.integers(2, 5))}
        for name in ("alpha", "beta", "gamma"):
            values = NUMBERS if rng.random() < 0.8 else WILD
            if rng.random() < 0.5:
                given[name] = values[rng.integers(len(values))]
        return given

    def run(self, given: dict[str, Any]) -> HyperParameters:
        """Check them."""
        return HyperParameters.of(**given)

    def check(self, given: dict[str, Any], result: HyperParameters) -> None:
        """They are finite, positive, and kernels get finite tables."""
        assert result.n_levels == given["n_levels"]
        for values, length in zip(result, (0, 0, 1), strict=True):
            assert values.shape == (given["n_levels"] - length,)
            assert np.isfinite(values).all()
        prior = result.for_kernels(50)
        assert (prior.alpha > 0).all()
        assert (prior.beta > 0).all()
        for table in (prior.alpha, prior.beta_sum, prior.log_rising_word, prior.log_rising_total):
            assert np.isfinite(table).all()


class Extremes(NamedTuple):
    """What one fitted model says of documents."""

    proportions: Any
    paths: Any


def check_model(model: HierarchicalLDA, *, same_corpus: bool = True) -> Extremes:
    """Check every model: a valid tree, the tokens of its corpus, and finite answers."""
    model.tree_.check()
    assert math.isfinite(model.log_joint_), model.log_joint_
    assert model.paths_.shape[1] == model.tree_.n_levels
    corpus = samples.corpus()
    if same_corpus:
        assert len(model.paths_) == corpus.n_docs
        words = np.asarray(model.topic_word_counts_.sum(axis=0)).ravel()
        assert_array_equal(words, np.bincount(corpus.words, minlength=corpus.n_words))
    if model.n_features_in_ != corpus.n_words:
        return Extremes(None, None)
    counts = replace(corpus.take([0, 1, 2]), vocabulary=None)
    proportions = model.transform(counts)
    assert np.isfinite(proportions).all()
    np.testing.assert_allclose(proportions.sum(axis=1), 1, rtol=1e-5)
    assert math.isfinite(model.perplexity(counts, random_state=0, n_samples=2, burn_in=2))
    return Extremes(proportions, model.predict_paths(counts))


TARGETS: dict[str, Target] = {"estimator": Estimator(), "prior": Prior()}
