"""Set a topic's words in lines, and measure the box around them. All lengths are in points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicgrove.tree.outline import escape, id_of
from topicgrove.tree.views import branch_of
from topicgrove.words import By

if TYPE_CHECKING:
    from topicgrove.plotting.selection import Shown
    from topicgrove.tree.topic_tree import TopicTree

LARGEST, SMALLEST = 15.0, 5.0
"""Font sizes: of the most frequent word in a picture, and the smallest that is readable in print."""

NAME_SIZE, NOTE_SIZE = 8.0, 5.0
LINE_WIDTH, LAST_LINE_WIDTH = 120.0, 185.0
"""Limits of width; boxes in the last column may be wider, which makes pictures less tall."""

NAME_GAP = 2.0
PADDING = 4.0
LINE_HEIGHT = 1.15

_Text = tuple[str, float, str]
"""A text, its font size and its kind."""

Measure = Callable[[str, float, bool], float]
"""Returns the width of a text, from the text, its font size and whether it is bold."""


@dataclass(frozen=True)
class Piece:
    """A text in a box: its start and baseline, relative to the box's upper left corner."""

    text: str
    size: float
    x: float
    y: float
    kind: str


@dataclass(frozen=True)
class Box:
    """A box and its texts."""

    topic: int
    width: float
    height: float
    pieces: list[Piece]


def word_frequencies(tree: TopicTree, topic: int, words: int, by: By) -> list[tuple[str, int]]:
    """Return a topic's top words by frequency, each with its tokens in the topic, or in it and those below."""
    whole, topic = tree.source or tree, id_of(tree, topic)
    if words == 0 or whole.word_counts is None:
        return []
    ids = whole.topic_words.top(topic, words, by)[0]
    counted = [topic] if by == "probability" else branch_of(whole, topic)
    tokens = np.asarray(whole.word_counts[counted][:, ids].sum(axis=0)).tolist()
    names = ids.astype(str).tolist() if tree.vocabulary is None else [tree.vocabulary[word] for word in ids]
    return sorted(zip(names, tokens, strict=True), key=lambda pair: -pair[1])


def font_size(frequency: float, largest: float) -> float:
    """Return a font size proportional to the 4th root of the frequency, down to the smallest readable one.

    >>> font_size(10_000, 10_000), font_size(625, 10_000), font_size(1, 10_000)
    (15.0, 7.5, 5.0)
    """
    return float(max(SMALLEST, LARGEST * (frequency / largest) ** 0.25))


def make_box(tree: TopicTree, shown: Shown, words: list[tuple[str, float]], limit: float, measure: Measure) -> Box:
    """Make the box of a topic: its name, if a user gave one, its words with their font sizes, and its documents."""
    topic = shown.topic
    lines: list[list[_Text]] = []
    if topic in tree.names:
        lines.append([(escape(tree.names[topic]), NAME_SIZE, "name")])
    lines += _balanced([(escape(word), size, "word") for word, size in words], limit, measure)
    lines.append([(_note(tree, shown), NOTE_SIZE, "note")])
    return _set(topic, lines, measure)


def _note(tree: TopicTree, shown: Shown) -> str:
    n_docs = int(tree.n_docs[shown.topic])
    note = f"{n_docs:,} document{'' if n_docs == 1 else 's'}"
    if shown.n_hidden:
        note += f", {shown.n_hidden:,} smaller topic{'' if shown.n_hidden == 1 else 's'} below"
    return note


def _balanced(words: list[_Text], limit: float, measure: Measure) -> list[list[_Text]]:
    """Break words into as few lines as the limit of width allows, no wider than that many lines need to be."""
    widths = [measure(text, size, False) + _space(size) for text, size, _ in words]
    n_lines = len(_ends(widths, limit))
    narrow, wide = 0.0, limit
    while wide - narrow > 1:
        middle = (narrow + wide) / 2
        narrow, wide = (narrow, middle) if len(_ends(widths, middle)) <= n_lines else (middle, wide)
    ends = _ends(widths, wide)
    return [words[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _ends(widths: list[float], limit: float) -> list[int]:
    """Return where lines end that are no wider than a limit, unless a single word is."""
    ends: list[int] = []
    used = limit
    for i, width in enumerate(widths):
        if used + width > limit or not ends:
            ends.append(i)
            used = 0.0
        used += width
        ends[-1] = i + 1
    return ends


def _set(topic: int, lines: list[list[_Text]], measure: Measure) -> Box:
    pieces: list[Piece] = []
    y = widest = PADDING
    for line in lines:
        tallest = max(size for _, size, _ in line)
        x = PADDING
        for text, size, kind in line:
            pieces.append(Piece(text, size, x, y + 0.85 * tallest, kind))
            end = x + measure(text, size, kind == "name")
            widest = max(widest, end)
            x = end + _space(size)
        y += LINE_HEIGHT * tallest + (NAME_GAP if line[0][2] == "name" else 0)
    return Box(topic, widest + PADDING, y + PADDING * 0.6, pieces)


def _space(size: float) -> float:
    return max(3.0, 0.4 * size)
