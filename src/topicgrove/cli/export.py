"""``topicgrove export``: write the tree for other programs."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, NamedTuple

import typer

from topicgrove.cli import options
from topicgrove.cli.output import check_writable, report
from topicgrove.cli.show import By


class Export(NamedTuple):
    """A format: its name in messages, and the place of the function that returns a file's text."""

    name: str
    text: str


EXPORTS = {
    ".json": Export("JSON", "topicgrove.tree.files:json_file"),
    ".csv": Export("a table", "topicgrove.tree.files:csv_file"),
    ".dot": Export("Graphviz", "topicgrove.tree.files:dot_file"),
    ".gv": Export("Graphviz", "topicgrove.tree.files:dot_file"),
    ".nwk": Export("Newick", "topicgrove.tree.files:newick_file"),
    ".newick": Export("Newick", "topicgrove.tree.files:newick_file"),
    ".graphml": Export("GraphML", "topicgrove.tree.files:graphml_file"),
}
"""Every format by the suffix of its files."""


def export(
    model: options.Model,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help=f"Ends in {', '.join(EXPORTS)}.")],
    words: Annotated[int, typer.Option(min=1, help="Words of a topic.")] = 10,
    by: By = "distinctive",
    quiet: options.Quiet = False,
) -> None:
    """Write the tree to a file; the suffix of its name decides the format."""
    if output.suffix not in EXPORTS:
        raise ValueError(f"{output}: the name must end in one of {', '.join(EXPORTS)}")
    check_writable(output, model)

    from topicgrove import load
    from topicgrove.whole_files import write_whole

    tree, entry = load(model).tree_, EXPORTS[output.suffix]
    write_whole(output, resolve_name(entry.text)(tree, words, by))
    report(f"{len(tree)} topics are in {output} ({entry.name})", quiet)
