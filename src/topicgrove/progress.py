"""A line of progress per sweep: rate, topics, likelihood, time left."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from topicgrove.training import SweepEvent


class Progress:
    """A callback that writes to a stream; at most one line every ``every`` seconds, and one for the last sweep."""

    def __init__(self, stream: TextIO | None = None, every: float = 1.0) -> None:
        self.stream = stream
        self.every = every
        self._shown = 0.0
        self._seconds = 0.0

    def __call__(self, event: SweepEvent) -> None:
        """Write the line."""
        # The first sweep brings the documents in and may compile: it says nothing of the others.
        self._seconds += event.seconds if event.iteration > 1 else 0.0
        now = time.perf_counter()
        if event.iteration < event.n_iter and now - self._shown < self.every:
            return
        self._shown = now
        pace = self._seconds / max(event.iteration - 1, 1) or event.seconds
        left = pace * (event.n_iter - event.iteration)
        topics = "-".join(map(str, event.n_topics_per_level))
        rate = event.tokens_per_second / 1e6
        print(
            f"iteration {event.iteration}/{event.n_iter}  topics {topics}  log joint {event.log_joint:,.0f}"
            f"  {rate:.2f} M tokens/s  {left:.0f} s left",
            file=self.stream or sys.stderr,
        )
