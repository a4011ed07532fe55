"""Bad arguments and bad counts are refused with an error that names them, before anything is trained."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from topicgrove import Corpus, HierarchicalLDA, load
from topicgrove.plans import make_plan
from topicgrove.samplers import CollapsedGibbs, PartiallyCollapsedGibbs

NAN, INF = math.nan, math.inf

BAD_ARGUMENTS: list[tuple[str, Any]] = [
    *(("n_levels", value) for value in (0, 1, -3, 65, 10**9, 1.5, 3.0, True, "3", None, NAN)),
    *(
        ("alpha", value)
        for value in (0, -1.0, NAN, INF, -INF, [0.1, 0.1], [0.1] * 4, [0.1, 0.0, 0.1], "a", [[0.1] * 3])
    ),
    *(("alpha", value) for value in (True, 1j, [0.1, None, 0.1], [], {}, object())),
    *(("beta", value) for value in (0, -0.5, NAN, INF, [0.1, 0.1], [0.1] * 4, [0.1, NAN, 0.1], "b", True, 1e-10)),
    *(("gamma", value) for value in (0, -1, NAN, INF, [1.0], [1.0] * 3, [1.0, 0.0], "c", True)),
    *(("sampler", value) for value in ("gibbs", "CGS", "", None, 3, ["cgs"])),
    *(("collapse_below", value) for value in (0, 0.5, -1, NAN, -INF, "64", True, [64], 10**400, -(10**400))),
    *(("init", value) for value in ("random", "None", None, 0)),
    *(("n_init", value) for value in (0, -1, 1.5, None, "5", True, 1001)),
    *(("init_iterations", value) for value in (-1, 1.5, None, "3", True, NAN)),
    *(("init_samples", value) for value in (0, -2, 1.0, None, True)),
    *(("batch_size", value) for value in (0, -5, 2.5, "10", True, INF)),
    *(("phi", value) for value in ("sample", None, 1)),
    *(("n_iter", value) for value in (0, -1, 10.0, None, "5", True, NAN)),
    *(("max_topics", value) for value in (0, 1, 2, -1, 10.0, "9", True, INF)),
    *(("free_children", value) for value in (0, -1, 1.0, None, True)),
    *(("text", value) for value in ("english", 3, {"min_df": "few"}, {"minimum": 2}, ["min_df"])),
    *(("n_jobs", value) for value in (0, -2, 10**6, 1.5, "2", True, NAN)),
    *(("random_state", value) for value in (-1, 2**63, 2**64, 10**30, "0", 1.5, True, NAN, [1, 2])),
]


def make_model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "gamma": 1.0, "n_iter": 3, "random_state": 0}
    return HierarchicalLDA(**(settings | options))


@pytest.mark.parametrize(("name", "value"), BAD_ARGUMENTS, ids=lambda value: repr(value)[:20])
def test_a_bad_argument_is_refused_by_name(counts: NDArray[np.int64], name: str, value: Any) -> None:
    model = make_model(**{name: value})
    with pytest.raises((ValueError, TypeError), match=name):
        model.fit(counts)
    assert not hasattr(model, "tree_")


BAD_COUNTS: dict[str, tuple[Any, type[Exception], str]] = {
    "negative": (np.array([[1, 2], [3, -1]]), ValueError, "row 1"),
    "fraction": (np.array([[1, 2.5]]), ValueError, "row 0"),
    "nan": (np.array([[1, 2], [0, 1], [NAN, 1]]), ValueError, "row 2"),
    "inf": (np.array([[1, INF]]), ValueError, "row 0"),
    "negative, sparse": (sparse.csr_array([[1, 2], [3, -1]]), ValueError, "row 1"),
    "nan, sparse": (sparse.csr_array([[1, 2], [3, NAN]]), ValueError, "row 1"),
    "too large": (np.array([[1, 2**31]]), ValueError, "row 0"),
    "no documents": (np.zeros((0, 5), int), ValueError, "no documents"),
    "no documents, sparse": (sparse.csr_array((0, 5), dtype=int), ValueError, "no documents"),
    "no words": (np.zeros((5, 0), int), ValueError, "no words"),
    "all empty": (np.zeros((5, 3), int), ValueError, "every document is empty"),
    "all empty, sparse": (sparse.csr_array((5, 3), dtype=int), ValueError, "every document is empty"),
    "one dimension": (np.array([1, 2, 3]), ValueError, "2"),
    "three dimensions": (np.ones((2, 2, 2), int), ValueError, "2"),
    "scalar": (3, ValueError, "2"),
    "objects": (np.array([[1, None]], object), TypeError, "object"),
    "complex": (np.array([[1, 2j]]), TypeError, "complex"),
    "one text": ("some text", TypeError, "list"),
    "ragged": ([[1, 2], [3]], ValueError, "matrix"),
    "none": (None, TypeError, "object"),
}


@pytest.mark.parametrize(("X", "kind", "message"), BAD_COUNTS.values(), ids=BAD_COUNTS.keys())
def test_bad_counts_are_refused(X: Any, kind: type[Exception], message: str) -> None:
    model = make_model()
    with pytest.raises(kind, match=message):
        model.fit(X)
    assert not hasattr(model, "tree_")


GOOD_ARGUMENTS: list[dict[str, Any]] = [
    {"alpha": 1e6},
    {"alpha": 1e-6},
    {"alpha": [0.1, 1.0, 10.0]},
    {"alpha": np.array([1, 2, 3])},
    {"beta": 1e-6},
    {"beta": 1e-9},
    {"beta": 100},
    {"beta": (1.0, 0.5, 0.1)},
    {"gamma": 1e-100},
    {"gamma": 1e-300},
    {"gamma": 5e-324},
    {"gamma": 1e6},
    {"gamma": [1e-20, 5.0]},
    {"gamma": None},
    {"beta": None},
    {"collapse_below": INF},
    {"collapse_below": 1},
    {"collapse_below": np.float32(2)},
    {"n_levels": np.int64(2)},
    {"batch_size": 1},
    {"batch_size": 10**9},
    {"init": "progressive"},
    {"init": "monte_carlo"},
    {"init": "bottom_up", "n_init": 1},
    {"init": "bottom_up", "n_levels": 2},
    {"init": "bottom_up", "max_topics": 6},
    {"init": "none"},
    {"init_iterations": 0},
    {"init_samples": 3},
    {"n_iter": 1},
    {"max_topics": 3},
    {"phi": "draw"},
    {"phi": "mean"},
    {"refine": True, "n_iter": 12, "init_iterations": 2},
    {"n_jobs": -1},
    {"n_jobs": 5},
    {"random_state": 0},
    {"random_state": 2**63 - 1},
    {"random_state": None},
    {"random_state": np.uint32(5)},
    {"random_state": np.random.RandomState(1)},
    {"random_state": np.random.default_rng(1)},
]


@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
@pytest.mark.parametrize("options", GOOD_ARGUMENTS, ids=lambda options: str(options).partition(" at ")[0])
def test_unusual_arguments_give_finite_results(
    counts: NDArray[np.int64], options: dict[str, Any], sampler: str
) -> None:
    model = make_model(sampler=sampler, **options).fit(counts)
    assert np.isfinite(model.log_joint_)
    assert int(model.topic_word_counts_.sum()) == counts.sum()
    assert np.isfinite(model.perplexity(counts, random_state=0, n_samples=2, burn_in=2))


@pytest.mark.parametrize(("name", "value"), [("alpha", 1e-50), ("alpha", 1e50), ("beta", 1e50)])
def test_values_beyond_single_precision_are_refused(counts: NDArray[np.int64], name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must lie between"):
        make_model(**{name: value}).fit(counts)


@pytest.mark.parametrize("beta", [1e-6, 1e-3])
@pytest.mark.parametrize("options", [{"sampler": "bgs"}, {"phi": "draw", "collapse_below": 2}], ids=str)
def test_distributions_drawn_with_a_tiny_beta_are_finite(
    counts: NDArray[np.int64], options: dict[str, Any], beta: float
) -> None:
    """A topic without tokens has weights of exp(-1e5) at most, whose sum is positive only as a logarithm."""
    X = np.pad(counts, ((0, 0), (0, 270)))
    for seed in range(4):
        model = make_model(beta=beta, n_iter=20, random_state=seed, **options).fit(X)
        assert np.isfinite(model.log_joint_)


@pytest.mark.parametrize("gamma", [1e-300, 1e-30, 0.1, 100.0])
@pytest.mark.parametrize("free_children", [1, 3])
def test_blocked_sampler_takes_any_gamma(counts: NDArray[np.int64], gamma: float, free_children: int) -> None:
    model = make_model(sampler="bgs", gamma=gamma, free_children=free_children, init="monte_carlo").fit(counts)
    assert np.isfinite(model.log_joint_)
    if gamma < 1e-20:
        assert len(model.tree_) == 3


def test_the_tiniest_gamma_gives_one_path(counts: NDArray[np.int64]) -> None:
    assert len(make_model(gamma=1e-300, n_iter=20, init="monte_carlo").fit(counts).tree_) == 3


def test_infinite_threshold_is_the_collapsed_sampler(counts: NDArray[np.int64]) -> None:
    """PCGS with M = inf is CGS, draw for draw."""
    collapsed = make_model(sampler="cgs", n_iter=10).fit(counts)
    partially = make_model(sampler="pcgs", collapse_below=INF, n_iter=10).fit(counts)
    assert_array_equal(collapsed.paths_, partially.paths_)
    assert_array_equal(collapsed.token_levels_, partially.token_levels_)


@pytest.mark.parametrize(
    ("n_docs", "n_ranks", "expected"),
    [(49_999, 1, INF), (50_000, 1, 64), (100, 2, 64)],
    ids=["few documents", "many documents", "several processes"],
)
def test_auto_follows_documents_and_processes_and_pcgs_does_not(n_docs: int, n_ranks: int, expected: float) -> None:
    corpus = Corpus.from_matrix(sparse.csr_array(np.ones((n_docs, 1), np.int64)))
    sampler = make_plan(HierarchicalLDA(), corpus, n_ranks).sampler
    assert getattr(sampler, "collapse_below", INF) == expected
    assert isinstance(sampler, CollapsedGibbs if expected == INF else PartiallyCollapsedGibbs)
    given = make_plan(HierarchicalLDA(collapse_below=7), corpus, n_ranks).sampler
    assert isinstance(given, PartiallyCollapsedGibbs)
    assert given.collapse_below == 7
    always = make_plan(HierarchicalLDA(sampler="pcgs"), corpus, n_ranks).sampler
    assert isinstance(always, PartiallyCollapsedGibbs)
    assert always.collapse_below == 64


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({}, "cgs"),
        ({"collapse_below": 5}, "pcgs"),
        ({"collapse_below": INF}, "cgs"),
        ({"sampler": "pcgs"}, "pcgs"),
        ({"sampler": "cgs", "collapse_below": 5}, "cgs"),
        ({"sampler": "bgs", "gamma": 1.0}, "bgs"),
    ],
    ids=str,
)
def test_the_model_says_which_sampler_trained_it(
    counts: NDArray[np.int64], options: dict[str, Any], chosen: str, tmp_path: Path
) -> None:
    model = make_model(**options).fit(counts)
    assert model.sampler_ == chosen
    model.save(tmp_path / "m.grove")
    assert load(tmp_path / "m.grove").sampler_ == chosen


class TestScikitLearn:
    OPTIONS: dict[str, Any] = {  # noqa: RUF012
        "n_levels": 5,
        "alpha": [0.1] * 5,
        "gamma": 1e-20,
        "sampler": "bgs",
        "init_samples": 4,
        "random_state": 9,
    }

    def test_get_params_gives_what_was_given(self) -> None:
        params = HierarchicalLDA(**self.OPTIONS).get_params()
        assert {name: params[name] for name in self.OPTIONS} == self.OPTIONS
        assert HierarchicalLDA(**params).get_params() == params

    def test_set_params_round_trip(self) -> None:
        model = HierarchicalLDA().set_params(**self.OPTIONS)
        assert model.get_params() == HierarchicalLDA(**self.OPTIONS).get_params()
        with pytest.raises(ValueError, match="n_leaves"):
            model.set_params(n_leaves=3)

    def test_a_clone_is_unfitted_and_fits_the_same(self, counts: NDArray[np.int64]) -> None:
        model = make_model(random_state=3).fit(counts)
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "tree_")
        assert_array_equal(copy.fit(counts).paths_, model.paths_)

    def test_the_constructor_checks_nothing(self) -> None:
        HierarchicalLDA(n_levels=-1, sampler="?", alpha="x")

    def test_fit_changes_no_parameter(self, counts: NDArray[np.int64]) -> None:
        model = make_model(gamma=None, beta=None)
        before = dict(model.get_params())
        model.fit(counts)
        assert model.get_params() == before

    def test_fit_returns_the_model_and_takes_a_y(self, counts: NDArray[np.int64]) -> None:
        model = make_model()
        assert model.fit(counts, None) is model

    def test_repr_names_the_class(self) -> None:
        assert repr(HierarchicalLDA(n_levels=3)).startswith("HierarchicalLDA(")


class TestSeeds:
    def test_one_seed_gives_one_result(self, counts: NDArray[np.int64]) -> None:
        model = make_model(random_state=42)
        first = model.fit(counts).token_levels_.copy()
        assert_array_equal(model.fit(counts).token_levels_, first)

    def test_other_seeds_give_other_results(self, counts: NDArray[np.int64]) -> None:
        results = {make_model(random_state=seed).fit(counts).token_levels_.tobytes() for seed in range(6)}
        results |= {make_model(random_state=None).fit(counts).token_levels_.tobytes() for _ in range(2)}
        assert len(results) == 8

    def test_a_random_state_is_used_and_moves_on(self, counts: NDArray[np.int64]) -> None:
        generator = np.random.RandomState(5)
        first, second = (make_model(random_state=generator).fit(counts).token_levels_ for _ in range(2))
        again = make_model(random_state=np.random.RandomState(5)).fit(counts).token_levels_
        assert_array_equal(first, again)
        assert not np.array_equal(first, second)

    def test_the_global_generator_is_left_alone(self, counts: NDArray[np.int64]) -> None:
        before = np.random.get_state()[1].tolist()  # type: ignore[index]
        make_model(random_state=None).fit(counts)
        assert np.random.get_state()[1].tolist() == before  # type: ignore[index]
