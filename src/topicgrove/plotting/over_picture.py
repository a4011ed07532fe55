"""Shares of topics over time or by class, as small multiples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from topicgrove.plotting.figures import SETTINGS, check_suffix, make_figure, save_figure
from topicgrove.plotting.palette import HUES, tint
from topicgrove.plotting.training_curves import STYLE
from topicgrove.tree.outline import escape
from topicgrove.validation import check_whole
from topicgrove.whole_files import FilePath

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from topicgrove.tree.shares_over import SharesOver

COLUMNS, MOST_PANELS, MOST_TICKS = 3, 12, 6
PANEL_WIDTH, PANEL_HEIGHT = 2.5, 1.6
TITLE_CHARACTERS = 34


def plot_over(over: SharesOver, path: FilePath | None = None, topics: Iterable[int] | None = None) -> Figure:
    """A picture of the shares of topics: a panel each, with lines over the groups and bands for the intervals.

    Parameters
    ----------
    over : SharesOver
        What `TopicTree.over` returns.
    path : str or path-like, default=None
        A file to write, too: .svg, .pdf or .png.
    topics : iterable of int, default=None
        The topics; None takes those of level 1, at most 12.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from topicgrove.tree import Documents, TopicTree
    >>> documents = Documents(np.array([[0, 1], [0, 1], [0, 2]]), np.ones((3, 2), int))
    >>> tree = TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([3, 2, 1]), np.array([3, 2, 1]),
    ...     documents=documents)
    >>> figure = plot_over(tree.over(["2016", "2017", "2017"], period="year"))
    >>> [axes.get_title() for axes in figure.axes]
    ['topic 1', 'topic 2']
    """
    check_suffix(path)
    tree = over.tree
    if topics is None:
        level = min(1, tree.n_levels - 1)
        shown = np.flatnonzero(tree.level == level)[:MOST_PANELS].tolist()
    else:
        shown = [check_whole("topics", topic, 0, len(tree) - 1) for topic in topics]
    if not shown:
        raise ValueError("topics must have at least one topic")
    n_rows = -(-len(shown) // COLUMNS)
    n_columns = min(COLUMNS, len(shown))
    figure = make_figure(PANEL_WIDTH * n_columns, PANEL_HEIGHT * n_rows + 0.4)
    import matplotlib as mpl

    with mpl.rc_context(SETTINGS | STYLE):
        panels = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True).ravel()
        for panel, topic, hue in zip(panels, shown, HUES * len(shown), strict=False):
            _draw(panel, over, topic, hue)
        for panel in panels[len(shown) :]:
            panel.remove()
        figure.set_layout_engine("constrained")
    if path is not None:
        save_figure(figure, path)
    return figure


def _draw(axes: Axes, over: SharesOver, topic: int, hue: str) -> None:
    low, high = over.intervals
    at: Any = np.arange(len(over.groups))
    name = escape(over.tree.name(topic))
    axes.set_title(
        name if len(name) <= TITLE_CHARACTERS else name[: TITLE_CHARACTERS - 1] + "…", loc="center", fontsize=7
    )
    axes.fill_between(at, low[topic], high[topic], color=tint(hue, 0.25), linewidth=0)
    axes.plot(at, over.shares[topic], color=hue, marker="o", markersize=2)
    step = -(-len(at) // MOST_TICKS)
    axes.set_xticks(at[::step], [escape(group)[:12] for group in over.groups[::step]], rotation=30, ha="right")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")
    axes.set_ylim(bottom=0)
