"""How training goes, on standard error: one line that changes on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from topicgrove.training import Callback, SweepEvent

Clock = Callable[[], float]


class Pace:
    """A line per sweep, with the time that is left."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._n_sweeps = 0

    def add(self, event: SweepEvent) -> None:
        """Take a sweep into account; the first brings the documents in and may compile: it says nothing of others."""
        if event.iteration > 1:
            self._seconds += event.seconds
            self._n_sweeps += 1

    def line(self, event: SweepEvent) -> str:
        """Iteration, time left, topics per level, log joint and rate: narrow terminals cut the end off."""
        pace = self._seconds / self._n_sweeps if self._n_sweeps else event.seconds
        left = pace * (event.n_iter - event.iteration)
        topics = "-".join(map(str, event.n_topics_per_level))
        rate = event.tokens_per_second / 1e6
        line = (
            f"iteration {event.iteration}/{event.n_iter}  {left:.0f} s left  topics {topics}"
            f"  log joint {event.log_joint:,.0f}  {rate:.2f} M tokens/s"
        )
        return line if event.traffic is None else f"{line}  {event.traffic.line(event.seconds)}"


class Progress:
    """A callback that writes to a stream; at most one line every ``every`` seconds, and one for the last sweep."""

    def __init__(self, stream: TextIO | None = None, every: float = 1.0, clock: Clock = time.perf_counter) -> None:
        self.stream = stream
        self.every = every
        self._clock = clock
        self._shown = -math.inf
        self._pace = Pace()

    def __call__(self, event: SweepEvent) -> None:
        """Write the line."""
        self._pace.add(event)
        now = self._clock()
        if event.iteration < event.n_iter and now - self._shown < self.every:
            return
        self._shown = now
        # That nobody reads it any more is no reason to end training.
        with suppress(OSError):
            print(self._pace.line(event), file=self.stream or sys.stderr, flush=True)


class LiveProgress:
    """A callback that keeps a line of a terminal up to date, with a bar."""

    def __init__(self, console: Any, every: float = 0.5, clock: Clock = time.perf_counter) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar
        from rich.table import Column

        text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        self.bar = Bar(BarColumn(20), text, console=console)
        self.every = every
        self._task = self.bar.add_task("the first sweep brings the documents in", total=None)
        self._clock = clock
        self._shown = -math.inf
        self._pace = Pace()

    def __call__(self, event: SweepEvent) -> None:
        """Bring the line up to date."""
        self._pace.add(event)
        now = self._clock()
        if event.iteration < event.n_iter and now - self._shown < self.every:
            return
        self._shown = now
        line = self._pace.line(event)
        self.bar.update(self._task, completed=event.iteration, total=event.n_iter, description=line)


@contextmanager
def shown(quiet: bool = False) -> Iterator[list[Callback]]:
    """Callbacks that show how training goes; none if the user wants none."""
    if quiet:
        yield []
    elif not sys.stderr.isatty():
        yield [Progress()]
    else:
        from rich.console import Console

        live = LiveProgress(Console(stderr=True))
        live.bar.start()
        try:
            yield [live]
        finally:
            # The terminal may be gone.
            with suppress(OSError):
                live.bar.stop()
