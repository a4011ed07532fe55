"""What every sampler has: a way to bring the state up to date between batches of documents."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from topicgrove.state import State


class SamplerSettings(NamedTuple):
    """Parameters that samplers read, already checked, and the size of what they train on."""

    phi: str
    collapse_below: float
    free_children: int
    n_levels: int
    n_words: int
    n_tokens: int


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


class SamplerClass(Protocol):
    """The class of a sampler, as an entry of ``SAMPLERS`` names it."""

    fixed_weights: bool

    def of(self, settings: SamplerSettings) -> Sampler:
        """Make a sampler, a class method; raise ValueError for a corpus that it cannot train on."""
