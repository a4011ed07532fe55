"""Lay out boxes: a column for each generation, and a band for each subtree, so that nothing overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from topicgrove.plotting.selection import Shown, generations

if TYPE_CHECKING:
    from topicgrove.plotting.boxes import Box

COLUMN_GAP = 30.0
SIBLING_GAP = 4.0
FAMILY_GAP = 11.0
"""Gap between subtrees with more than one box."""


@dataclass(frozen=True)
class Place:
    """A box in the picture: its upper left corner, its parent's topic, and its branch (a top topic or its child)."""

    box: Box
    x: float
    y: float
    parent: int | None
    branch: int


@dataclass(frozen=True)
class Layout:
    """All boxes, parents before their children, and the size of the picture."""

    places: dict[int, Place]
    width: float
    height: float


def lay_out(tops: list[Shown], boxes: Mapping[int, Box]) -> Layout:
    """Place the boxes of these topics and of all below them, from left to right."""
    columns = _columns(tops, boxes)
    heights: dict[int, float] = {}
    for top in tops:
        _measure(top, boxes, heights)
    several = len(tops) > 1
    places: dict[int, Place] = {}

    def put(node: Shown, depth: int, y: float, parent: int | None, branch: int) -> None:
        box = boxes[node.topic]
        places[node.topic] = Place(box, columns[depth], y + (heights[node.topic] - box.height) / 2, parent, branch)
        y += (heights[node.topic] - _stacked(node.children, heights)) / 2
        for child, top in _stack(node.children, heights, y):
            put(child, depth + 1, top, node.topic, branch if depth or several else child.topic)

    for node, y in _stack(tops, heights, 0.0):
        put(node, 0, y, None, node.topic)
    width = max(place.x + place.box.width for place in places.values())
    return Layout(places, width, _stacked(tops, heights))


def _columns(tops: list[Shown], boxes: Mapping[int, Box]) -> list[float]:
    """Return the left edges of the columns."""
    widths = [max(boxes[node.topic].width for node in column) for column in generations(tops)]
    return list(accumulate((width + COLUMN_GAP for width in widths[:-1]), initial=0.0))


def _measure(node: Shown, boxes: Mapping[int, Box], heights: dict[int, float]) -> None:
    for child in node.children:
        _measure(child, boxes, heights)
    heights[node.topic] = max(boxes[node.topic].height, _stacked(node.children, heights))


def _stack(nodes: list[Shown], heights: Mapping[int, float], y: float) -> Iterator[tuple[Shown, float]]:
    """Give nodes stacked below each other, with the upper edges of their bands."""
    for before, node in zip([None, *nodes], nodes, strict=False):
        if before is not None:
            y += heights[before.topic] + (FAMILY_GAP if before.children or node.children else SIBLING_GAP)
        yield node, y


def _stacked(nodes: list[Shown], heights: Mapping[int, float]) -> float:
    return max((y + heights[node.topic] for node, y in _stack(nodes, heights, 0.0)), default=0.0)
