"""Commands for people to copy."""

from __future__ import annotations

import shlex
import subprocess
import sys


def quoted(argument: str) -> str:
    """An argument as the system's shell takes it: cmd and PowerShell know double quotes, other shells single ones.

    >>> quoted("texts.csv")
    'texts.csv'
    """
    return subprocess.list2cmdline([argument]) if sys.platform == "win32" else shlex.quote(argument)
