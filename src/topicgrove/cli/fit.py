"""``topicgrove fit``: learn a model from documents and save it."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from topicgrove.cli import fit_options, options
from topicgrove.cli.models import new_model
from topicgrove.cli.next_steps import next_commands, reading_of
from topicgrove.cli.output import report
from topicgrove.cli.ranks import check_output, join_ranks, shared_corpus
from topicgrove.cli.stages import stages
from topicgrove.cli.standard_input import is_standard_input, shown, source_of
from topicgrove.cli.training import check_no_checkpoints, print_summary, run_and_save, watched
from topicgrove.communication.together import together

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.corpus.textfiles import TextStream


class Files(NamedTuple):
    """The files that ``fit`` reads and writes."""

    input: Path
    output: Path
    checkpoint: Path | None
    held_out: Path | None


def fit(
    context: typer.Context,
    input: options.Input,  # noqa: A002 - the name of the argument
    output: fit_options.Output,
    *,
    config: options.Config = None,
    model: fit_options.ModelName = "hlda",
    levels: fit_options.Levels = 4,
    iterations: fit_options.Iterations = 100,
    seed: fit_options.Seed = None,
    threads: options.Threads = None,
    checkpoint: fit_options.Checkpoint = None,
    checkpoint_every: fit_options.CheckpointEvery = 10,
    checkpoint_minutes: fit_options.CheckpointMinutes = None,
    early_stopping: fit_options.EarlyStopping = None,
    held_out: fit_options.HeldOut = None,
    hold_out: fit_options.HoldOut = None,
    sync: fit_options.Sync = "hybrid",
    watchdog: options.Watchdog = None,
    watch: options.Watch = False,
    port: options.Port = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
    target_topics: fit_options.TargetTopics = None,
    max_topics: fit_options.MaxTopics = None,
    min_docs: fit_options.MinDocs = None,
    seeds: fit_options.Seeds = None,
    alpha: fit_options.Alpha = "0.2",
    beta: fit_options.Beta = None,
    gamma: fit_options.Gamma = None,
    learn: fit_options.Learn = None,
    sampler: fit_options.Sampler = "auto",
    collapse_below: fit_options.CollapseBelow = None,
    init: fit_options.Init = "bottom_up",
    n_init: fit_options.NInit = 5,
    init_iterations: fit_options.InitIterations = 32,
    refine: fit_options.Refine = False,
    min_tokens: fit_options.MinTokens = None,
    grow: fit_options.Grow = True,
    child_weight: fit_options.ChildWeight = 0.1,
    learn_after: fit_options.LearnAfter = 30,
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

    Ctrl-C and SIGTERM end training after the current sweep and save the model so far; a second Ctrl-C ends it at once.
    Under mpiexec or srun, the processes train together, each on its share of the documents.
    """
    train(Files(input, output, checkpoint, held_out), context.params, options.given(context))


def train(files: Files, params: dict[str, Any], given: Collection[str]) -> None:
    """Check the parameters of the command, read the documents, train, save, and suggest next steps.

    ``given`` are the names of the parameters that the user gave.
    """
    comm = join_ranks(params["watchdog"], params["watch"])
    source = together(comm, lambda: source_of(files.input, comm.size))
    quiet = params["quiet"] or comm.rank > 0
    if params["seed"] is None:
        params["seed"] = int(comm.broadcast(str(secrets.randbelow(2**32)).encode()))
    model = new_model(params, given)
    part = part_to_hold_out(params)
    check_output(comm, files.output, files.input)
    check_no_checkpoints(files.checkpoint, files.output)
    reading = shared_corpus(comm, files.input, files.output, files.checkpoint, lambda: read(source, params, quiet))
    with watched(params["watch"], params["port"], shown(Path(files.input.name))) as page, reading as corpus:
        report(f"seed {params['seed']}", quiet)

        followers = [] if page is None else [page.follow(to_train_on(corpus, part, params["seed"]))]
        others = part if files.held_out is None else read_held_out(files.held_out, corpus, params)
        fit = partial(model.fit, corpus, held_out=others, communicator=comm)
        run_and_save(model, fit, files.output, files.checkpoint, quiet, followers)
        if page is not None:
            page.finish(model.tree_, model.history_)
    if comm.rank == 0:
        commands = next_commands(
            files.output,
            len(model.history_),
            documents=None if is_standard_input(files.input) else files.input,
            new_documents=files.held_out,
            is_part_held_out=part is not None,
            checkpoint=files.checkpoint,
            reading=reading_of(params),
        )
        print_summary(model, files.output, files.checkpoint, commands, quiet=quiet, as_json=params["as_json"])


def part_to_hold_out(params: dict[str, Any]) -> float | None:
    """Return the part of the documents to hold out; raise ValueError if other documents are given, too."""
    if params["hold_out"] is None:
        return None
    part = options.part("--hold-out", params["hold_out"])
    if params["held_out"] is not None:
        raise ValueError("--hold-out takes documents out of INPUT, --held-out takes others: give one of them")
    return part


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
