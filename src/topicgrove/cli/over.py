"""``topicgrove over``: shares of topics over time or by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from topicgrove.cli import options
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import check_writable, print_json, report
from topicgrove.cli.standard_input import shown

if TYPE_CHECKING:
    from topicgrove.corpus.documents import ClassPath
    from topicgrove.inputs import Model
    from topicgrove.tree import SharesOver

PICTURES = (".svg", ".png", ".pdf")


def over(
    context: typer.Context,
    model: options.Model,
    input: Annotated[  # noqa: A002 - the name of the argument
        Path | None, typer.Argument(metavar="[INPUT]", help="What fit read. Without it, the classes in the model.")
    ] = None,
    *,
    by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field of INPUT with the date, class or other value.")
    ] = None,
    period: Annotated[
        Literal["year", "quarter", "month"] | None, typer.Option(help="Group dates; else by each value.")
    ] = None,
    level: Annotated[int, typer.Option(min=0, help="Topics of this level.")] = 1,
    topic: Annotated[list[int] | None, typer.Option(min=0, metavar="ID", help="These topics instead.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=f"A picture ({', '.join(PICTURES)}), or a table (.csv)."),
    ] = None,
    as_json: options.AsJson = False,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    token_pattern: options.TrustedPattern = None,
    encoding_errors: options.EncodingErrors = "strict",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Print the share of documents in each topic, over time or by class.

    Each row is a period or class, each column a topic. --json and .csv include 95 % intervals.
    """
    if output is not None:
        if output.suffix not in (*PICTURES, ".csv"):
            raise ValueError(f"{output}: the name must end in one of {', '.join((*PICTURES, '.csv'))}")
        check_writable(output, *([model] if input is None else [model, input]))
    if (input is None) != (by is None):
        raise ValueError("--by names a field of INPUT: give both, or none for the classes in the model")

    from topicgrove import load

    trained = load(model)
    tree = trained.tree_
    values = (
        _classes(trained, model) if input is None else values_of(trained, input, context.params | {"class_field": by})
    )
    found = tree.over(values, period)
    topics = topic if topic else [t for t in range(len(tree)) if tree.level[t] == level]
    if not topics or max(topics) >= len(tree):
        raise ValueError(f"there are topics 0 to {len(tree) - 1}, on levels 0 to {tree.n_levels - 1}")
    if found.n_missing:
        report(f"{found.n_missing:,} of {len(values):,} documents have no value and are left out", quiet)
    if output is not None:
        _write(found, output, topics)
        report(f"shares of {len(topics)} topics in {len(found.groups)} groups are in {output}", quiet)
    elif as_json:
        print_json(rows_of(found, topics))
    else:
        print("\n".join(lines_of(found, topics)))


def _classes(trained: Model, model: Path) -> Sequence[ClassPath]:
    documents = trained.tree_.documents
    if documents is None or documents.classes is None:
        raise ValueError(f"{model} has no classes: give INPUT and --by FIELD, or fit a store with classes")
    return documents.classes


def values_of(trained: Model, path: Path, params: dict[str, Any]) -> Sequence[ClassPath]:
    """Read a field's values for the training documents; any field can be read as the class."""
    from topicgrove.holding_out import positions_trained_on

    read = documents_for(trained, path, params, quiet=True)
    trained_on = positions_trained_on(trained.held_out_, read.n_docs, len(trained.paths_))
    read = read if trained_on is None else read.take(trained_on)
    if read.classes is None:
        raise ValueError(f"{shown(path)} is a store without classes, or counts: give the texts")
    return read.classes


def _write(found: SharesOver, output: Path, topics: list[int]) -> None:
    if output.suffix in PICTURES:
        found.plot(output, topics)
        return
    import csv
    import io

    from topicgrove.tree.exports import safe_cell
    from topicgrove.whole_files import write_whole

    file = io.StringIO()
    rows = rows_of(found, topics)
    writer = csv.DictWriter(
        file, ["topic", "name", "group", "n_docs", "count", "share", "low", "high"], lineterminator="\n"
    )
    writer.writeheader()
    for row in rows:
        writer.writerow(row | {"name": safe_cell(str(row["name"])), "group": safe_cell(str(row["group"]))})
    write_whole(output, file.getvalue())


def rows_of(found: SharesOver, topics: list[int]) -> list[dict[str, object]]:
    """Return a row for each topic and group; None for shares of no documents."""
    low, high = found.intervals
    shares = found.shares

    def number(value: float) -> float | None:
        return None if math.isnan(value) else round(float(value), 6)

    return [
        {
            "topic": topic,
            "name": found.tree.name(topic),
            "group": group,
            "n_docs": int(found.n_docs[g]),
            "count": int(found.counts[topic, g]),
            "share": number(shares[topic, g]),
            "low": number(low[topic, g]),
            "high": number(high[topic, g]),
        }
        for topic in topics
        for g, group in enumerate(found.groups)
    ]


def lines_of(found: SharesOver, topics: list[int]) -> list[str]:
    """Return a line for each group, with its documents and the share of each topic, and lines that name the topics."""
    from topicgrove.tree.outline import escape

    width = max(6, *(len(escape(group)) for group in found.groups))
    lines = [f"{'':{width}}  {'docs':>7}" + "".join(f"  {f'[{topic}]':>6}" for topic in topics)]
    for g, group in enumerate(found.groups):
        shares = found.shares[topics, g]
        cells = "".join(f"  {'-' if math.isnan(share) else f'{share:.1%}':>6}" for share in shares)
        lines.append(f"{escape(group):{width}}  {found.n_docs[g]:7,}{cells}")
    lines.append("")
    lines += [f"[{topic}] {escape(found.tree.name(topic))}" for topic in topics]
    return lines
