"""``topicgrove suggest``: how many topics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.output import check_writable, print_json, report, working
from topicgrove.cli.standard_input import source_of

ENDINGS = (".json", ".svg", ".png", ".pdf")


Sizes = Annotated[str, typer.Option(help="Numbers of topics to try, with commas between.")]
Levels = Annotated[int, typer.Option(min=2, help="Levels of the trees.")]
Iterations = Annotated[int, typer.Option(min=1, help="Sweeps of a run.")]
Runs = Annotated[int, typer.Option(min=1, help="Runs per size; stability needs two.")]
HoldOut = Annotated[str, typer.Option(metavar="SHARE", help="Documents to measure perplexity on: a share or a number.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Seed of the first run.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help=f"A picture or the figures ({', '.join(ENDINGS)})."),
]


def suggest(
    context: typer.Context,
    input: options.Input,  # noqa: A002 - the name of the argument
    *,
    sizes: Sizes = "25,50,100,200",
    levels: Levels = 4,
    iterations: Iterations = 50,
    runs: Runs = 2,
    hold_out: HoldOut = "10%",
    seed: Seed = 0,
    output: Output = None,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    id_field: options.IdField = None,
    encoding_errors: options.EncodingErrors = "strict",
    language: options.Language = None,
    threads: options.Threads = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Train trees of several sizes, and print held-out perplexity, coherence and stability of each."""
    if output is not None:
        if output.suffix not in ENDINGS:
            raise ValueError(f"{output}: the name must end in one of {', '.join(ENDINGS)}")
        check_writable(output, input)
    wanted = options.numbers("--sizes", sizes, whole=True)
    size = options.part("--hold-out", hold_out)

    from topicgrove import HierarchicalLDA, TextRules, read_corpus, suggest_topics
    from topicgrove.corpus.format_table import holds_counts
    from topicgrove.corpus.formats import format_of

    source = source_of(input)
    rules = None if holds_counts(format_of(source, format)) else TextRules(**options.rule_options(context.params))
    corpus = read_corpus(source, rules=rules, **options.reading_options(context.params))
    model = HierarchicalLDA(levels, n_iter=iterations, n_jobs=options.n_jobs(threads))
    with working("training", quiet) as change:
        found = suggest_topics(
            corpus,
            wanted,
            model=model,
            n_runs=runs,
            held_out=size,
            random_state=seed,
            on_run=lambda done, of: change(f"training: run {done + 1} of {of}"),
        )
    if output is not None:
        if output.suffix == ".json":
            found.to_json(output)
        else:
            found.plot(output)
        report(f"{len(found.rows)} sizes are in {output}", quiet)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found.summary())
