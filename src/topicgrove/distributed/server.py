"""``sync="server"``: rank 0 as a parameter server, for comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.distributed.shared_sweep import SharedSweep


class Server:
    """Collapse all topics, and exchange all changes through rank 0 while documents are drawn.

    Not exact: a document is drawn from counts that lack other ranks' changes of the last milliseconds.
    """

    all_collapsed = True

    def sweep(self, shared: SharedSweep) -> None:
        """Draw and exchange at the same time; with small batches, ranks take turns."""
        for documents in shared.turns():
            shared.draw_while_exchanging(documents, through_first=True)
