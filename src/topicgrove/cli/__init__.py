"""The command ``topicgrove``: one file per command. Slow imports are inside functions."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave Python with its exit code.

    >>> try:  # doctest: +ELLIPSIS
    ...     main(["--version"])
    ... except SystemExit as end:
    ...     print("exit", end.code)
    topicgrove ...
    exit 0
    """
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    from topicgrove.console import open_closed_streams
    from topicgrove.interrupts import leaving_imports

    open_closed_streams()
    with leaving_imports():
        from typer.main import get_command

        from topicgrove.cli.app import app
        from topicgrove.cli.errors import run

        return run(get_command(app), arguments)
