"""Progress on standard error: a line that changes on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TextIO

from topicgrove.console import is_terminal, tell

Clock = Callable[[], float]


class Display(Protocol):
    """Where progress is shown; ``every`` is the least time between two lines, in seconds."""

    every: float

    def show(self, text: str, share: float | None = None) -> None:
        """Show a line in place of the last one; ``share`` of the whole is done, if that is known."""

    def say(self, text: str) -> None:
        """Show a line that stays."""


class Lines:
    """Plain lines on a stream."""

    def __init__(self, stream: TextIO | None = None, every: float = 1.0) -> None:
        self.stream = stream
        self.every = every

    def show(self, text: str, share: float | None = None) -> None:
        """Write a line."""
        tell(text, self.stream)

    def say(self, text: str) -> None:
        """Write a line."""
        self.show(text)


class Bar:
    """A line of a terminal with a bar, kept up to date inside a ``with`` block.

    If it is ``transient``, it disappears at the end.
    """

    def __init__(self, console: Any, text: str = "", every: float = 0.5, *, transient: bool = False) -> None:
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        self.every = every
        line = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        self._bar = Progress(BarColumn(20), line, console=console, transient=transient)
        self._task = self._bar.add_task(text, total=None)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        # The terminal may be gone.
        with suppress(OSError):
            self._bar.stop()

    def show(self, text: str, share: float | None = None) -> None:
        """Change the line; the bar moves back and forth while the share is unknown."""
        total = None if share is None else 1.0
        self._bar.update(self._task, completed=share or 0.0, total=total, description=text)

    def say(self, text: str) -> None:
        """Write a line above the bar."""
        with suppress(OSError):
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def displayed(text: str, quiet: bool = False, *, transient: bool = False) -> Iterator[Display | None]:
    """Give a display for standard error, which shows ``text`` first on a terminal; None if ``quiet``."""
    if quiet:
        yield None
    elif not is_terminal():
        yield Lines()
    else:
        from rich.console import Console

        with Bar(Console(stderr=True), text, transient=transient) as bar:
            yield bar
