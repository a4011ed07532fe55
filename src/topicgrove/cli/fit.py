"""``topicgrove fit``: learn a model from documents and save it."""

from __future__ import annotations

import math
import secrets
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from topicgrove.cli import options
from topicgrove.cli.next_steps import next_commands, reading_of
from topicgrove.cli.output import report
from topicgrove.cli.ranks import check_output, join_ranks, shared_corpus
from topicgrove.cli.stages import stages
from topicgrove.cli.standard_input import is_standard_input, shown, source_of
from topicgrove.cli.training import check_no_checkpoints, print_summary, run_and_save, watched
from topicgrove.communication.together import together
from topicgrove.distributed.sync import SYNCS

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.corpus.textfiles import TextStream

    SyncName = str
else:
    SyncName = Literal[tuple(SYNCS)]

RENAMED = {"levels": "n_levels", "iterations": "n_iter", "seed": "random_state"}
SAME = (
    "target_topics",
    "max_topics",
    "min_docs",
    "sampler",
    "collapse_below",
    "init",
    "n_init",
    "init_iterations",
    "refine",
    "sync",
    "checkpoint",
    "checkpoint_every",
    "checkpoint_minutes",
)


def fit(
    context: typer.Context,
    input: options.Input,  # noqa: A002 - the name of the argument
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The file to write.")],
    config: options.Config = None,
    levels: Annotated[int, typer.Option(min=2, max=64, help="Depth of the tree, the root included.")] = 4,
    iterations: Annotated[int, typer.Option(min=1, help="Sweeps over the documents.")] = 100,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, show_default="drawn and printed", help="Seed of all randomness.")
    ] = None,
    threads: options.Threads = None,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write checkpoints there; topicgrove resume goes on from them.")
    ] = None,
    checkpoint_every: Annotated[int, typer.Option(min=1, help="Sweeps between two checkpoints.")] = 10,
    checkpoint_minutes: Annotated[
        float | None, typer.Option(min=0, help="A checkpoint after that many minutes, too.")
    ] = None,
    early_stopping: Annotated[
        int | None, typer.Option(min=2, metavar="SWEEPS", help="Stop if the log joint has not risen for so many.")
    ] = None,
    held_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Documents whose perplexity is measured every 25 sweeps, for the explorer."),
    ] = None,
    hold_out: Annotated[
        str | None,
        typer.Option(
            metavar="PART",
            help="Do not train on this part of the documents, and measure perplexity on it: 10%, 0.1, or a number of "
            "documents. Which they are depends on the seed alone; evaluate --held-out finds them again.",
        ),
    ] = None,
    sync: Annotated[SyncName, typer.Option(help="Under mpiexec: how processes exchange what they change.")] = "hybrid",
    watchdog: options.Watchdog = None,
    watch: options.Watch = False,
    port: options.Port = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
    target_topics: Annotated[int | None, typer.Option(min=2, help="About how many topics to aim at.")] = None,
    max_topics: Annotated[int | None, typer.Option(min=2, help="Never more topics.")] = None,
    min_docs: Annotated[
        int | None,
        typer.Option(min=1, show_default="by level and size", help="In the end, no topic with fewer documents."),
    ] = None,
    alpha: Annotated[str, typer.Option(help="Prior of proportions: one number, or one a level with commas.")] = "0.2",
    beta: Annotated[
        str | None,
        typer.Option(help="Prior of words, one or one a level; less means more topics."),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(help="How readily topics branch off, one or one an internal level."),
    ] = None,
    learn: Annotated[str | None, typer.Option(help="Fit these to the data: out of alpha,beta,gamma.")] = None,
    sampler: Annotated[
        Literal["auto", "pcgs", "cgs", "bgs"],
        typer.Option(
            help="Partially collapsed, collapsed or blocked Gibbs sampling; auto: cgs below 50,000 documents in one "
            "process, pcgs otherwise or with --collapse-below."
        ),
    ] = "auto",
    collapse_below: Annotated[
        float | None,
        typer.Option(
            show_default="64",
            help="pcgs: topics with fewer documents are collapsed; or inf.",
        ),
    ] = None,
    init: Annotated[
        Literal["bottom_up", "monte_carlo", "progressive", "none"], typer.Option(help="How it starts.")
    ] = "bottom_up",
    n_init: Annotated[int, typer.Option(min=1, help="bottom_up: rough fits that the start is made of.")] = 5,
    init_iterations: Annotated[int, typer.Option(min=0, help="monte_carlo: sweeps of the early phase.")] = 32,
    refine: Annotated[
        bool,
        typer.Option(help="Every second sweep, move documents to the path that fits best."),
    ] = False,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    id_field: options.IdField = None,
    title_field: options.TitleField = None,
    titles: options.Titles = True,
    encoding_errors: options.EncodingErrors = "strict",
    min_df: options.MinDf = None,
    max_df: options.MaxDf = None,
    max_features: options.MaxFeatures = None,
    language: options.Language = None,
    stop_words: options.StopWords = None,
    token_pattern: options.TokenPattern = None,
    ngram_range: options.NgramRange = None,
    lowercase: options.Lowercase = None,
    strip_accents: options.StripAccents = None,
    phrases: options.Phrases = None,
    clean: options.Clean = None,
) -> None:
    """Learn a tree of topics from documents.

    Ctrl-C and SIGTERM end training after the current sweep, and the model so far is saved; a second Ctrl-C ends it at
    once. Under mpiexec or srun, the processes train together, each on its share of the documents.
    """
    params = context.params
    comm = join_ranks(watchdog, watch)
    source = together(comm, lambda: source_of(input, comm.size))
    quiet = quiet or comm.rank > 0
    if params["seed"] is None:
        params["seed"] = int(comm.broadcast(str(secrets.randbelow(2**32)).encode()))
    parameters = model_parameters(params)
    part = None if hold_out is None else options.part("--hold-out", hold_out)
    if part is not None and held_out is not None:
        raise ValueError("--hold-out takes documents out of INPUT, --held-out takes others: give one of them")
    check_output(comm, output, input)
    check_no_checkpoints(checkpoint, output)
    check_prior(parameters)
    reading = shared_corpus(comm, input, output, checkpoint, lambda: read(source, params, quiet))
    with watched(watch, port, shown(Path(input.name))) as page, reading as corpus:
        report(f"seed {params['seed']}", quiet)

        from topicgrove import HierarchicalLDA

        model = HierarchicalLDA(**parameters)
        followers = [] if page is None else [page.follow(to_train_on(corpus, part, params["seed"]))]
        others = part if held_out is None else read_held_out(held_out, corpus, params)
        fit = partial(model.fit, corpus, held_out=others, communicator=comm)
        run_and_save(model, fit, output, checkpoint, quiet, followers)
        if page is not None:
            page.finish(model.tree_, model.history_)
    if comm.rank == 0:
        commands = next_commands(
            output,
            len(model.history_),
            documents=None if is_standard_input(input) else input,
            new_documents=held_out,
            is_part_held_out=part is not None,
            checkpoint=checkpoint,
            reading=reading_of(params),
        )
        print_summary(model, output, checkpoint, commands, quiet=quiet, as_json=as_json)


def model_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters of HierarchicalLDA, from those of the command."""
    parameters = {new: params[old] for old, new in RENAMED.items()} | {name: params[name] for name in SAME}
    for name in ("alpha", "beta", "gamma"):
        if params[name] is not None:
            values = options.numbers(name, params[name])
            parameters[name] = values[0] if len(values) == 1 else values
    if params["learn"] is not None:
        parameters["learn"] = [name.strip() for name in params["learn"].split(",")]
    threshold = parameters["collapse_below"]
    if threshold is not None and not math.isinf(threshold) and threshold % 1 == 0:
        parameters["collapse_below"] = int(threshold)
    if params["early_stopping"] is not None:
        parameters["early_stopping"] = params["early_stopping"]
    return parameters | {"n_jobs": options.n_jobs(params["threads"])}


def read_as(corpus: Corpus) -> str:
    """Name the language by whose rules texts were read, unless it is English."""
    from topicgrove.corpus.languages import LANGUAGES, base_of

    code = None if corpus.rules is None else corpus.rules.language
    return "" if code in (None, "en") else f", read as {LANGUAGES[base_of(code)].name} (--language {code})"


def to_train_on(corpus: Corpus, part: float | None, seed: int) -> Corpus:
    """Return the documents that are not held out."""
    from topicgrove.holding_out import HeldOut, n_held_out

    if part is None:
        return corpus
    return HeldOut(corpus.n_docs, n_held_out(part, corpus.n_docs, "--hold-out"), seed).split(corpus)[0]


def read_held_out(path: Path, corpus: Corpus, params: dict[str, Any]) -> Corpus:
    """Read further documents in the words of the corpus."""
    from topicgrove import read_corpus

    rules = None if corpus.vocabulary is None else corpus.rules
    return read_corpus(
        path, vocabulary=corpus.vocabulary, rules=rules, **options.reading_options(params) | {"format": None}
    )


def check_prior(parameters: dict[str, Any]) -> None:
    """Raise ValueError for an invalid prior before the documents are read."""
    from topicgrove.prior import HyperParameters

    alpha, beta, gamma = (parameters.get(name) for name in ("alpha", "beta", "gamma"))
    HyperParameters.of(parameters["n_levels"], alpha, beta, gamma)


def read(source: Path | TextStream, params: dict[str, Any], quiet: bool) -> Corpus:
    """Read the documents, and print their sizes on standard error."""
    from topicgrove import read_corpus

    with stages(f"reading {source}", quiet) as progress:
        corpus = read_corpus(
            source,
            progress=progress,
            **options.reading_options(params),
            **options.rule_options(params),
        )
    sizes = f"{corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens, {corpus.n_words:,} words"
    report(sizes + read_as(corpus), quiet)
    return corpus
