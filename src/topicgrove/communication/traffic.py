"""Traffic of a rank in an iteration, for callbacks and the log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass
class Traffic:
    """Rounds of exchange in an iteration, the documents drawn meanwhile, and the bytes that this rank sent."""

    rounds: int = 0
    n_documents: int = 0
    slow_bytes: int = 0
    rapid_bytes: int = 0

    def since_last(self, sent: Counter[str]) -> Traffic:
        """Return the traffic since the last call; ``sent`` has the bytes that this rank has sent so far."""
        slow, rapid = sent["slow"] - self.slow_bytes, sent["rapid"] - self.rapid_bytes
        report = Traffic(self.rounds, self.n_documents, slow, rapid)
        self.rounds = self.n_documents = 0
        self.slow_bytes, self.rapid_bytes = sent["slow"], sent["rapid"]
        return report

    @property
    def staleness(self) -> float:
        """Documents that a rank draws between two rounds: it may not know that many changes of each peer."""
        return self.n_documents / max(self.rounds, 1)

    def line(self, seconds: float) -> str:
        """Return a line for the log.

        >>> Traffic(rounds=20, n_documents=400, slow_bytes=2_000_000, rapid_bytes=30_000).line(seconds=0.5)
        'sent 2.00 + 0.03 MB (slow + rapid), 40 syncs/s, 20 documents apart'
        """
        slow, rapid = self.slow_bytes / 1e6, self.rapid_bytes / 1e6
        syncs = self.rounds / max(seconds, 1e-9)
        apart = f"{self.staleness:.0f} documents apart"
        return f"sent {slow:.2f} + {rapid:.2f} MB (slow + rapid), {syncs:.0f} syncs/s, {apart}"
