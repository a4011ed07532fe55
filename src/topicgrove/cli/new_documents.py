"""Reading documents for a model by its rules, in its words, with a report of the words left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.cli import options
from topicgrove.cli.errors import complain
from topicgrove.cli.output import report
from topicgrove.cli.stages import stages
from topicgrove.cli.standard_input import source_of
from topicgrove.console import tell

if TYPE_CHECKING:
    from topicgrove import Corpus
    from topicgrove.corpus.dropped import Dropped
    from topicgrove.inputs import Model

BY_RULES = ("stop words", "numbers")
"""Reasons to leave words out on purpose; other kinds of junk are not words."""


def documents_for(model: Model, path: Path, params: dict[str, Any], quiet: bool, *, why: bool = False) -> Corpus:
    """Read documents; report words unknown to the model on standard error, with reasons if ``why``.

    The user's token pattern replaces the model's.
    """
    from topicgrove import TextRules, read_corpus
    from topicgrove.corpus.format_table import holds_counts
    from topicgrove.corpus.formats import format_of

    vocabulary = model.tree_.vocabulary
    source = source_of(path)
    is_text = not holds_counts(format_of(source, params["format"]))
    if vocabulary is None and is_text:
        raise ValueError(f"{source} holds text, but the model was trained on counts without words; give it counts")
    if params["token_pattern"] is not None:
        model.rules_ = replace(model.rules_ or TextRules(), token_pattern=params["token_pattern"])
    known: dict[str, Any] = {"vocabulary": vocabulary, "trained_without": model.dropped_}
    rules = None if vocabulary is None else model.rules_
    with stages(f"reading {source}", quiet) as progress:
        corpus = read_corpus(source, rules=rules, progress=progress, **known, **options.reading_options(params))
    if corpus.n_unknown_words:
        n_all = corpus.n_tokens + corpus.n_unknown_words
        report(f"{corpus.n_unknown_words:,} of {n_all:,} words are unknown to the model and left out", quiet)
        if why and not quiet:
            tell("\n".join(_reasons(corpus.dropped or ())))
        if 2 * corpus.n_unknown_words > n_all:
            complain(f"{path}: the model does not know most of the words; {_suspicion(is_text)}")
    n_empty = int((corpus.document_lengths == 0).sum())
    if n_empty:
        report(f"{n_empty:,} of {corpus.n_docs:,} documents have no known word; they get what the prior says", quiet)
    return corpus


def _reasons(dropped: tuple[Dropped, ...]) -> Iterator[str]:
    """Yield a line for each reason why words are unknown, with the most frequent ones, and one for words left out."""
    from topicgrove.tree.outline import escape

    others = []
    for row in dropped:
        if row.reason in BY_RULES or not row.n_words:
            others.append(f"{row.n_tokens:,} {row.reason}")
            continue
        examples = ", ".join(row.examples) + (", ..." if row.n_words > len(row.examples) else "")
        yield escape(f"  {row.n_tokens:,} {row.reason}: {examples}")
    if others:
        yield f"  and, as in training: {', '.join(others)}"


def _suspicion(is_text: bool) -> str:
    if is_text:
        return "are they in another language, or is the text in another field (--text-field)?"
    return "were these counts made by other rules, such as stemming or other case?"
