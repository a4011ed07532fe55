"""``topicgrove demo``: every step with the bundled corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topicgrove.cli import options


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.")] = Path(
        "out"
    ),
    threads: options.Threads = None,
) -> None:
    """From text to a tree of topics: descriptions of Debian packages, which come with TopicGrove."""
    from topicgrove.demo import run

    run(output, n_jobs=options.n_jobs(threads))
