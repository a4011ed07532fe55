"""``topicgrove explore``: write the tree as a page for browsers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from topicgrove.cli import options
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import check_writable, report, working
from topicgrove.cli.standard_input import is_standard_input

if TYPE_CHECKING:
    from topicgrove.inputs import Model
    from topicgrove.tree import SharesOver


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
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Field of --corpus with dates or classes, for shares over them."),
    ] = None,
    period: Annotated[
        Literal["year", "quarter", "month"] | None, typer.Option(help="Group the dates in the first --by by this.")
    ] = None,
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
    if by and corpus is None:
        raise ValueError("--by names a field of the documents: give them with --corpus")
    page = model.with_suffix(".html") if output is None else output
    check_writable(page, *([model] if corpus is None else [model, corpus]))

    from topicgrove import load
    from topicgrove.explore import write_page

    trained = load(model)
    found = {} if corpus is None else _found(trained, corpus, context.params)
    with working("making the page", quiet):
        write_page(trained, page, title=title, n_words=words, n_documents=documents, min_docs=min_docs, **found)
    report(f"{len(trained.tree_)} topics are in the page; open it in a browser", quiet)
    print(page)


def _found(trained: Model, corpus: Path, params: dict[str, Any]) -> dict[str, Any]:
    """Return the corpus, the texts of representative documents by number, and the shares over fields."""
    from topicgrove.explore import read_texts, typical_documents
    from topicgrove.holding_out import positions_trained_on

    # Training has already reported the words that it left out.
    read = documents_for(trained, corpus, params, quiet=True)
    trained_on = positions_trained_on(trained.held_out_, read.n_docs, len(trained.paths_))
    numbers = sorted(typical_documents(trained.tree_, params["documents"]))
    place_of = {d: d if trained_on is None else int(trained_on[d]) for d in numbers}
    names = ("format", "text_field", "encoding_errors")
    texts = read_texts(corpus, place_of.values(), **{name: params[name] for name in names})
    return {
        "corpus": read,
        "texts": {d: texts[place] for d, place in place_of.items() if place in texts},
        "over": _shares(trained, corpus, params, params["by"], params["period"]) if params["by"] else None,
    }


def _shares(
    trained: Model, corpus: Path, params: dict[str, Any], by: list[str], period: str | None
) -> dict[str, SharesOver]:
    """Return the shares of topics over every field; the first one may have dates to be grouped by a period."""
    from topicgrove.cli.over import values_of

    return {
        field: trained.tree_.over(
            values_of(trained, corpus, params | {"class_field": field}), period if i == 0 else None
        )
        for i, field in enumerate(by)
    }
