"""``topicgrove compare``: two models side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.output import check_writable, print_json, report


def compare(
    model: options.Model,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Another model.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A page (.html) or all pairs (.json), too.")
    ] = None,
    min_similarity: Annotated[
        float, typer.Option(min=0, max=1, help="Topics that are less similar are no counterparts.")
    ] = 0.5,
    n: Annotated[int, typer.Option("-n", min=1, help="Topics to list of each kind.")] = 10,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Print which topics of two models are the same, and which vanished, appeared or moved to another parent."""
    if output is not None:
        if output.suffix not in (".json", ".html"):
            raise ValueError(f"{output}: the name must end in .json or .html")
        check_writable(output, model, other)

    from topicgrove import load
    from topicgrove.comparing import compare as compare_models

    found = compare_models(load(model), load(other), min_similarity=min_similarity)
    if output is not None:
        if output.suffix == ".json":
            found.to_json(output)
        else:
            found.to_html(output, title=f"{model.stem} and {other.stem}", names=(model.name, other.name))
        report(f"{len(found.matches)} pairs of topics are in {output}", quiet)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found.summary(n))
