"""Output of commands: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from topicgrove.cli.errors import complain
from topicgrove.console import is_terminal
from topicgrove.whole_files import check_can_write


def print_json(value: Any) -> None:
    """Print a value as JSON in ASCII, for scripts."""
    print(json.dumps(value, indent=1, allow_nan=False))


def print_table(rows: dict[str, Any]) -> None:
    """Print names and values in two columns."""
    from topicgrove.tree.outline import escape

    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:{width}}  {escape(str(value))}")


def report(message: str, quiet: bool = False) -> None:
    """Print a line on standard error, unless ``quiet``."""
    if not quiet:
        complain(message)


@contextmanager
def working(message: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a line on a terminal while the block runs. Yields a function to change it.

    >>> with working("reading") as change:
    ...     change("still reading")
    """
    if quiet or not is_terminal():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(message)) as status:
        yield lambda text: status.update(Text(text))


def check_writable(path: Path, *inputs: Path) -> None:
    """Raise OSError early if a file cannot be written, and ValueError if it is one of the inputs."""
    if os.path.realpath(path) in map(os.path.realpath, inputs):
        raise ValueError(f"{path}: is the input; choose another name for the output")
    check_can_write(path)
