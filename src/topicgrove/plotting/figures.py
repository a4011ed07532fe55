"""Make figures without pyplot, whose global state belongs to the user, and save them reproducibly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.extras import needed
from topicgrove.whole_files import FilePath, whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 200
MOST_DOTS = 20_000
"""Most pixels in one direction; few programs show larger images, and matplotlib refuses more than 65,535."""

METADATA: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
"""Formats, each with the metadata that would make two files of one figure differ."""

SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "path",  # the reader's fonts may have other widths
    "svg.hashsalt": "topicgrove",
    "pdf.fonttype": 42,  # publishers refuse type 3
    "text.usetex": False,
    "text.parse_math": False,
}


def make_figure(width: float, height: float) -> Figure:
    """Make an empty figure with a size in inches."""
    with needed("matplotlib", "drawing"):
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height))


def check_suffix(path: FilePath | None) -> None:
    """Raise ValueError, before any work is done, if a file's name has no known ending.

    >>> check_suffix("tree.doc")
    Traceback (most recent call last):
    ValueError: path must end in .svg, .pdf or .png; got 'tree.doc'
    """
    if path is not None and Path(path).suffix.lower() not in METADATA:
        raise ValueError(f"path must end in .svg, .pdf or .png; got {str(path)!r}")


def save_figure(figure: Figure, path: FilePath) -> None:
    """Write a figure atomically, in the format of the name's ending."""
    import matplotlib as mpl

    suffix = Path(path).suffix.lower()
    with whole_file(path) as unfinished, mpl.rc_context(SETTINGS), unfinished.open("wb") as file:
        dpi = min(DOTS_PER_INCH, MOST_DOTS / max(figure.get_size_inches()))
        figure.savefig(file, format=suffix[1:], dpi=dpi, metadata=METADATA[suffix])
