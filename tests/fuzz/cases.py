"""A case of the fuzzer: a target, and the seed from which its input is drawn."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from .mutations import Random

MODULES = (
    "readers",
    "archives",
    "matrices",
    "rules",
    "parameters",
    "models",
    "checkpoints",
    "stores",
    "edits",
    "commands",
)
"""Modules whose targets are fuzzed; each has ``TARGETS``."""


class Case(NamedTuple):
    """One input for one target; ``readers.uci:7`` in words."""

    target: str
    seed: int

    def __str__(self) -> str:
        return f"{self.target}:{self.seed}"

    @classmethod
    def of(cls, text: str) -> Case:
        """Parse a case from its text."""
        target, _, seed = text.rpartition(":")
        return cls(target, int(seed))

    def rng(self) -> Random:
        """Return the random generator of the case."""
        return np.random.default_rng([crc32(self.target.encode()), self.seed])


class Target:
    """A part of TopicGrove that takes outside input.

    A case draws an input and passes it to the program, which may refuse it; if not, the case checks the result.
    """

    share = 1
    """Cases in a round over all targets."""

    refusals: tuple[type[Exception], ...] = (ValueError, TypeError, OSError)
    """Exceptions that are documented."""

    def prepare(self) -> None:
        """Compile and make what cases need; this counts for none of them."""

    def generate(self, rng: Random, folder: Path) -> Any:
        """Draw an input. Its files belong in the folder, which is kept if the case fails."""
        raise NotImplementedError

    def run(self, given: Any) -> Any:
        """Give the input to the program."""
        raise NotImplementedError

    def check(self, given: Any, result: Any) -> None:
        """Compare the result of an accepted input with an oracle; any exception is a failure."""

    def check_refusal(self, given: Any, error: Exception) -> None:
        """Check that an error has a message."""
        assert str(error).strip(), f"{type(error).__name__} without a message"


def all_targets() -> dict[str, Target]:
    """Return every fuzzed target by its name."""
    return {f"{module}.{name}": target for module in MODULES for name, target in _targets(module).items()}


def find_target(name: str) -> Target:
    """Return a target by its name, including planted ones."""
    module, _, rest = name.partition(".")
    return _targets(module)[rest]


def _targets(module: str) -> dict[str, Target]:
    targets: dict[str, Target] = importlib.import_module(f".{module}", __package__).TARGETS
    return targets


def draw_cases(targets: dict[str, Target], first_seed: int, n_rounds: int) -> list[Case]:
    """Yield the cases of rounds over all targets, each target with its share of cases."""
    return [
        Case(name, first_seed + turn * target.share + i)
        for turn in range(n_rounds)
        for name, target in targets.items()
        for i in range(target.share)
    ]
