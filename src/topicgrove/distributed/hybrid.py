"""``sync="hybrid"``, the default and the paper's way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.distributed.shared_sweep import SharedSweep


class Hybrid:
    """Count slow topics once per iteration; exchange changes of rapid topics and of the tree while documents are drawn.

    Not exact: a document is drawn from counts that lack what other ranks did in the last milliseconds, and phi of slow
    topics is that of the last refresh, as with one rank.
    """

    all_collapsed = False

    def sweep(self, shared: SharedSweep) -> None:
        """Draw and exchange at the same time; in small batches the ranks take turns."""
        for documents in shared.turns():
            shared.draw_while_exchanging(documents)
