"""Held-out quality, coherence and stability over the number of topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from topicgrove.plotting.figures import SETTINGS, check_suffix, make_figure, save_figure
from topicgrove.plotting.palette import GREY, HUES
from topicgrove.plotting.training_curves import STYLE
from topicgrove.whole_files import FilePath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS = (("perplexity", "perplexity, lower is better"), ("coherence", "coherence"), ("stability", "stability"))
WIDTH, HEIGHT = 2.4, 2.0


def plot_sizes(found: Mapping[str, Any], path: FilePath | None = None) -> Figure:
    """Plot what `Suggestion.to_dict` returns; a dashed line marks the suggested size.

    >>> row = {"size": 20, "perplexity": 9.0, "perplexities": (8.0, 10.0), "coherence": 0.1, "stability": None}
    >>> figure = plot_sizes({"suggested": 20, "sizes": [row]})
    >>> [axes.get_title("left") for axes in figure.axes]
    ['perplexity, lower is better', 'coherence']
    """
    check_suffix(path)
    rows = found["sizes"]
    panels = [(field, title) for field, title in PANELS if rows[0][field] is not None]
    figure = make_figure(WIDTH * len(panels), HEIGHT)
    import matplotlib as mpl

    sizes = [row["size"] for row in rows]
    with mpl.rc_context(SETTINGS | STYLE):
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for panel, (field, title), hue in zip(axes, panels, HUES, strict=False):
            panel.set_title(title, loc="left", fontsize=7)
            panel.axvline(found["suggested"], color=GREY, linewidth=0.7, linestyle="--")
            panel.plot(sizes, [row[field] for row in rows], color=hue, marker="o", markersize=3)
            if field == "perplexity":
                for row in rows:
                    panel.plot([row["size"]] * len(row["perplexities"]), row["perplexities"], ".", color=hue, ms=2)
            panel.set_xscale("log")
            panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
            panel.minorticks_off()
            panel.set_xlabel("topics asked for")
        figure.set_layout_engine("constrained")
    if path is not None:
        save_figure(figure, path)
    return figure
