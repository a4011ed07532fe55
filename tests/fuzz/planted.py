"""Targets that misbehave on purpose, one for each thing that the harness must notice.

It imports nothing from TopicGrove, so that the process that runs them restarts quickly after a crash.
"""

from __future__ import annotations

import ctypes
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .cases import Target
from .mutations import Random


class Planted(Target):
    """Does what it is told with any input."""

    def __init__(self, do: Callable[[], object], oracle: object = None) -> None:
        self._do = do
        self._oracle = oracle

    def generate(self, rng: Random, folder: Path) -> Any:
        (folder / "planted.bin").write_bytes(rng.bytes(8))
        return int(rng.integers(1000))

    def run(self, given: Any) -> Any:
        return self._do()

    def check(self, given: Any, result: Any) -> None:
        assert result == self._oracle, f"{result!r} is not {self._oracle!r}"


def segfault() -> None:
    ctypes.string_at(0)


def loop() -> None:
    while True:
        pass


def use_memory() -> int:
    return len(b"x" * (1100 * 2**20)) % 2


def refuse(error: Exception) -> Callable[[], None]:
    def do() -> None:
        raise error

    return do


TARGETS: dict[str, Target] = {
    "segfault": Planted(segfault),
    "abort": Planted(os.abort),
    "exit": Planted(lambda: os._exit(3)),
    "loop": Planted(loop),
    "wait": Planted(lambda: time.sleep(3600)),
    "memory": Planted(use_memory, 0),
    "allocation": Planted(lambda: bytearray(2**40)),
    "exception": Planted(refuse(ZeroDivisionError("planted"))),
    "warning": Planted(lambda: warnings.warn("planted", RuntimeWarning, stacklevel=1)),
    "silent-refusal": Planted(refuse(ValueError())),
    "wrong-result": Planted(lambda: 1, 2),
    "refusal": Planted(refuse(ValueError("X must be planted"))),
    "right-result": Planted(lambda: 1, 1),
}
