"""The command line application: all commands together."""

from __future__ import annotations

from typing import Annotated

import typer

from topicgrove import __version__
from topicgrove.cli import (
    apply_edits,
    compare,
    corpus,
    demo,
    documents,
    evaluate,
    example,
    explore,
    export,
    fit,
    infer,
    info,
    name,
    over,
    resume,
    show,
    suggest,
)

EPILOG = (
    "Exit codes: 0 done, 2 bad input or usage, 74 a file cannot be read or written, 75 a process of the job was lost, "
    "130 stopped by Ctrl-C, 143 by SIGTERM or SIGHUP. TOPICGROVE_DEBUG=1 shows where an error comes from."
)

app = typer.Typer(
    name="topicgrove",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
corpus_app = typer.Typer(no_args_is_help=True, help="Make and look at corpus stores.", rich_markup_mode=None)
corpus_app.command("build")(corpus.build)
corpus_app.command("info")(corpus.info)

app.command("fit")(fit.fit)
app.command("suggest")(suggest.suggest)
app.command("resume")(resume.resume)
app.command("show")(show.show)
app.command("top-words")(show.top_words)
app.command("documents")(documents.documents)
app.command("find")(documents.find)
app.command("over")(over.over)
app.command("infer")(infer.infer)
app.command("evaluate")(evaluate.evaluate)
app.command("compare")(compare.compare)
app.command("name")(name.name)
app.command("apply-edits")(apply_edits.apply_edits)
app.command("export")(export.export)
app.command("explore")(explore.explore)
app.add_typer(corpus_app, name="corpus")
app.command("demo")(demo.demo)
app.command("example")(example.example)
app.command("info")(info.info)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"topicgrove {__version__}")
        raise typer.Exit


@app.callback(epilog=EPILOG)
def topicgrove(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Learn a tree of topics from text."""
