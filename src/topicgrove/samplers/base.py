"""What every sampler has: a way to bring the state up to date between batches of documents."""

from __future__ import annotations

from typing import Protocol

from topicgrove.state import State


class Sampler(Protocol):
    """Collapsed, blocked or partially collapsed."""

    name: str
    """What the parameter ``sampler`` calls it."""

    fixed_weights: bool
    """Whether the weights of paths stay as they are during a sweep, documents being independent."""

    draw_phi: bool
    """Whether phi of slow topics is drawn; otherwise it is the mean."""

    def refresh(self, state: State) -> None:
        """Between two batches or sweeps: decide which topics are slow, lay out, draw what is instantiated."""
