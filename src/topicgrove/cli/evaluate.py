"""``topicgrove evaluate``: measure a tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topicgrove.cli import options
from topicgrove.cli.figures import SOURCE, explained
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import print_json, report, working
from topicgrove.cli.standard_input import shown

if TYPE_CHECKING:
    from topicgrove import Corpus
    from topicgrove.inputs import Model

FEW = 0.01
"""Share of documents that may look like training documents without a warning, as duplicates or by chance."""


def evaluate(
    context: typer.Context,
    model: options.Model,
    input: options.Input,  # noqa: A002 - the name of the argument
    *,
    held_out: Annotated[
        bool,
        typer.Option("--held-out", help="Measure the documents that fit --hold-out held out; INPUT is what fit read."),
    ] = False,
    class_field: options.ClassField = None,
    label_field: options.LabelField = None,
    perplexity: Annotated[bool, typer.Option(help="Whether to compute perplexity, which takes longest.")] = True,
    words: Annotated[int, typer.Option(min=2, help="Top words that coherence and diversity look at.")] = 10,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Which half of each document is predicted.")] = 0,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    id_field: options.IdField = None,
    token_pattern: options.TrustedPattern = None,
    encoding_errors: options.EncodingErrors = "strict",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure a tree by documents: perplexity, coherence, quality of the tree, agreement with classes.

    Perplexity tells how well one half of each document predicts the other. Give documents that the model has not seen,
    or --held-out: perplexity and classes are then those of the documents held out, and coherence looks words up in all
    documents. Classes are compared with the documents' predicted paths. Lists by level begin with the root. For
    classes, rows are levels of the tree from 1 on, and columns are depths of the classes.
    """
    from topicgrove import load

    trained = load(model).set_params(n_jobs=options.n_jobs(threads))
    read = documents_for(trained, input, context.params, quiet)
    if options.class_field(context.params) is not None and read.classes is None:
        raise ValueError(
            f"{shown(input)} has no classes: --class-field reads them from text, or with corpus build into a store"
        )
    corpus = held_out_of(trained, read, model, input) if held_out else read
    n_known = n_trained_on(trained, corpus)
    if perplexity and n_known is not None and n_known > FEW * corpus.n_docs:
        report(warning_of(n_known, corpus.n_docs, trained), quiet)
    figures: dict[str, Any] = {
        "n_docs": corpus.n_docs,
        "n_trained_on": n_known,
        "n_tokens": corpus.n_tokens,
        "n_unknown_words": corpus.n_unknown_words,
    }
    with working("evaluating", quiet) as change:
        if perplexity:
            change("evaluating: perplexity")
            figures["perplexity"] = trained.perplexity(corpus, random_state=seed)
        figures |= of_tree(trained, read, corpus, words, change)
    if as_json:
        print_json(figures)
    else:
        print("\n".join([*explained(figures), "", *SOURCE]))


def of_tree(
    trained: Model, read: Corpus, corpus: Corpus, n_words: int, change: Callable[[str], None]
) -> dict[str, Any]:
    """Measure the tree: its words by all documents read, its paths by the classes of ``corpus``."""
    from topicgrove.evaluation.report import evaluate_tree

    paths = None
    if corpus.classes is not None:
        change("evaluating: placing documents")
        paths = trained.predict_paths(corpus)
    change("evaluating: coherence")
    return evaluate_tree(
        trained.tree_,
        trained.topic_word_counts_,
        trained.hyper_parameters_,
        read,
        corpus.classes,
        n_words,
        paths=paths,
    )


def held_out_of(trained: Model, corpus: Corpus, model: Path, path: Path) -> Corpus:
    """Return the documents of a corpus that were held out when the model was trained on the others."""
    import numpy as np

    from topicgrove.corpus.keys import document_keys

    part, keys = trained._held_out, trained._document_keys
    if part is None or keys is None:
        raise ValueError(f"{model}: no documents were held out when it was trained; fit --hold-out 10% does that")
    if corpus.n_docs == part.n_docs:
        others, held_out = part.split(corpus)
        if np.array_equal(document_keys(others), keys[: others.n_docs]):
            return held_out
    raise ValueError(
        f"{path}: these are not the {part.n_docs:,} documents that {model} was made of; for --held-out, give the input "
        "of fit and the options with which fit read it"
    )


def n_trained_on(trained: Model, corpus: Corpus) -> int | None:
    """Count the documents the model was trained on, by their words; None if the model does not record them."""
    from topicgrove.corpus.keys import n_recognised

    return None if trained._document_keys is None else n_recognised(trained._document_keys, corpus)


def warning_of(n_known: int, n_docs: int, trained: Model) -> str:
    """Return a warning, with advice, that perplexity is optimistic for documents of training."""
    optimistic = "so the perplexity is optimistic"
    if n_known <= n_docs / 2:
        return f"{n_known:,} of {n_docs:,} documents have the words of a document of training, {optimistic} for them"
    which = "these documents" if n_known == n_docs else f"{n_known:,} of these {n_docs:,} documents"
    if trained._held_out is None:
        instead = "give others, or hold some out with fit --hold-out 10%"
    else:
        instead = "--held-out measures those that fit held out"
    return f"the model was trained on {which}, {optimistic}; {instead}"
