"""Messages on standard error, which may be closed or broken."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO


def tell(line: str, stream: TextIO | None = None) -> None:
    """Print a line on a stream, by default standard error, if it is open."""
    # RuntimeError: a signal handler prints while another print is under way. ValueError: the stream is closed.
    with suppress(OSError, RuntimeError, ValueError):
        if (stream := stream or sys.stderr) is not None:
            print(line, file=stream, flush=True)


def is_terminal() -> bool:
    """Return whether standard error is a terminal.

    >>> stderr, sys.stderr = sys.stderr, None
    >>> is_terminal()
    False
    >>> sys.stderr = stderr
    """
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def open_closed_streams() -> None:
    """Connect closed standard streams to /dev/null.

    Python replaces them with None, and the next file that is opened would get the descriptor of one.
    """
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115 - stays open
            setattr(sys, name, stream)
