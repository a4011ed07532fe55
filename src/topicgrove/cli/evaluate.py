"""``topicgrove evaluate``: how good a tree is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from topicgrove.cli import options
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import print_json, print_table, working
from topicgrove.cli.standard_input import shown


def evaluate(
    context: typer.Context,
    model: options.Model,
    input: options.Input,  # noqa: A002 - the name of the argument
    class_field: options.ClassField = None,
    label_field: options.LabelField = None,
    perplexity: Annotated[bool, typer.Option(help="Whether to compute perplexity, which takes longest.")] = True,
    words: Annotated[int, typer.Option(min=2, help="Top words that coherence and diversity look at.")] = 10,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Which half of each document is held out.")] = 0,
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

    Perplexity is that of a held-out half of each document, given the other half: give documents that the model has not
    seen. Classes are compared with the paths that are predicted for the documents. Lists by level begin with the root;
    of classes, rows are levels of the tree from 1 on and columns depths of the classes.
    """
    from topicgrove import load
    from topicgrove.evaluation.report import evaluate_tree

    trained = load(model).set_params(n_jobs=options.n_jobs(threads))
    corpus = documents_for(trained, input, context.params, quiet)
    if options.class_field(context.params) is not None and corpus.classes is None:
        raise ValueError(
            f"{shown(input)} has no classes: --class-field reads them from text, or with corpus build into a store"
        )
    report: dict[str, Any] = {
        "n_docs": corpus.n_docs,
        "n_tokens": corpus.n_tokens,
        "n_unknown_words": corpus.n_unknown_words,
    }
    with working("evaluating", quiet) as change:
        if perplexity:
            change("evaluating: perplexity")
            report["perplexity"] = trained.perplexity(corpus, random_state=seed)
        paths = None
        if corpus.classes is not None:
            change("evaluating: placing documents")
            paths = trained.predict_paths(corpus)
        change("evaluating: coherence")
        report |= evaluate_tree(
            trained.tree_,
            trained.topic_word_counts_,
            trained.hyper_parameters_,
            corpus,
            corpus.classes,
            words,
            paths=paths,
        )
    if as_json:
        print_json(report)
    else:
        print_table(flat(report))


def flat(report: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """A report as lines: names of parts joined, numbers to four digits.

    >>> flat({"n_topics": 3, "coherence": {"npmi": 0.123456, "npmi_by_level": [None, 0.2]}})
    {'n_topics': '3', 'coherence npmi': '0.1235', 'coherence npmi_by_level': '- 0.2'}
    """
    rows: dict[str, str] = {}
    for name, value in report.items():
        if isinstance(value, dict):
            rows |= flat(value, f"{prefix}{name} ")
        else:
            rows[prefix + name] = _shown(value)
    return rows


def _shown(value: Any) -> str:
    if isinstance(value, list):
        nested = any(isinstance(item, list) for item in value)
        return ("; " if nested else " ").join(map(_shown, value))
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
