"""Figures without pyplot, whose global state belongs to the user, and files of them that are the same every time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.extras import needed
from topicgrove.whole_files import FilePath, whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 200
MOST_DOTS = 20_000
"""In one direction; there is little that shows larger images, and matplotlib refuses those above 65,535."""

METADATA: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
"""Formats, each with what would make two files of one picture differ."""

SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "path",  # the reader's fonts may be of other widths
    "svg.hashsalt": "topicgrove",
    "pdf.fonttype": 42,  # publishers refuse type 3
    "text.usetex": False,
    "text.parse_math": False,
}


def make_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches."""
    with needed("matplotlib", "drawing"):
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height))


def check_suffix(path: FilePath | None) -> None:
    """ValueError, before there is work done, if a file's name says no format that can be written.

    >>> check_suffix("tree.doc")
    Traceback (most recent call last):
    ValueError: path must end in .svg, .pdf or .png; got 'tree.doc'
    """
    if path is not None and Path(path).suffix.lower() not in METADATA:
        raise ValueError(f"path must end in .svg, .pdf or .png; got {str(path)!r}")


def save_figure(figure: Figure, path: FilePath) -> None:
    """Write a figure whole or not at all, in the format that the name ends in."""
    import matplotlib as mpl

    suffix = Path(path).suffix.lower()
    with whole_file(path) as unfinished, mpl.rc_context(SETTINGS), unfinished.open("wb") as file:
        dpi = min(DOTS_PER_INCH, MOST_DOTS / max(figure.get_size_inches()))
        figure.savefig(file, format=suffix[1:], dpi=dpi, metadata=METADATA[suffix])
