"""Plots: means with error bars over seeds, labelled axes, legends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.records import Row
from topicgrove.plotting.figures import make_figure
from topicgrove.plotting.palette import HUES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = "osD^vPX"
PANEL = (4.6, 3.6)
"""Width and height of one plot in inches."""


def panels(titles: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Make plots side by side."""
    figure = make_figure(PANEL[0] * len(titles), PANEL[1])
    figure.set_layout_engine("constrained")
    axes = [figure.add_subplot(1, len(titles), i + 1) for i in range(len(titles))]
    for plot, title in zip(axes, titles, strict=True):
        plot.set_title(title, fontsize=10)
        plot.grid(alpha=0.25)
    return figure, axes


def label(plot: Axes, x: str, y: str) -> None:
    """Name the axes, and show a legend if there is more than one series."""
    plot.set_xlabel(x)
    plot.set_ylabel(y)
    if plot.get_xscale() == "log":
        # Powers would be formulas, and SVG files that keep text as text would show their source.
        plot.xaxis.set_major_formatter("{x:,.0f}")
        plot.xaxis.set_minor_formatter("")
    if len(plot.get_legend_handles_labels()[1]) > 1:
        plot.legend(fontsize=7, frameon=False)


def chosen(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """Return the rows that have these values.

    >>> chosen([{"seed": 1, "I": 4}, {"seed": 2, "I": 8}], I=8)
    [{'seed': 2, 'I': 8}]
    """
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def values(rows: Iterable[Row], key: str) -> list[Any]:
    """Return the distinct values of a column, in order.

    >>> values([{"M": 4}, {"M": 1}, {"M": 4}, {}], "M")
    [1, 4]
    """
    return sorted({row[key] for row in rows if key in row})


def mean_and_error(rows: Iterable[Row], key: str) -> tuple[float, float]:
    """Return the mean over seeds and the standard deviation (0 for one seed).

    >>> mean_and_error([{"p": 1.0}, {"p": 3.0}], "p")
    (2.0, 1.4142135623730951)
    """
    numbers = np.array([row[key] for row in rows if row.get(key) is not None], np.float64)
    if len(numbers) == 0:
        return float("nan"), float("nan")
    return float(numbers.mean()), float(numbers.std(ddof=1)) if len(numbers) > 1 else 0.0


def curve(
    plot: Axes,
    rows: Sequence[Row],
    x: str,
    y: str,
    name: str,
    number: int,
    place: Callable[[Any], float] = float,
    *,
    errorevery: int = 1,
) -> None:
    """Draw one series: mean of y over seeds for each x, with the standard deviation as error bars at some or all x."""
    at = values(rows, x)
    points = [mean_and_error(chosen(rows, **{x: value}), y) for value in at]
    plot.errorbar(
        [place(value) for value in at],
        [mean for mean, _ in points],
        yerr=[error for _, error in points],
        label=name,
        color=HUES[number % len(HUES)],
        marker=MARKERS[number % len(MARKERS)],
        markersize=4,
        markevery=errorevery,
        linewidth=1.2,
        capsize=2,
        errorevery=errorevery,
    )


def cloud(plot: Axes, rows: Sequence[Row], x: str, y: str, group: Sequence[str], name: str, number: int) -> None:
    """Draw one point for each setting in ``group``: means over seeds with error bars in both directions."""
    settings = sorted({tuple(row[key] for key in group) for row in rows})
    picked = [chosen(rows, **dict(zip(group, setting, strict=True))) for setting in settings]
    across, up = ([mean_and_error(some, key) for some in picked] for key in (x, y))
    plot.errorbar(
        [mean for mean, _ in across],
        [mean for mean, _ in up],
        xerr=[error for _, error in across],
        yerr=[error for _, error in up],
        label=name,
        color=HUES[number % len(HUES)],
        marker=MARKERS[number % len(MARKERS)],
        markersize=4,
        linestyle="none",
        elinewidth=0.8,
        capsize=2,
    )
