"""Signals while something other than training goes on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from topicgrove.interrupts import Terminated


@contextmanager
def terminable() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP raise Terminated, so that half-written files are removed."""

    def on_signal(number: int, frame: FrameType | None) -> None:
        raise Terminated

    ours = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
