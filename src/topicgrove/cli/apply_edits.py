"""``topicgrove apply-edits``: replay edits, such as those that a page exported, on a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import check_writable, report, working


def apply_edits(
    context: typer.Context,
    model: options.Model,
    edits: Annotated[Path, typer.Argument(metavar="EDITS.json", help="Edits, as the page exports them.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="NEW", help="The edited model to write.")],
    corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="INPUT",
            help="What fit read: needed unless the edits only rename, reorder, and merge siblings.",
        ),
    ] = None,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    token_pattern: options.TrustedPattern = None,
    encoding_errors: options.EncodingErrors = "strict",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Merge, move, split, delete, reorder and rename topics of a model, all edits or none, and write the new model."""
    check_writable(output, model, edits, *([] if corpus is None else [corpus]))

    from topicgrove import load
    from topicgrove.edit.edits import read_edits

    trained = load(model)
    if not hasattr(trained, "apply_edits"):
        raise ValueError(f"{model} holds a {type(trained).__name__}; only trees of HierarchicalLDA can be edited")
    read_edits(edits, trained.tree_.fingerprint)  # before documents are read, which may take long
    read = None if corpus is None else documents_for(trained, corpus, context.params, quiet=True)
    before = len(trained.tree_)
    with working("applying edits", quiet):
        n_edits = trained.apply_edits(edits, corpus=read)
    trained.save(output)
    report(f"{n_edits:,} edits applied; {output} has {len(trained.tree_):,} topics, {model} {before:,}", quiet)
