"""From exceptions to exit codes and one line on standard error."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, TextIO

import typer

from topicgrove.distributed import PeerLostError, launch
from topicgrove.interrupts import Terminated

BAD_INPUT = 2
IO_ERROR = 74
INTERRUPTED = 130
TERMINATED = 143


def run(command: Any, arguments: list[str]) -> int:
    """Run a command; the exit code."""
    warnings.showwarning = _show_warning
    if isinstance(sys.stdout, TextIOWrapper):
        # A word that the terminal's encoding lacks is no reason to fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with command.make_context("topicgrove", arguments) as context:
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as end:
        return end.exit_code
    except (BrokenPipeError, SystemExit):
        # Nobody reads on, as in "topicgrove show | head", which rich turns into SystemExit. Python would complain of it
        # once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except BaseException as error:
        code, message = verdict(error)
        if os.environ.get("TOPICGROVE_DEBUG") or code is None:
            traceback.print_exc()
        if message:
            complain(f"error: {launch.who()}{message}")
        code = 1 if code is None else code
        # All ranks stop together when a signal told them to. Any other error may be this one's alone: the rest would
        # wait for it.
        if launch.is_shared() and not isinstance(error, KeyboardInterrupt):
            launch.end_job(code)
        return code
    return 0


def verdict(error: BaseException) -> tuple[int | None, str]:
    """The exit code and the message of an error; no code for one that can only be a bug.

    >>> verdict(FileNotFoundError(2, "No such file or directory", "texts.csv"))
    (74, 'texts.csv: No such file or directory')
    >>> verdict(ValueError("texts.csv:3: no text"))
    (2, 'texts.csv:3: no text')
    """
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        message = error.format_message()
        # Without a message it was the help text, which is on standard error by now.
        hint = f" (see {context.command_path} --help)" if message and context is not None else ""
        return BAD_INPUT, message + hint
    if isinstance(error, KeyboardInterrupt):
        return (TERMINATED, "terminated") if isinstance(error, Terminated) else (INTERRUPTED, "interrupted")
    if isinstance(error, PeerLostError):
        return launch.PEER_LOST, str(error)
    if isinstance(error, OSError):
        return IO_ERROR, f"{error.filename}: {error.strerror}" if error.filename is not None else str(error)
    if isinstance(error, MemoryError):
        return IO_ERROR, f"not enough memory: {error}"
    if isinstance(error, ValueError | TypeError | ImportError):
        return BAD_INPUT, str(error)
    return None, f"{type(error).__name__}: {error}"


def complain(message: str) -> None:
    """One line on standard error, of safe characters."""
    if not message.isprintable():
        from topicgrove.tree.outline import escape

        message = escape(message)
    # There may be nobody to complain to; the exit code remains.
    with suppress(OSError):
        print(f"topicgrove: {message}", file=sys.stderr)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    complain(f"warning: {message}")
