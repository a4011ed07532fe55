"""``topicgrove explore``: write the tree as a page for browsers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import check_writable, report, working
from topicgrove.cli.standard_input import is_standard_input


def explore(
    context: typer.Context,
    model: options.Model,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE.html", show_default="the model's name with .html", help="The page to write."
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="INPUT",
            help="The documents that the model was trained on: for their text and words, and coherence of topics.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(show_default="the page's name", help="What the page is called.")] = None,
    words: Annotated[int, typer.Option(min=1, help="Words of a topic.")] = 20,
    documents: Annotated[int, typer.Option(min=0, help="Documents that stand for a topic.")] = 5,
    min_docs: Annotated[int, typer.Option(min=1, help="Leave out topics with fewer documents.")] = 1,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    token_pattern: options.TrustedPattern = None,
    encoding_errors: options.EncodingErrors = "strict",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Write the tree as one HTML page that needs no network, and print its path."""
    if corpus is not None and is_standard_input(corpus):
        raise ValueError("--corpus: documents are read twice, which standard input cannot be; give a file")
    page = model.with_suffix(".html") if output is None else output
    check_writable(page, *([model] if corpus is None else [model, corpus]))

    from topicgrove import load
    from topicgrove.explore import read_texts, typical_documents, write_page
    from topicgrove.holding_out import positions_trained_on

    trained = load(model)
    read, texts = None, {}
    if corpus is not None:
        # Training has already reported the words that it left out.
        read = documents_for(trained, corpus, context.params, quiet=True)
        trained_on = positions_trained_on(trained.held_out_, read.n_docs, len(trained.paths_))
        numbers = sorted(typical_documents(trained.tree_, documents))
        place_of = {d: d if trained_on is None else int(trained_on[d]) for d in numbers}
        found = read_texts(corpus, place_of.values(), format, text_field=text_field, encoding_errors=encoding_errors)
        texts = {d: found[place] for d, place in place_of.items() if place in found}
    with working("making the page", quiet):
        write_page(
            trained,
            page,
            corpus=read,
            texts=texts,
            title=title,
            n_words=words,
            n_documents=documents,
            min_docs=min_docs,
        )
    report(f"{len(trained.tree_)} topics are in the page; open it in a browser", quiet)
    print(page)
