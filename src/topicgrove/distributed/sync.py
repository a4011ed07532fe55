"""Sync strategies: when ranks tell each other about their documents' changes.

A strategy is a class in a file of the same name, and an entry in ``SYNCS``. The command line reads the table to show
its choices, so importing a strategy must not import NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from topicgrove.distributed.bsp import BulkSynchronous
from topicgrove.distributed.hybrid import Hybrid
from topicgrove.distributed.lockstep import Lockstep
from topicgrove.distributed.server import Server

if TYPE_CHECKING:
    from topicgrove.distributed.shared_sweep import SharedSweep


class Sync(Protocol):
    """The way in which ranks do a sweep together."""

    all_collapsed: bool
    """Whether the strategy needs every topic collapsed, whatever the requested sampler."""

    def sweep(self, shared: SharedSweep) -> None:
        """Draw ``shared.order`` and merge all ranks' changes; all ranks end with the same tree and rapid counts."""


SYNCS: dict[str, Sync] = {
    "hybrid": Hybrid(),
    "bsp": BulkSynchronous(),
    "server": Server(),
    "lockstep": Lockstep(),
}
"""Every strategy by its user-facing name."""
