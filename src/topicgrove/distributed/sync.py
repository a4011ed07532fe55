"""Sync strategies: when ranks tell each other what their documents changed.

A strategy is a class in a file that bears its name, and an entry in ``SYNCS``. The command line reads the table to show
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
    """How ranks do a sweep together."""

    all_collapsed: bool
    """Whether the strategy needs every topic collapsed, whichever sampler was asked for."""

    def sweep(self, shared: SharedSweep) -> None:
        """Draw ``shared.order`` and merge the changes of all ranks: trees and rapid counts are the same then."""


SYNCS: dict[str, Sync] = {
    "hybrid": Hybrid(),
    "bsp": BulkSynchronous(),
    "server": Server(),
    "lockstep": Lockstep(),
}
"""Every strategy by the name that users give."""
