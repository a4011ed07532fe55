"""Colours that colour-blind readers can tell apart (after Okabe and Ito, darkened for print)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.plotting.layout import Layout

INK = "#1a1a1a"
GREY = "#5f5f5f"
HUES = ("#0072b2", "#c75000", "#00805c", "#b0578f", "#8a6d00", "#3b87b5", "#6b4fa0")


def branch_colours(layout: Layout) -> dict[int, str]:
    """Choose a colour for each topic: grey for the root, a hue for each branch below it."""
    branches = dict.fromkeys(place.branch for place in layout.places.values() if place.parent is not None)
    if not branches:
        branches = dict.fromkeys(place.branch for place in layout.places.values())
    hues = {branch: HUES[i % len(HUES)] for i, branch in enumerate(branches)}
    return {topic: hues.get(place.branch, GREY) for topic, place in layout.places.items()}


def tint(colour: str, strength: float) -> str:
    """Mix a colour with white. Transparency is avoided, as some journals refuse it.

    >>> tint("#000000", 0.5)
    '#808080'
    """
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * strength):02x}" for part in parts)
