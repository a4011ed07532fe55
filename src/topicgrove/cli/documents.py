"""``topicgrove documents`` and ``topicgrove find``: documents of a topic, and topics by their words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from topicgrove.cli import options
from topicgrove.cli.output import print_json, report


def documents(
    model: options.Model,
    topic: Annotated[int, typer.Argument(min=0, metavar="TOPIC", help="The topic's id, as show prints it.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Documents to list.")] = 20,
    start: Annotated[int, typer.Option(min=0, help="The place of the first one; 20 begins the second page.")] = 0,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Print the documents of a topic, those with the largest share of their words in it first.

    Each line has share, tab, id, tab, title.
    """
    from topicgrove import load
    from topicgrove.tree.document_rows import n_documents_of
    from topicgrove.tree.outline import escape

    tree = load(model).tree_
    found = tree.documents_of(topic, n, start)
    if as_json:
        print_json([asdict(document) for document in found])
        return
    for one in found:
        print("\t".join([f"{one.share:.0%}", escape(one.id), escape(one.title or "")]).rstrip())
    last, n_docs = start + len(found), n_documents_of(tree, topic)
    if last < n_docs:
        report(f"{len(found)} of {n_docs:,} documents; the next: --start {last}", quiet)


def find(
    model: options.Model,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="Words, or beginnings of words.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Topics to list.")] = 10,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Print topics that have the given words, the best first.

    Each line has id, tab, name, tab, and the words found.
    """
    from topicgrove import load
    from topicgrove.tree.outline import escape

    found = load(model).tree_.find(" ".join(words), n)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        print(f"{one.topic}\t{escape(one.name)}\t{escape(', '.join(one.words))}")
    if not found:
        report("no topic has these words", quiet)
