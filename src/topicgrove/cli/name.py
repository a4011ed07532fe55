"""``topicgrove name``: names of topics from keyphrases, a command, or a language model behind a URL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topicgrove.cli import options
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import check_writable, report, working

if TYPE_CHECKING:
    from topicgrove import HierarchicalLDA
    from topicgrove.tree.naming.run import Namer, Naming


Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The named model to write, or names alone (.json)."),
]
Command = Annotated[
    str | None, typer.Option(help="A command that reads a topic as JSON on standard input and prints its name.")
]
Url = Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint, such as http://localhost:11434/v1.")]
ModelName = Annotated[str | None, typer.Option("--model", help="The model's name at --url.")]
KeyVariable = Annotated[
    str, typer.Option(metavar="NAME", help="The environment variable with the key for --url, if there is one.")
]
Texts = Annotated[
    Path | None, typer.Option(metavar="INPUT", help="What fit read: the namer sees beginnings of its texts.")
]
Cache = Annotated[
    Path | None, typer.Option(metavar="FILE", show_default="OUTPUT.names.jsonl", help="Where answers are kept.")
]
MaxRequests = Annotated[int | None, typer.Option(min=0, help="Ask about at most so many topics.")]
Overwrite = Annotated[bool, typer.Option(help="Give new names to topics that have one.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would be asked, and ask nothing.")]


def name(
    context: typer.Context,
    model: options.Model,
    *,
    output: Output = None,
    command: Command = None,
    url: Url = None,
    model_name: ModelName = None,
    key_variable: KeyVariable = "OPENAI_API_KEY",
    corpus: Texts = None,
    cache: Cache = None,
    max_requests: MaxRequests = None,
    overwrite: Overwrite = False,
    dry_run: DryRun = False,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    token_pattern: options.TrustedPattern = None,
    encoding_errors: options.EncodingErrors = "strict",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Name topics, from the leaves up; without --command or --url, by phrases from titles.

    A topic is asked about at most once: after an interruption, the same command goes on where it was.
    """
    if output is None and not dry_run:
        raise ValueError("give -o: the named model to write, or a .json file for names alone; or --dry-run")
    inputs = [model] if corpus is None else [model, corpus]
    if output is not None:
        check_writable(output, *inputs)
        if cache is None and (command or url):
            cache = output.with_name(output.name + ".names.jsonl")
    if cache is not None and not dry_run:
        check_writable(cache, *inputs)
    namer = _namer(command, url, model_name, key_variable)

    from topicgrove import load

    trained = load(model)
    texts = None if corpus is None else _texts(trained, corpus, context.params)
    with working("naming topics", quiet) as change:
        naming = trained.tree_.name_topics(
            namer,
            cache=cache,
            texts=texts,
            max_requests=max_requests,
            overwrite=overwrite,
            dry_run=dry_run,
            on_topic=lambda done, of: change(f"naming topics: {done:,} of {of:,}"),
        )
    if dry_run:
        _print_prompts(naming)
        return
    assert output is not None
    if output.suffix == ".json":
        from topicgrove.whole_files import write_whole

        names = {str(topic): one for topic, one in sorted(trained.tree_.names.items())}
        write_whole(output, json.dumps(names, indent=1) + "\n")
    else:
        trained.save(output)
    _report(naming, output, quiet)


def _namer(command: str | None, url: str | None, model: str | None, key_variable: str) -> Namer | None:
    from topicgrove.tree.naming.namers import CommandNamer, EndpointNamer

    if command is not None and url is not None:
        raise ValueError("give --command or --url, not both")
    if (url is None) != (model is None):
        raise ValueError("--url and --model go together")
    if command is not None:
        return CommandNamer(command)
    return None if url is None or model is None else EndpointNamer(url, model, key_variable)


def _texts(trained: HierarchicalLDA, corpus: Path, params: dict[str, Any]) -> dict[int, str]:
    """Return the texts of the documents that stand for topics, by their numbers."""
    from topicgrove.explore import read_texts, typical_documents
    from topicgrove.holding_out import positions_trained_on
    from topicgrove.tree.naming.questions import N_DOCUMENTS

    read = documents_for(trained, corpus, params, quiet=True)
    trained_on = positions_trained_on(trained.held_out_, read.n_docs, len(trained.paths_))
    numbers = sorted(typical_documents(trained.tree_, N_DOCUMENTS))
    place_of = {d: d if trained_on is None else int(trained_on[d]) for d in numbers}
    reading = {name: params[name] for name in ("text_field", "encoding_errors")}
    found = read_texts(corpus, place_of.values(), params["format"], **reading)
    return {d: found[place] for d, place in place_of.items() if place in found}


def _print_prompts(naming: Naming) -> None:
    from topicgrove.tree.outline import escape

    for topic, prompt in naming.prompts.items():
        print(f"--- topic {topic}")
        print("\n".join(escape(line) for line in prompt.split("\n")))
    n_characters = sum(map(len, naming.prompts.values()))
    report(f"{len(naming.prompts):,} topics would be asked about, in {n_characters:,} characters; nothing was asked")


def _report(naming: Naming, output: Path, quiet: bool) -> None:
    report(
        f"{len(naming.names):,} topics named in {output}: {naming.n_asked:,} asked about, {naming.n_cached:,} known",
        quiet,
    )
    if naming.failures:
        topic, why = next(iter(naming.failures.items()))
        report(f"no name for {len(naming.failures):,} topics that were asked about; topic {topic}: {why}", quiet)
    if naming.n_left:
        report(f"{naming.n_left:,} topics have no name yet; the same command goes on", quiet)
