"""The enumeration that judges chains of the nested HDP is what long sticks, pencil and paper say."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from .enumerated_walks import (
    PROBLEMS,
    FixedTree,
    NestedProblem,
    by_orbit,
    canonical_walks,
    enumerate_walks,
    fixed_posterior,
    log_joint,
    log_prior,
    nested_posterior,
    stirling,
    total_variation,
)
from .nested_simulation import NestedSimulator

REFERENCE = Path(__file__).parents[2].parent / "shared" / "reference" / "several_paths.json"

TWO_TOKENS = NestedProblem(((0,), (0,)), 1, (1.0, 1.0), (0.4,), (1.6,), (0.9,))

FORWARD_DRAWS = 6_000


def test_states_of_two_levels_are_the_partitions_with_a_block_at_the_root() -> None:
    """As many as partitions of one token more, Bell numbers: the block of that token is the root's."""
    assert [len(set(enumerate_walks(n, 2))) for n in range(1, 6)] == [2, 5, 15, 52, 203]


def test_tables_are_counted_by_cycles_of_permutations() -> None:
    for n in range(8):
        assert sum(stirling(n, m) for m in range(n + 1)) == math.factorial(n)
    a = 0.37
    assert sum(stirling(5, m) * a**m for m in range(6)) == pytest.approx(math.gamma(a + 5) / math.gamma(a))


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_prior_of_all_states_adds_up_to_one(name: str) -> None:
    problem = PROBLEMS[name]
    states = nested_posterior(problem).states
    assert math.fsum(math.exp(log_prior(problem, walks)) for walks in states) == pytest.approx(1, abs=1e-12)


def test_two_tokens_of_two_documents_share_a_child_as_paper_and_pencil_say() -> None:
    """Each goes on with 1.6 / 2; both then share a child as often as two draws of pi do, 1 / (1 + gamma)."""
    on, same = 1.6 / 2, 1 / 1.9
    prior = {walks: math.exp(log_prior(TWO_TOKENS, walks)) for walks in enumerate_walks(2, 2)}
    assert prior == pytest.approx(
        {
            ((), ()): (1 - on) ** 2,
            ((), (0,)): on * (1 - on),
            ((0,), ()): on * (1 - on),
            ((0,), (0,)): on**2 * same,
            ((0,), (1,)): on**2 * (1 - same),
        }
    )


def test_two_tokens_of_one_document_share_a_child_more_often_because_they_share_psi() -> None:
    """The other goes on to that child with (1 + tau E[pi]) / (stop + tau + 1), E[pi] being 1 / (1 + gamma)."""
    problem = TWO_TOKENS._replace(docs=((0, 0),))
    together = math.exp(log_prior(problem, ((0,), (0,))))
    assert together == pytest.approx(1.6 / 2 * (1 + 1.6 / 1.9) / 3)


@pytest.mark.parametrize("name", ["two levels", pytest.param("three levels", marks=pytest.mark.slow)])
def test_simulated_partitions_are_as_frequent_as_the_enumeration_says(name: str) -> None:
    problem = PROBLEMS[name]._replace(n_words=1)
    simulator = NestedSimulator.of(problem, seed=0)
    seen = Counter(simulator.draw().walks for _ in range(FORWARD_DRAWS))
    prior = {walks: math.exp(log_prior(problem, walks)) for walks in nested_posterior(PROBLEMS[name]).states}
    expected = sum(math.sqrt(p * (1 - p) / (2 * math.pi * FORWARD_DRAWS)) for p in prior.values())
    share = {walks: count / FORWARD_DRAWS for walks, count in seen.items()}
    assert total_variation(share, prior) < 1.25 * expected


def test_simulated_words_are_as_probable_as_the_enumeration_says() -> None:
    """Of words drawn along, those that are the problem's have states as frequent as its posterior says."""
    problem = PROBLEMS["three levels"]
    posterior = nested_posterior(problem)
    simulator = NestedSimulator.of(problem, seed=1)
    draws = [simulator.draw() for _ in range(FORWARD_DRAWS)]
    hits = [draw.walks for draw in draws if (draw.words == problem.words).all()]
    # The posterior is of ordered words; a document's tokens come in any of its orders, here a single one.
    assert len(hits) / FORWARD_DRAWS == pytest.approx(math.exp(posterior.log_evidence), rel=0.1)
    share = {walks: count / len(hits) for walks, count in Counter(hits).items()}
    exact = by_orbit(problem, posterior.states)
    expected = sum(math.sqrt(p * (1 - p) / (2 * math.pi * len(hits))) for p in exact.values())
    assert total_variation(by_orbit(problem, share), exact) < 1.25 * expected


def test_states_do_not_depend_on_ids_nor_on_the_order_of_documents() -> None:
    assert canonical_walks([7, 3, 0, 5], [-1, -1, -1, 7, 0, 7, 0, 0]) == ((0,), (0, 0), (), (0, 1))
    problem = PROBLEMS["five tokens"]
    swapped = problem._replace(docs=problem.docs[::-1])
    walks = ((0,), (0, 0), (), (1,), (0, 0))
    other = ((0,), (1, 0), (1,), (1, 0), ())
    assert log_joint(problem, walks) == pytest.approx(log_joint(swapped, other))


def test_orbits_keep_the_posterior_of_all_their_states() -> None:
    problem = PROBLEMS["four tokens"]
    posterior = nested_posterior(problem)
    orbits = by_orbit(problem, posterior.states)
    assert len(orbits) < len(posterior.states) / 3
    assert math.fsum(orbits.values()) == pytest.approx(1)


@pytest.mark.skipif(not REFERENCE.exists(), reason="shared/reference is not beside the repository")
def test_a_fixed_tree_has_the_posterior_of_the_shared_reference() -> None:
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))["E"]
    fixture = reference["fixture"]
    problem = FixedTree(
        tuple(fixture["parent"]),
        tuple(map(tuple, fixture["docs"])),
        fixture["V"],
        tuple(fixture["alpha"]),
        tuple(fixture["stop"]),
        tuple(fixture["beta"]),
    )
    posterior = fixed_posterior(problem)
    assert posterior.log_evidence == pytest.approx(reference["log_p_w"], abs=1e-10)
    np.testing.assert_allclose(posterior.node, reference["node"], atol=1e-12)
    np.testing.assert_allclose(posterior.same, reference["same"], atol=1e-12)
