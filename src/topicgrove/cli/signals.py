"""Signals outside training."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from topicgrove.interrupts import TERMINATING, Terminated, leave_import


@contextmanager
def terminable() -> Iterator[None]:
    """Raise exceptions on SIGTERM, SIGHUP and Ctrl-C inside the block, so that unfinished files are removed."""

    def on_signal(number: int, frame: FrameType | None) -> None:
        raise Terminated

    handlers: dict[signal.Signals, Any] = {
        **dict.fromkeys(TERMINATING, on_signal),
        signal.SIGINT: signal.default_int_handler,
    }
    current = {number: signal.getsignal(number) for number in handlers}
    ours = {number: old for number, old in current.items() if old in (signal.SIG_DFL, leave_import)}
    for number in ours:
        signal.signal(number, handlers[number])
    try:
        yield
    finally:
        for number, old in ours.items():
            signal.signal(number, old)
