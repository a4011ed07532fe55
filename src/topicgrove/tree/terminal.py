"""The tree as text: plain lines, and a rich tree for terminals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from topicgrove.tree.outline import Branch, description, id_of, outline, small_topics
from topicgrove.validation import check_whole
from topicgrove.words import N_SHOWN, By

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

INDENT = "    "
UNCUT = 10_000
"""Width of output that does not go to a terminal: rich would cut lines at 80 columns."""


def render(tree: TopicTree, words: int, min_docs: int, max_depth: int | None, width: int | None, by: By) -> str:
    """Return one line per topic: documents, id and words, indented by level."""
    check_whole("words", words, 0)
    lines = _lines(tree, outline(tree, min_docs, max_depth), words, by)
    if width is not None:
        check_whole("width", width, 1)
        lines = (_cut(line, width) for line in lines)
    return "\n".join(lines)


def _lines(tree: TopicTree, branch: Branch, words: int, by: By) -> Iterator[str]:
    topic = branch.topic
    indent, digits = INDENT * int(tree.level[topic]), len(str(tree.n_docs[0]))
    text = f"[{id_of(tree, topic)}] {description(tree, topic, words, by)}"
    yield f"{indent}{tree.n_docs[topic]:{digits}d} {text}".rstrip()
    for child in branch.children:
        yield from _lines(tree, child, words, by)
    if branch.small:
        n_docs, text = small_topics(tree, branch.small)
        yield f"{indent}{INDENT}{n_docs:{digits}d} {text}"


def _cut(line: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"


def rich_tree(
    tree: TopicTree, words: int, min_docs: int, max_depth: int | None, by: By, encoding: str = "utf-8"
) -> Any:
    """Return the same as a `rich.tree.Tree`; characters that ``encoding`` lacks are written as escapes."""
    check_whole("words", words, 0)
    return _rich_branch(tree, outline(tree, min_docs, max_depth), words, by, encoding)


def print_tree(
    tree: TopicTree,
    words: int = N_SHOWN,
    min_docs: int = 1,
    max_depth: int | None = None,
    by: By = "distinctive",
    file: TextIO | None = None,
) -> None:
    """Print the tree to a terminal, in colour and cut to its width, or to a file.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> tree.print_tree()
    2 [0]
    └── 2 [1]
    """
    from rich.console import Console

    console = Console(file=file)
    if not console.is_terminal:
        console.width = UNCUT
    shown = rich_tree(tree, words, min_docs, max_depth, by, console.encoding)
    console.print(shown, soft_wrap=not console.is_terminal)


def _rich_branch(tree: TopicTree, branch: Branch, words: int, by: By, encoding: str) -> Any:
    from rich.text import Text
    from rich.tree import Tree

    cut: Any = "ellipsis" if _encodable("…", encoding) == "…" else "crop"

    def line(n_docs: int, aside: str, text: str = "") -> Text:
        # Texts, not strings: a word such as [bold] is not markup.
        shown = Text.assemble(
            (str(n_docs), "bold"), (f" {aside}", "dim"), f" {_encodable(text, encoding)}", no_wrap=True, overflow=cut
        )
        shown.rstrip()
        return shown

    topic = branch.topic
    shown = Tree(line(int(tree.n_docs[topic]), f"[{id_of(tree, topic)}]", description(tree, topic, words, by)))
    shown.children = [_rich_branch(tree, child, words, by, encoding) for child in branch.children]
    if branch.small:
        n_docs, text = small_topics(tree, branch.small)
        shown.add(line(n_docs, text))
    return shown


def _encodable(text: str, encoding: str) -> str:
    r"""Replace characters that an encoding lacks with escapes.

    >>> _encodable("größe, дерево", "cp1252")
    'größe, \\u0434\\u0435\\u0440\\u0435\\u0432\\u043e'
    """
    return text.encode(encoding, "backslashreplace").decode(encoding)
