"""Draw the tree as boxes of words in columns, like the last figure of Chen et al. (KDD 2017)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from topicgrove.plotting.boxes import (
    LAST_LINE_WIDTH,
    LINE_WIDTH,
    Box,
    Measure,
    font_size,
    make_box,
    word_frequencies,
)
from topicgrove.plotting.figures import SETTINGS, check_suffix, make_figure, save_figure
from topicgrove.plotting.layout import Layout, Place, lay_out
from topicgrove.plotting.palette import GREY, INK, branch_colours, tint
from topicgrove.plotting.selection import Shown, generations, select
from topicgrove.validation import check_whole
from topicgrove.whole_files import FilePath
from topicgrove.words import By

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from topicgrove.tree.topic_tree import TopicTree

MARGIN = 6.0
POINTS = 72.0
THINNEST, THICKEST = 0.5, 3.5
"""Widths of lines between boxes, which grow with the square root of the documents."""


def plot_tree(
    tree: TopicTree,
    path: FilePath | None = None,
    *,
    levels: Iterable[int] | None = None,
    topic: int = 0,
    words: int = 8,
    min_docs: int | None = None,
    by: By = "distinctive",
) -> Figure:
    """Draw a tree: a box of words for each topic, from left to right.

    A word's size is proportional to the 4th root of its frequency, down to a size that can be read. The same tree gives
    the same file, byte for byte.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    path : str or path-like, default=None
        A file to write as well: .svg, .pdf or .png.
    levels : iterable of int, default=None
        Levels to show, the root's being 0; None means all. Topics hang from their nearest ancestor that is shown.
    topic : int, default=0
        Show this topic and those below it.
    words : int, default=8
        Words in a box.
    min_docs : int, default=None
        Leave out topics with fewer documents. None shows the 30 largest topics, or all if there are fewer.
    by : {"probability", "distinctive"}, default="distinctive"
        Which words: those that set a topic apart, or the most frequent ones. Frequencies are those of the topic, and
        of the topics below it if words are distinctive.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; notebooks show it after ``%matplotlib inline``.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> figure = plot_tree(tree)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['2 documents', '2 documents']
    """
    check_suffix(path)
    check_whole("words", words, 0)
    tops = select(tree, levels=levels, topic=topic, min_docs=min_docs)
    layout = lay_out(tops, _boxes(tree, tops, words, by))
    figure = _drawn(tree, layout)
    if path is not None:
        save_figure(figure, path)
    return figure


def _boxes(tree: TopicTree, tops: list[Shown], words: int, by: By) -> dict[int, Box]:
    columns = generations(tops)
    frequencies = {node.topic: word_frequencies(tree, node.topic, words, by) for column in columns for node in column}
    largest = max((n for found in frequencies.values() for _, n in found), default=1)
    measure = _text_measure()
    boxes = {}
    for column in columns:
        limit = LAST_LINE_WIDTH if column is columns[-1] else LINE_WIDTH
        for node in column:
            sized = [(word, font_size(n, largest)) for word, n in frequencies[node.topic]]
            boxes[node.topic] = make_box(tree, node, sized, limit, measure)
    return boxes


def _text_measure() -> Measure:
    make_figure(1, 1)
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    def measure(text: str, size: float, bold: bool) -> float:
        font = FontProperties(size=size, weight="bold" if bold else "normal")
        # Hinted glyphs, in pixels, are slightly wider or narrower than outlines.
        return 1.02 * float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])

    return measure


def _drawn(tree: TopicTree, layout: Layout) -> Figure:
    import matplotlib as mpl

    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    figure = make_figure(width / POINTS, height / POINTS)
    with mpl.rc_context(SETTINGS):
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_xlim(-MARGIN, layout.width + MARGIN)
        axes.set_ylim(layout.height + MARGIN, -MARGIN)
        colours = branch_colours(layout)
        most = max(int(tree.n_docs[t]) for t in layout.places)
        for t, place in layout.places.items():
            if place.parent is not None:
                _draw_line(axes, layout.places[place.parent], place, colours[t], int(tree.n_docs[t]) / max(most, 1))
        for t, place in layout.places.items():
            _draw_box(axes, place, colours[t])
    return figure


def _draw_line(axes: Axes, above: Place, below: Place, colour: str, share: float) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    start = above.x + above.box.width, above.y + above.box.height / 2
    end = below.x, below.y + below.box.height / 2
    bend = (start[0] + end[0]) / 2
    curve = Path([start, (bend, start[1]), (bend, end[1]), end], [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    width = THINNEST + (THICKEST - THINNEST) * share**0.5
    axes.add_patch(PathPatch(curve, facecolor="none", edgecolor=tint(colour, 0.55), linewidth=width, zorder=1))


def _draw_box(axes: Axes, place: Place, colour: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    box = place.box
    axes.add_patch(
        FancyBboxPatch(
            (place.x, place.y),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=3",
            facecolor=tint(colour, 0.07),
            edgecolor=colour,
            linewidth=0.7,
            zorder=2,
        )
    )
    for piece in box.pieces:
        axes.text(
            place.x + piece.x,
            place.y + piece.y,
            piece.text,
            size=piece.size,
            weight="bold" if piece.kind == "name" else "normal",
            color=GREY if piece.kind == "note" else INK,
            parse_math=False,
            zorder=3,
        )
