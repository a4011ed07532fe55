"""Progress of training on standard error."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager

from topicgrove.display import Clock, Display, Lines, displayed
from topicgrove.kernels.cache import is_warm
from topicgrove.reporting import CompileTimer, ProgressEvent
from topicgrove.training import Callback, SweepEvent

COMPILING = "topicgrove: compiling kernels, once after an installation"

LONG_SWEEP = 1.0
"""Seconds after which a sweep shows how far it is."""

SETTLED = 2.0
"""Seconds after which the pace of the first sweep is meaningful."""

ENTERING = 3.0
"""How much longer a document takes when it enters, since topics are refreshed after every batch: measured, 2 to 5."""

JOINT_SHARE = 0.05
"""Largest share of the time for computing the log joint, without compilation; until then the last value is shown."""

LAST_SWEEP = 0.3
"""Weight of the last sweep in the mean: sweeps get longer while the tree grows, and shorter after the early phase."""


class Pace:
    """Estimates of the time left, from recent sweeps or, in the first one, from the second half of its documents."""

    def __init__(self) -> None:
        self._sweep: float | None = None
        self._is_measured = False
        self._ended: tuple[float, float] | None = None
        self._marks: list[tuple[float, int]] = []

    def end(self, event: SweepEvent, now: float) -> None:
        """Count a whole sweep, including callbacks since the last one, but without compilation."""
        seconds = event.seconds
        if self._ended is not None:
            ended, compiled = self._ended
            seconds = now - ended - (event.compile_seconds - compiled)
        self._ended = now, event.compile_seconds
        self._marks.clear()
        if event.iteration == 1:
            self._sweep = self._sweep or seconds / ENTERING
        elif self._sweep is None or not self._is_measured:
            self._sweep, self._is_measured = seconds, True
        else:
            self._sweep += LAST_SWEEP * (seconds - self._sweep)

    def left(self, event: SweepEvent) -> float:
        """Return the seconds left after a sweep."""
        return (self._sweep or 0.0) * (event.n_iter - event.iteration)

    def left_within(self, event: ProgressEvent) -> float | None:
        """Return the seconds left in the middle of a sweep; None while unknown."""
        slower = ENTERING if event.iteration == 1 else 1.0
        if not self._is_measured:
            extrapolated = self._extrapolated(event)
            self._sweep = self._sweep if extrapolated is None else extrapolated / slower
        if self._sweep is None:
            return None
        return self._sweep * (event.n_iter - event.iteration + slower * (1 - event.share))

    def _extrapolated(self, event: ProgressEvent) -> float | None:
        """Return the seconds for all documents at the pace of the second half of those done."""
        self._marks.append((event.seconds, event.n_done))
        half = bisect_left(self._marks, event.n_done / 2, key=lambda mark: mark[1])
        seconds, n_docs = event.seconds - self._marks[half][0], event.n_done - self._marks[half][1]
        return seconds * event.n_docs / n_docs if event.seconds >= SETTLED and n_docs > 0 else None


class Progress:
    """A callback that shows a line for some sweeps and the last one, and the progress of a long sweep."""

    def __init__(self, display: Display | None = None, clock: Clock = time.perf_counter) -> None:
        self._display = display or Lines()
        self._clock = clock
        self._pace = Pace()
        self._shown = self._swept = -math.inf
        self._topics = ""
        self._log_joint = math.nan
        self._next_log_joint = -math.inf
        self._is_compiling: bool | None = None

    def __call__(self, event: SweepEvent) -> None:
        """Show a sweep that has ended."""
        now = self._clock()
        self._pace.end(event, now)
        self._say_compiled(event.compile_seconds)
        # Compared with the last sweep shown: a line about progress within this one does not count.
        if event.iteration == event.n_iter or now - self._swept >= self._display.every:
            self._shown = self._swept = now
            self._display.show(self._line(event), event.iteration / event.n_iter)

    def on_progress(self, event: ProgressEvent) -> None:
        """Show the progress of a sweep."""
        if event.n_done == 0:
            self._say_compiling()
        else:
            self._say_compiled(event.compile_seconds)
        left = self._pace.left_within(event)
        now = self._clock()
        if event.seconds >= LONG_SWEEP and now - self._shown >= self._display.every:
            self._shown = now
            entered = " entered" if event.iteration == 1 else ""
            parts = [
                f"iteration {event.iteration}/{event.n_iter}",
                "" if left is None else f"{left:.0f} s left",
                f"{event.n_done:,}/{event.n_docs:,} documents{entered}",
                self._topics,
            ]
            share = (event.iteration - 1 + event.share) / event.n_iter
            self._display.show("  ".join(filter(None, parts)), share)

    def _line(self, event: SweepEvent) -> str:
        """Iteration, time left, topics per level, log joint and rate.

        In this order, as narrow terminals cut off the end.
        """
        self._topics = f"topics {'-'.join(map(str, event.n_topics_per_level))}"
        line = (
            f"iteration {event.iteration}/{event.n_iter}  {self._pace.left(event):.0f} s left  {self._topics}"
            f"  log joint {self._known_log_joint(event):,.0f}  {event.tokens_per_second / 1e6:.2f} M tokens/s"
        )
        return line if event.traffic is None else f"{line}  {event.traffic.line(event.seconds)}"

    def _known_log_joint(self, event: SweepEvent) -> float:
        started = self._clock()
        if event.iteration == event.n_iter or started >= self._next_log_joint:
            compilation = CompileTimer(self._clock)
            with compilation.installed():
                self._log_joint = event.log_joint
            self._next_log_joint = started + (self._clock() - started - compilation.seconds) / JOINT_SHARE
        return self._log_joint

    def _say_compiling(self) -> None:
        if self._is_compiling is None:
            self._is_compiling = not is_warm()
            if self._is_compiling:
                self._display.say(COMPILING)

    def _say_compiled(self, seconds: float) -> None:
        if self._is_compiling:
            self._is_compiling = False
            self._display.say(f"topicgrove: compiled kernels in {seconds:.0f} s")


@contextmanager
def shown(quiet: bool = False) -> Iterator[list[Callback]]:
    """Give callbacks that show the progress of training; none if ``quiet``."""
    with displayed("starting", quiet) as display:
        yield [] if display is None else [Progress(display)]
