"""``topicgrove corpus build`` and ``corpus info``: corpus stores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topicgrove.cli import options
from topicgrove.cli.errors import report_error
from topicgrove.cli.output import print_json, print_table
from topicgrove.cli.signals import terminable
from topicgrove.cli.stages import stages
from topicgrove.cli.standard_input import source_of
from topicgrove.communication import launch
from topicgrove.communication.together import together

if TYPE_CHECKING:
    from topicgrove import Corpus
    from topicgrove.corpus.dropped import Dropped

N_WORDS = 20
"""Number of frequent words to show."""


def build(
    context: typer.Context,
    input: options.Input,  # noqa: A002 - the name of the argument
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The folder to make.")],
    *,
    config: options.Config = None,
    overwrite: Annotated[bool, typer.Option(help="Replace a store that is there.")] = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    id_field: options.IdField = None,
    title_field: options.TitleField = None,
    class_field: options.ClassField = None,
    label_field: options.LabelField = None,
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
    """Make a corpus store from documents of any size; training maps it into memory.

    Under mpiexec or srun, the processes share the work.
    """
    from topicgrove import build_store

    params = context.params
    # No watchdog: while the first process writes, which may take long, the others are silent.
    comm = launch.communicator(math.inf, report_error)
    quiet = quiet or comm.rank > 0
    if comm.rank == 0 and output.exists() and not overwrite:
        raise FileExistsError(f"{output}: is there already; --overwrite would replace it")
    source = together(comm, lambda: source_of(input, comm.size))
    with stages(f"reading {source}", quiet) as progress, terminable():
        corpus = build_store(
            source,
            output,
            overwrite=overwrite,
            progress=progress,
            communicator=comm,
            **options.reading_options(params),
            **options.rule_options(params),
        )
    if comm.rank == 0:
        _print_facts({"store": str(output)} | facts(corpus), as_json=as_json, quiet=quiet)


def info(
    input: options.Input,  # noqa: A002 - the name of the argument
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    as_json: options.AsJson = False,
) -> None:
    """Print the sizes of a corpus store, after checking all of it, or the sizes of documents."""
    from topicgrove import read_corpus
    from topicgrove.corpus.formats import format_of

    source = source_of(input)
    kind = format_of(source, format)
    with stages(f"reading {source}") as progress:
        corpus = read_corpus(source, format=format, text_field=text_field, progress=progress)
    _print_facts({"format": kind} | facts(corpus), as_json=as_json, quiet=False)


def facts(corpus: Corpus) -> dict[str, Any]:
    """Return the facts of a corpus."""
    lengths = corpus.document_lengths
    return {
        "n_docs": corpus.n_docs,
        "n_empty_docs": int((lengths == 0).sum()),
        "n_tokens": corpus.n_tokens,
        "n_words": corpus.n_words,
        "mean_length": corpus.n_tokens / corpus.n_docs,
        "longest": int(lengths.max()),
        "columns": [name for name in ("vocabulary", "ids", "titles", "labels") if getattr(corpus, name) is not None],
        "frequent_words": frequent_words(corpus),
        "dropped": None if corpus.dropped is None else [shortened(row)._asdict() for row in corpus.dropped],
        "rules": None if corpus.rules is None else corpus.rules.to_dict(),
    }


def shortened(row: Dropped) -> Dropped:
    """Return a row with few enough examples to read."""
    from topicgrove.corpus.dropped import N_EXAMPLES

    return row._replace(examples=row.examples[:N_EXAMPLES])


def frequent_words(corpus: Corpus) -> list[str] | None:
    """Return the words that most documents have, so that users notice junk before training."""
    import numpy as np

    if corpus.vocabulary is None:
        return None
    n_docs = np.bincount(corpus.to_csr().indices, minlength=corpus.n_words)
    return [corpus.vocabulary[word] for word in np.argsort(-n_docs, kind="stable")[:N_WORDS]]


def _print_facts(rows: dict[str, Any], *, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(rows)
    elif not quiet:
        rules, dropped = rows.pop("rules") or {}, rows.pop("dropped") or []
        columns = ["classes" if name == "labels" else name for name in rows["columns"]]
        shown = {"mean_length": f"{rows['mean_length']:.1f}", "columns": ", ".join(columns)}
        shown["frequent_words"] = ", ".join(rows["frequent_words"] or ["-"])
        print_table(rows | shown | {name: value for name, value in rules.items() if name != "analyzer"})
        if dropped:
            print("\nleft out:")
            print_table({f"  {row['reason']}": _of_dropped(row) for row in dropped})


def _of_dropped(row: dict[str, Any]) -> str:
    """Describe a row of words that were left out."""
    if not row["n_words"]:
        return f"{row['n_tokens']:,} times"
    examples = ", ".join(row["examples"])
    return f"{row['n_words']:,} words, {row['n_tokens']:,} tokens: {examples}" + (
        " ..." if row["n_words"] > len(row["examples"]) else ""
    )
