"""Turn exceptions into exit codes and one line on standard error."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from io import TextIOWrapper
from typing import Any, TextIO

import typer

from topicgrove.communication import PeerLostError, launch
from topicgrove.communication.communicator import PEER_LOST
from topicgrove.communication.together import is_agreed
from topicgrove.console import tell
from topicgrove.interrupts import INTERRUPTED, Terminated

BAD_INPUT = 2
IO_ERROR = 74
TERMINATED = 143

LESS_MEMORY = "less is needed with fewer topics (--max-topics), words (--min-df, --max-features) or threads (--threads)"


def run(command: Any, arguments: list[str]) -> int:
    """Run a command; return the exit code."""
    warnings.showwarning = _show_warning
    if isinstance(sys.stdout, TextIOWrapper):
        # Don't fail on words that the terminal's encoding lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with command.make_context("topicgrove", arguments) as context:
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as end:
        return end.exit_code
    except BaseException as error:
        if _nobody_reads_on(error):
            return 0
        if type(error).__name__ == "NoArgsIsHelpError":  # Typer has no public name for it.
            tell(str(error))
            return BAD_INPUT
        launch.abort(error)
        return report_error(error)
    finally:
        _drop_unwritable_output()
    return 0


def report_error(error: BaseException) -> int:
    """Print an error and return its exit code; only the first rank prints what all ranks raise."""
    code, message = verdict(error)
    if os.environ.get("TOPICGROVE_DEBUG") or code is None:
        traceback.print_exception(error)
    is_common = is_agreed(error) and not isinstance(error, KeyboardInterrupt)
    if message and (launch.is_first() or not is_common):
        complain(f"error: {'' if is_common else launch.who()}{', '.join([message, *_notes(error)])}")
    return 1 if code is None else code


def _notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def _nobody_reads_on(error: BaseException) -> bool:
    """Return whether standard output was closed, as by ``topicgrove show | head``; rich then raises SystemExit.

    An error of a pipe given as an output has a file name.
    """
    return isinstance(error, SystemExit) or (isinstance(error, BrokenPipeError) and error.filename is None)


def _drop_unwritable_output() -> None:
    """Connect standard output to /dev/null if it is broken, or Python would complain again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def verdict(error: BaseException) -> tuple[int | None, str]:
    """Return the exit code and the message of an error; the code is None for what can only be a bug.

    >>> verdict(FileNotFoundError(2, "No such file or directory", "texts.csv"))
    (74, 'texts.csv: No such file or directory')
    >>> verdict(ValueError("texts.csv:3: no text"))
    (2, 'texts.csv:3: no text')
    """
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        return BAD_INPUT, error.format_message() + hint
    if isinstance(error, KeyboardInterrupt):
        return (TERMINATED, "terminated") if isinstance(error, Terminated) else (INTERRUPTED, "interrupted")
    if isinstance(error, PeerLostError):
        return PEER_LOST, str(error)
    if isinstance(error, OSError):
        return IO_ERROR, f"{error.filename}: {error.strerror}" if error.filename is not None else str(error)
    if isinstance(error, MemoryError):
        return IO_ERROR, f"not enough memory: {str(error) or 'no more is left'} ({LESS_MEMORY})"
    if isinstance(error, ValueError | TypeError | ImportError):
        return BAD_INPUT, str(error)
    return None, f"{type(error).__name__}: {error}"


def complain(message: str) -> None:
    """Print one line of safe characters on standard error."""
    if not message.isprintable():
        from topicgrove.tree.outline import escape

        message = escape(message)
    tell(f"topicgrove: {message}")


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    complain(f"warning: {message}")
