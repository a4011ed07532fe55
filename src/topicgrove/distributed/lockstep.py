"""``sync="lockstep"``: exact and slow, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.distributed.shared_sweep import SharedSweep


class Lockstep:
    """Draw one document at a time, on one rank at a time, and exchange its changes before the next is drawn.

    Exact: every document is drawn given all the others, as by a single rank with one thread.
    """

    all_collapsed = False

    def sweep(self, shared: SharedSweep) -> None:
        """Draw document by document, rank by rank; all ranks exchange after each document."""
        for rank, n_docs in enumerate(shared.n_docs):
            for i in range(n_docs):
                exchange = shared.exchange()
                if rank == shared.rank:
                    shared.draw(shared.order[i : i + 1], exchange)
                exchange.finish()
                exchange.round()
                shared.merge(exchange)
