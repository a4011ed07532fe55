"""Plot the course of training: log joint, topics and speed over the sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from topicgrove.plotting.figures import SETTINGS, check_suffix, make_figure, save_figure
from topicgrove.plotting.palette import GREY, HUES, INK
from topicgrove.whole_files import FilePath

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 5.2, 5.4
STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.labelsize": 8,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
}


def plot_training(history: Sequence[Mapping[str, Any]], n_tokens: int, path: FilePath | None = None) -> Figure:
    """Plot the log joint, the topics on each level, and the speed of a run over its sweeps.

    Parameters
    ----------
    history : sequence of mappings
        A model's ``history_``.
    n_tokens : int
        Tokens that a sweep resamples.
    path : str or path-like, default=None
        A file to write as well: .svg, .pdf or .png.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> rows = [
    ...     {"iteration": 1, "seconds": 0.5, "n_topics_per_level": [1, 4], "log_joint": None},
    ...     {"iteration": 2, "seconds": 0.2, "n_topics_per_level": [1, 3], "log_joint": -9e5},
    ... ]
    >>> figure = plot_training(rows, n_tokens=1000)
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['log joint', 'topics per level', 'million tokens per second']
    """
    check_suffix(path)
    if not history:
        raise ValueError("history is empty: the model has no record of its training")
    figure = make_figure(WIDTH, HEIGHT)
    import matplotlib as mpl

    with mpl.rc_context(SETTINGS | STYLE):
        axes = figure.subplots(3, 1, sharex=True)
        _draw_log_joint(axes[0], history)
        _draw_topics(axes[1], history)
        _draw_speed(axes[2], history, n_tokens)
        axes[2].set_xlabel("iteration")
        axes[2].xaxis.get_major_locator().set_params(integer=True)
        figure.set_layout_engine("constrained")
    if path is not None:
        save_figure(figure, path)
    return figure


def _draw_log_joint(axes: Axes, history: Sequence[Mapping[str, Any]]) -> None:
    known = [(row["iteration"], row["log_joint"]) for row in history if row["log_joint"] is not None]
    axes.set_title("log joint")
    axes.plot([i for i, _ in known], [value for _, value in known], color=HUES[0], marker="o", markersize=3)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}".replace("-", "\N{MINUS SIGN}"))


def _draw_topics(axes: Axes, history: Sequence[Mapping[str, Any]]) -> None:
    axes.set_title("topics per level")
    iterations = [row["iteration"] for row in history]
    for level in range(1, len(history[-1]["n_topics_per_level"])):
        topics = [row["n_topics_per_level"][level] for row in history]
        axes.plot(iterations, topics, color=HUES[(level - 1) % len(HUES)], label=f"level {level}")
    axes.set_ylim(bottom=0)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), frameon=False, fontsize=7, ncols=6)


def _draw_speed(axes: Axes, history: Sequence[Mapping[str, Any]], n_tokens: int) -> None:
    axes.set_title("million tokens per second")
    # The first sweep adds the documents and may compile, so its speed is not typical.
    rows = history[1:] or history
    rates = [n_tokens / max(row["seconds"], 1e-9) / 1e6 for row in rows]
    axes.plot([row["iteration"] for row in rows], rates, color=HUES[2])
    axes.set_ylim(bottom=0)
