"""``sync="bsp"``: bulk-synchronous, for comparison and for networks with a long latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.distributed.shared_sweep import SharedSweep


class BulkSynchronous:
    """Draw all documents, then exchange all changes once.

    Not exact: during a sweep, a rank does not see the others' changes. Nothing depends on timing: with one thread per
    rank, the same seed and number of ranks give the same result.
    """

    all_collapsed = False

    def sweep(self, shared: SharedSweep) -> None:
        """Draw this rank's documents without the others' changes, then exchange all changes."""
        exchange = shared.exchange()
        shared.draw_in_slices(shared.order, exchange)
        shared.complete(exchange)
