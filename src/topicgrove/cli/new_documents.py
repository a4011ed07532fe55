"""Documents for a model: read by its rules, in its words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.cli import options
from topicgrove.cli.output import report
from topicgrove.cli.stages import stages
from topicgrove.cli.standard_input import source_of

if TYPE_CHECKING:
    from topicgrove import Corpus, HierarchicalLDA


def documents_for(model: HierarchicalLDA, path: Path, params: dict[str, Any], quiet: bool) -> Corpus:
    """Read documents; what the model does not know of them is counted on standard error.

    A token pattern of the user's takes the place of the model's.
    """
    from topicgrove import TextRules, read_corpus
    from topicgrove.corpus.formats import COUNT_FORMATS, format_of

    vocabulary = model.tree_.vocabulary
    source = source_of(path)
    if vocabulary is None and format_of(source, params["format"]) not in COUNT_FORMATS:
        raise ValueError(f"{source} holds text, but the model was trained on counts without words; give it counts")
    if params["token_pattern"] is not None:
        model.rules_ = replace(model.rules_ or TextRules(), token_pattern=params["token_pattern"])
    rules = None if vocabulary is None else model.rules_
    with stages(f"reading {source}", quiet) as progress:
        reading = options.reading_options(params)
        corpus = read_corpus(source, vocabulary=vocabulary, rules=rules, progress=progress, **reading)
    if corpus.n_unknown_words:
        n_all = corpus.n_tokens + corpus.n_unknown_words
        report(f"{corpus.n_unknown_words:,} of {n_all:,} words are unknown to the model and left out", quiet)
    n_empty = int((corpus.document_lengths == 0).sum())
    if n_empty:
        report(f"{n_empty:,} of {corpus.n_docs:,} documents have no known word; they get what the prior says", quiet)
    return corpus
