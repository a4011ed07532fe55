"""Experiments and benchmarks are not in the installed package: they are found from the root of the repository."""

import sys
from pathlib import Path

import pytest

from topicgrove.synthetic import generate

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
sys.path.append(str(ROOT / "benchmarks"))


@pytest.fixture(scope="session")
def corpus_path(tmp_path_factory):
    """A small corpus as a store, as a user would name it."""
    path = tmp_path_factory.mktemp("corpus") / "store"
    generate(120, 60, 3, branching=(2, 2), length=20, seed=3).corpus.save(path)
    return str(path)
