"""``topicgrove show`` and ``topicgrove top-words``: show a model in the terminal."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from topicgrove.cli import options
from topicgrove.cli.next_steps import Command
from topicgrove.cli.output import print_json
from topicgrove.console import tell

if TYPE_CHECKING:
    from topicgrove.tree import TopicTree

MIN_DOCS = 10
N_EXAMPLES = 5
LEAST_LINES = 10
"""Least number of lines of a tree, even on a small screen."""


Ranking = Literal["distinctive", "probability"]
By = Annotated[
    Ranking,
    typer.Option(help="Words that set a topic apart and that no topic above it shows, or its most probable ones."),
]
Topic = Annotated[int | None, typer.Option(min=0, metavar="ID", help="Only this topic.")]


def show(
    model: options.Model,
    words: Annotated[int, typer.Option(min=0, help="Words of a topic.")] = 8,
    min_docs: Annotated[
        int | None,
        typer.Option(
            min=0,
            show_default="on a terminal, what fills the screen; else 10, or one in a hundred documents if that is less",
            help="Sum up topics with fewer documents.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every topic, however small.")] = False,
    max_depth: Annotated[int | None, typer.Option(min=0, help="The deepest level to show; the root is 0.")] = None,
    topic: Annotated[
        int | None,
        typer.Option(min=0, metavar="ID", help="The tree below this topic, and documents that stand for it."),
    ] = None,
    by: By = "distinctive",
    as_json: options.AsJson = False,
) -> None:
    """Print the tree: documents, id and words of each topic.

    On a terminal, only the largest topics that fit the screen are shown, unless --all, --min-docs or --max-depth is
    given.
    """
    if every and min_docs is not None:
        raise ValueError("--all is --min-docs 0: give one of them")

    from topicgrove import load
    from topicgrove.tree.outline import Screenful, screenful

    tree = load(model).tree_
    shown = tree if topic is None else tree.subtree(topic)
    after = [] if topic is None or tree.documents is None or as_json else examples(tree, topic)
    least = 0 if every else min_docs
    fitted: Screenful | None = None
    if least is None:
        least = max(1, min(MIN_DOCS, int(shown.n_docs[0]) // 100))
        if max_depth is None and not as_json and (n_lines := screen_lines()):
            fitted = screenful(shown, max(LEAST_LINES, n_lines - len(after)), least)
            least, max_depth = fitted.min_docs, fitted.max_depth
    if as_json:
        print_json(nested(shown, words, least, max_depth, by))
        return
    shown.print_tree(words, least, max_depth, by, file=sys.stdout)
    if after:
        print("\n".join(after))
    if fitted is not None and fitted.n_topics < len(shown):
        sys.stdout.flush()
        again = Command("show", [model, *([] if topic is None else ["--topic", topic])], "").line()
        tell(_how_to_see_more(again, fitted.n_topics, len(shown)))


def screen_lines() -> int:
    """Return how many lines of a terminal a tree may take, with room for a hint and the prompt; 0 without one."""
    if not sys.stdout.isatty():
        return 0
    return max(LEAST_LINES, shutil.get_terminal_size().lines - 3)


def _how_to_see_more(command: str, n_shown: int, n_topics: int) -> str:
    from topicgrove.tree.outline import escape

    return f"{n_shown} of {n_topics} topics. All: {escape(command)} --all; the tree below one: --topic ID"


def top_words(
    model: options.Model,
    topic: Topic = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Words of a topic.")] = 10,
    by: By = "distinctive",
    as_json: options.AsJson = False,
) -> None:
    """Print the top words of topics; each line has id, tab, words."""
    from topicgrove import load
    from topicgrove.tree.outline import escape

    tree = load(model).tree_
    for_topics = range(len(tree)) if topic is None else [topic]
    if as_json:
        print_json([facts(tree, number, n, by) for number in for_topics])
        return
    for number in for_topics:
        print(f"{number}\t{escape(', '.join(tree.top_words(number, n, by)))}")


def facts(tree: TopicTree, topic: int, n_words: int, by: Ranking) -> dict[str, Any]:
    """Return a topic for scripts, with its id in the model."""
    from topicgrove.tree.outline import id_of

    whole, original = tree.source or tree, id_of(tree, topic)
    words = tree.top_words_with_scores(topic, n_words, by) if n_words else []
    name = tree.name(topic)
    return {
        "id": original,
        "level": int(whole.level[original]),
        "name": name,
        "n_docs": int(tree.n_docs[topic]),
        "n_tokens": int(tree.n_tokens[topic]),
        "words": [{"word": word, by: score} for word, score in words],
        "label": name,  # its old name
    }


def nested(tree: TopicTree, n_words: int, min_docs: int, max_depth: int | None, by: Ranking) -> dict[str, Any]:
    """Return what the terminal shows as data for scripts: topics with their children nested."""
    from topicgrove.tree.outline import Branch, outline

    def below(branch: Branch) -> dict[str, Any]:
        return facts(tree, branch.topic, n_words, by) | {
            "children": [below(child) for child in branch.children],
            "n_smaller_topics": len(branch.small),
        }

    return below(outline(tree, min_docs, max_depth))


def examples(tree: TopicTree, topic: int) -> list[str]:
    """Return a line for each representative document of a topic."""
    from topicgrove.tree.outline import escape

    lines = ["", "Documents with the largest share of their words in the topic:"]
    for document in tree.representative_documents(topic, N_EXAMPLES):
        title = "" if document.title is None else f"  {document.title[:80]}"
        lines.append(escape(f"  {document.share:4.0%}  {document.id}{title}"))
    return lines
