"""The interface of all samplers: a way to bring the state up to date between batches of documents."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from topicgrove.state import State


class SamplerSettings(NamedTuple):
    """Checked parameters that samplers read, and the size of the training data."""

    phi: str
    collapse_below: float
    free_children: int
    n_levels: int
    n_words: int
    n_tokens: int


class Sampler(Protocol):
    """A collapsed, blocked or partially collapsed sampler."""

    name: str
    """The name that the parameter ``sampler`` gives it."""

    fixed_weights: bool
    """Whether path weights stay fixed during a sweep, which makes documents independent."""

    draw_phi: bool
    """Whether phi of slow topics is drawn; if not, it is the posterior mean."""

    def refresh(self, state: State) -> None:
        """Update the state between batches or sweeps: find the slow topics, lay out, and draw what is instantiated."""


class SamplerClass(Protocol):
    """The class of a sampler, as the entries of ``SAMPLERS`` name it."""

    fixed_weights: bool

    def of(self, settings: SamplerSettings) -> Sampler:
        """Make a sampler; raise ValueError for a corpus that it cannot train on. This is a class method."""
