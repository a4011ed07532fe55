"""``sync="hybrid"``, the default and the paper's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.distributed.shared_sweep import SharedSweep


class Hybrid:
    """Count slow topics once per iteration; exchange changes of rapid topics and of the tree while documents are drawn.

    Not exact: a document is drawn from counts that lack other ranks' changes of the last milliseconds, and phi of slow
    topics dates from the last refresh, as with one rank.
    """

    all_collapsed = False

    def sweep(self, shared: SharedSweep) -> None:
        """Draw and exchange at the same time; with small batches, ranks take turns."""
        for documents in shared.turns():
            shared.draw_while_exchanging(documents)
