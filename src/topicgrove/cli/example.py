"""``topicgrove example``: write the bundled texts to a file or a folder, to try commands on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.output import report


def example(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="A .jsonl or .jsonl.gz file, or a folder for .txt files."),
    ] = Path("debian.jsonl"),
    quiet: options.Quiet = False,
) -> None:
    """Write the example texts, descriptions of 3,000 Debian packages, to a file or a folder, and print its path.

    In a file, each document is an object with the fields id, title, text and section, which is its class.
    """
    from topicgrove.corpus.example import write_example

    n_docs = write_example(output)
    report(f"{n_docs:,} texts are in {output}", quiet)
    print(output)
