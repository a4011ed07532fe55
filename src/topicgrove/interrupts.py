"""Ctrl-C, SIGTERM and SIGHUP while training: the sweep at hand is finished first; a second Ctrl-C ends it at once."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

PYTHONS_OWN: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
"""The handlers that are replaced; a program that has its own keeps them."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP arrived, and was obeyed after the sweep at hand.

    >>> issubclass(Terminated, KeyboardInterrupt)
    True
    """


@contextmanager
def held_back(stop: Callable[[], None]) -> Iterator[None]:
    """Inside, the first signal calls ``stop``; it is raised on leaving, as KeyboardInterrupt or Terminated.

    Only the main thread gets signals: elsewhere nothing changes, nor for signals that the program handles itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        if arrived and number == signal.SIGINT:
            raise KeyboardInterrupt
        arrived.append(number)
        stop()
        # After a hang-up there is no terminal to print to; and another print may have been interrupted.
        with suppress(OSError, RuntimeError, ValueError):
            print("topicgrove: stopping after this sweep; Ctrl-C again stops at once", file=sys.stderr)

    ours = [number for number, handler in PYTHONS_OWN.items() if signal.getsignal(number) is handler]
    for number in ours:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, PYTHONS_OWN[number])
    if arrived:
        raise KeyboardInterrupt if arrived[0] == signal.SIGINT else Terminated
