"""Chains of a growing NestedHDP, and how far they are from enumerated posteriors.

Run as a program, ``NAME N_SWEEPS``, it prints that of the installed topicgrove: the mutation tests run it on damaged
copies of the source.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

import topicgrove
from topicgrove import Corpus, NestedHDP

from .enumerated_walks import PROBLEMS, NestedDistance, NestedProblem, Walks, canonical_walks, distance

BURN_IN = 200


def visited(problem: NestedProblem, n_sweeps: int, seed: int = 0, **options: Any) -> Counter[Walks]:
    """Count how often a chain that starts with a root and one child is in each state."""
    seen: Counter[Walks] = Counter()

    def note(event: Any) -> None:
        if event.iteration > BURN_IN:
            seen[canonical_walks(event.token_topics.tolist(), event.parent.tolist())] += 1

    stop, tau, gamma = problem.stop[0], problem.tau[0], problem.gamma[0]
    assert {*problem.stop, *problem.tau, *problem.gamma} == {stop, tau, gamma}, "the estimator has one for all levels"
    settings: dict[str, Any] = {
        "beta": problem.beta, "stop_weight": stop, "child_weight": tau, "tau": tau, "gamma": gamma, "learn": (),
        "tree": [-1, 0], "init": "none", "grow": True, "learn_after": 1, "grow_every": 1, "min_tokens": 1,
    }  # fmt: skip
    model = NestedHDP(
        problem.n_levels, n_iter=n_sweeps + BURN_IN, random_state=seed, callbacks=[note], **{**settings, **options}
    )
    model.fit(Corpus.from_documents(problem.docs, n_words=problem.n_words))
    return seen


def distance_of_chain(name: str, n_sweeps: int, seed: int = 0, **options: Any) -> NestedDistance:
    """Total variations between a chain and the posterior of one of the problems."""
    return distance(visited(PROBLEMS[name], n_sweeps, seed, **options), PROBLEMS[name])


if __name__ == "__main__":
    found = distance_of_chain(sys.argv[1], int(sys.argv[2]))
    print(json.dumps({**found._asdict(), "source": topicgrove.__file__}))
