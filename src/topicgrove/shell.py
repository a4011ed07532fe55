"""Commands for users to copy."""

from __future__ import annotations

import shlex
import subprocess
import sys


def quoted(argument: str) -> str:
    """Quote an argument for the system's shell: in double quotes for cmd and PowerShell, in single ones elsewhere.

    >>> quoted("texts.csv")
    'texts.csv'
    """
    return subprocess.list2cmdline([argument]) if sys.platform == "win32" else shlex.quote(argument)
