"""Progress of a command's stages on standard error: documents, speed, and remaining time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicgrove.corpus.stages import StageEvent
    from topicgrove.display import Clock, Display


class StageProgress:
    """The progress of a stage, shown now and then, and at its end if it was shown before."""

    def __init__(self, display: Display | None, clock: Clock = time.perf_counter) -> None:
        self._display = display
        self._clock = clock
        self._shown = clock()
        self._first: tuple[float, StageEvent] | None = None
        self._last: StageEvent | None = None
        self._is_shown = False

    def on_stage(self, event: StageEvent) -> None:
        """Show a stage if it is time."""
        if self._display is None:
            return
        now = self._clock()
        if self._first is None or event.stage != self._first[1].stage:
            self.end()
            self._first = now, event
        self._last = event
        if now - self._shown >= self._display.every:
            self._show(event)

    def end(self) -> None:
        """Show the end of a stage, if it was shown before."""
        if self._is_shown and self._last is not None:
            self._show(self._last)
        self._is_shown, self._last = False, None

    def _show(self, event: StageEvent) -> None:
        assert self._display is not None
        self._shown, self._is_shown, self._last = self._clock(), True, None
        self._display.show("  ".join(self._parts(event)), event.share)

    def _parts(self, event: StageEvent) -> Iterator[str]:
        assert self._first is not None
        started, first = self._first
        seconds = self._shown - started
        yield event.stage
        yield f"{event.n_docs:,} documents"
        if event.n_bytes:
            yield f"{event.n_bytes / 1e6:,.0f} MB"
            n_bytes = event.n_bytes - first.n_bytes
            if n_bytes > 0 and seconds > 0:
                yield f"{n_bytes / 1e6 / seconds:,.1f} MB/s"
        if event.share is not None:
            yield f"{event.share:.0%}"
            done = event.share - (first.share or 0.0)
            if done > 0:
                yield f"{seconds * (1 - event.share) / done:.0f} s left"


@contextmanager
def stages(text: str, quiet: bool = False) -> Iterator[StageProgress]:
    """Show the progress of stages inside the block; a terminal shows ``text`` at first, and nothing afterwards."""
    from topicgrove.display import displayed
    from topicgrove.tree.outline import escape

    with displayed(escape(text), quiet, transient=True) as display:
        progress = StageProgress(display)
        yield progress
        progress.end()
