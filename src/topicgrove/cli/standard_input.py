"""The argument ``-`` for INPUT: documents from standard input."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.corpus.textfiles import TextStream

NAME = "standard input"


def is_standard_input(path: Path) -> bool:
    """Return whether INPUT stands for standard input.

    >>> is_standard_input(Path("-")), is_standard_input(Path("/tmp/-"))
    (True, False)
    """
    return str(path) == "-"


def shown(path: Path) -> str:
    """Return the name of INPUT in messages.

    >>> shown(Path("-")), shown(Path("a.csv"))
    ('standard input', 'a.csv')
    """
    return NAME if is_standard_input(path) else str(path)


def source_of(path: Path, n_processes: int = 1) -> Path | TextStream:
    """Return the source to read for INPUT; standard input can be read once, and only by one process."""
    if not is_standard_input(path):
        return path
    if n_processes > 1:
        raise ValueError(
            f"{NAME} can only be read by one process; give {n_processes} of them a file that all can see, "
            "or first make a store, with corpus build"
        )
    if sys.stdin is None:
        raise ValueError(f"{NAME} is closed; give a file, or pipe documents into the command")
    from topicgrove.corpus.textfiles import TextStream

    file = sys.stdin.buffer
    is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    return TextStream(file, NAME, file if is_file else None)
