"""Ctrl-C, SIGTERM and SIGHUP while training: the current sweep is finished first; a second Ctrl-C stops at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from topicgrove.console import tell

INTERRUPTED = 130
"""Exit code of a command ended by Ctrl-C."""

TERMINATING: tuple[signal.Signals, ...] = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""Signals that end a process. Windows has no SIGHUP, and sends SIGBREAK for Ctrl-Break."""

PYTHONS_OWN: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    **dict.fromkeys(TERMINATING, signal.SIG_DFL),
}
"""The handlers that may be replaced; a program's own are kept."""


class Terminated(KeyboardInterrupt):
    """Raised after the current sweep when SIGTERM or SIGHUP has arrived.

    >>> issubclass(Terminated, KeyboardInterrupt)
    True
    """


def leave_import(number: int, frame: FrameType | None) -> None:
    """Handle Ctrl-C in a command: end the process if it is importing modules, and raise KeyboardInterrupt otherwise.

    Modules may swallow an exception that is raised while they are imported, or print it.
    """
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            tell("topicgrove: error: interrupted")
            os._exit(INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt


@contextmanager
def leaving_imports() -> Iterator[None]:
    """Let `leave_import` handle Ctrl-C inside the block, unless the program has a handler or this is no main thread."""
    ours = threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, leave_import)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def held_back(stop: Callable[[], None]) -> Iterator[None]:
    """Hold back the first signal inside the block: call ``stop``, and raise KeyboardInterrupt or Terminated at the end.

    Only the main thread gets signals: other threads, and signals that the program handles itself, are unaffected.
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
        tell("topicgrove: stopping after this sweep; Ctrl-C again stops at once")

    current = {number: signal.getsignal(number) for number in PYTHONS_OWN}
    ours = {number: old for number, old in current.items() if old in (PYTHONS_OWN[number], leave_import)}
    for number in ours:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, old in ours.items():
            signal.signal(number, old)
    if arrived:
        raise KeyboardInterrupt if arrived[0] == signal.SIGINT else Terminated
