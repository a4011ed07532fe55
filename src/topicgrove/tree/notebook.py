"""The tree in a notebook: nested <details>, no scripts."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING

from topicgrove.tree.outline import Branch, description, min_docs_for, outline, small_topics
from topicgrove.words import N_SHOWN

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

MAX_LINES = 500
OPEN_LEVELS = 1
"""Levels whose topics are initially unfolded."""


def as_html(tree: TopicTree) -> str:
    """Return an HTML fragment in the page's colours, light or dark; it summarises small topics of a large tree."""
    branch = outline(tree, min_docs_for(tree, MAX_LINES))
    title = html.escape(repr(tree))
    return f'<div style="line-height:1.5"><div>{title}</div>{"".join(_parts(tree, branch))}</div>'


def _parts(tree: TopicTree, branch: Branch) -> Iterator[str]:
    topic = branch.topic
    aside = f'<small style="opacity:.65">[{topic}]</small>'
    words = html.escape(description(tree, topic, N_SHOWN, "distinctive"))
    line = f"<b>{tree.n_docs[topic]}</b> {aside} <bdi>{words}</bdi>"
    if not branch.children and not branch.small:
        yield f'<div style="margin-left:1em">{line}</div>'
        return
    is_open = " open" if tree.level[topic] < OPEN_LEVELS else ""
    yield f'<details{is_open}><summary>{line}</summary><div style="margin-left:1.2em">'
    for child in branch.children:
        yield from _parts(tree, child)
    if branch.small:
        n_docs, text = small_topics(tree, branch.small)
        yield f'<div style="margin-left:1em"><b>{n_docs}</b> <small style="opacity:.65">{text}</small></div>'
    yield "</div></details>"
