"""``topicgrove export``: write the tree for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.output import check_writable, report
from topicgrove.cli.show import By, Ranking

if TYPE_CHECKING:
    from topicgrove.tree import TopicTree

FORMATS = {
    ".json": "JSON",
    ".csv": "a table",
    ".dot": "Graphviz",
    ".gv": "Graphviz",
    ".nwk": "Newick",
    ".newick": "Newick",
    ".graphml": "GraphML",
}


def export(
    model: options.Model,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help=f"Ends in {', '.join(FORMATS)}.")],
    words: Annotated[int, typer.Option(min=1, help="Words of a topic.")] = 10,
    by: By = "distinctive",
    quiet: options.Quiet = False,
) -> None:
    """Write the tree to a file; the end of its name says the format."""
    if output.suffix not in FORMATS:
        raise ValueError(f"{output}: the name must end in one of {', '.join(FORMATS)}")
    check_writable(output, model)

    from topicgrove import load
    from topicgrove.whole_files import write_whole

    tree = load(model).tree_
    write_whole(output, content(tree, output.suffix, words, by))
    report(f"{len(tree)} topics are in {output} ({FORMATS[output.suffix]})", quiet)


def content(tree: TopicTree, suffix: str, words: int, by: Ranking) -> str:
    """Return the tree in the format of a suffix."""
    if suffix == ".json":
        return tree.to_json(indent=1, words=words, by=by) + "\n"
    if suffix == ".csv":
        return tree.to_csv(words, by)
    if suffix in (".dot", ".gv"):
        return tree.to_dot()
    if suffix in (".nwk", ".newick"):
        return tree.to_newick() + "\n"
    return tree.to_graphml(words=words, by=by)
