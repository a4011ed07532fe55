"""Commands that misbehave on purpose."""

from __future__ import annotations

import sys

from .cases import Target
from .commands import Call, Command
from .mutations import Random


def leave_with_traceback(arguments: list[str]) -> None:
    print("Traceback (most recent call last):\nZeroDivisionError: planted", file=sys.stderr)
    sys.exit(2)


def leave_with_code(arguments: list[str]) -> None:
    sys.exit(1)


def change_nothing(rng: Random, call: Call) -> None:
    pass


TARGETS: dict[str, Target] = {
    "traceback": Command(change_nothing, leave_with_traceback),
    "wrong-exit-code": Command(change_nothing, leave_with_code),
}
