"""``topicgrove infer``: place new documents in the tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topicgrove.cli import options
from topicgrove.cli.new_documents import documents_for
from topicgrove.cli.output import check_writable, report
from topicgrove.cli.placements import SUFFIXES, Placed, write_lines, writer_for
from topicgrove.cli.signals import terminable
from topicgrove.cli.stages import stages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from topicgrove import Corpus
    from topicgrove.inputs import Model

BATCH = 10_000
"""Documents placed at a time: their shares of all topics are held in memory."""

LEAST_SHARE = 1e-6


def infer(
    context: typer.Context,
    model: options.Model,
    input: options.Input,  # noqa: A002 - the name of the argument
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help=f"{', '.join(SUFFIXES)}, or - for JSONL to stdout.")
    ],
    *,
    format: options.Format = None,  # noqa: A002 - the name of the option
    text_field: options.TextField = "text",
    id_field: options.IdField = None,
    token_pattern: options.TrustedPattern = None,
    encoding_errors: options.EncodingErrors = "strict",
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Place documents in the tree of a model.

    For each document: id, path (topics from the root to a leaf), proportions (the share of each topic; shares below a
    millionth are left out, and the others not rescaled) and log_probability, that of its words given its path, or, of a
    model with several paths, given its proportions. Words that the model does not know are left out; standard error
    says how many, why, and which are the most common.
    """
    to_stdout = str(output) == "-"
    if not to_stdout:
        write = writer_for(output)
        check_writable(output, input, model)

    from topicgrove import load
    from topicgrove.corpus import StageEvent

    trained = load(model).set_params(n_jobs=options.n_jobs(threads))
    corpus = documents_for(trained, input, context.params, quiet, why=True)
    with stages("placing documents", quiet) as progress, terminable():

        def batches() -> Iterator[list[Placed]]:
            for first in range(0, corpus.n_docs, BATCH):
                progress.on_stage(StageEvent("placing", first, share=first / corpus.n_docs))
                yield placed(trained, corpus.take(slice(first, first + BATCH)), first)
            progress.on_stage(StageEvent("placing", corpus.n_docs, share=1.0))

        if to_stdout:
            write_lines(batches())
        else:
            write(batches(), output)
    if not to_stdout:
        report(f"{corpus.n_docs:,} documents are in {output}", quiet)


def placed(model: Model, corpus: Corpus, first: int) -> list[Placed]:
    """Place the documents of a corpus; those without names are numbered from ``first``."""
    paths, shares, log_probability = _places(model, corpus)
    documents = []
    for d, row in enumerate(shares):
        name = str(first + d) if corpus.ids is None else corpus.ids[d]
        topics = (row >= LEAST_SHARE).nonzero()[0]
        proportions = dict(zip(topics.tolist(), row[topics].round(6).tolist(), strict=True))
        path = [topic for topic in paths[d].tolist() if topic >= 0]
        documents.append(Placed(name, path, proportions, float(log_probability[d])))
    return documents


def _places(model: Model, corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return paths, shares of topics, and log probabilities."""
    from topicgrove.inference import Inferred, all_paths, topic_proportions

    inferred = model.infer(corpus)
    if not isinstance(inferred, Inferred):
        return inferred.paths, inferred.shares, inferred.log_probability
    hyper: Any = model.hyper_parameters_
    shares = topic_proportions(model.tree_, hyper, inferred)
    return all_paths(model.tree_)[inferred.best], shares, inferred.log_probability
