"""Progress within a sweep, for callbacks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from topicgrove.kernels.numba_private import Listener, install_listener

Clock = Callable[[], float]

EVERY = 0.1
"""Least time between two events, in seconds."""


@dataclass(frozen=True)
class ProgressEvent:
    """The progress of a sweep, given to the method ``on_progress`` of callbacks a few times a second.

    The method is optional. The sampler is at work meanwhile, so an event holds numbers only. In a run of
    several processes, documents are those of the process itself.

    Parameters
    ----------
    iteration : int
        The sweep that runs, from 1.
    n_iter : int
        Sweeps of the run.
    n_done : int
        Documents drawn in this sweep so far. In the first sweep, these are the documents that have entered the tree.
    n_docs : int
        Documents of a sweep.
    seconds : float
        Time of this sweep so far, without compilation.
    compile_seconds : float
        Time that this run has spent on compilation.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove import HierarchicalLDA
    >>> class Entering:
    ...     def __call__(self, event):
    ...         print(f"sweep {event.iteration} is over")
    ...     def on_progress(self, event):
    ...         assert event.n_done <= event.n_docs
    >>> model = HierarchicalLDA(2, n_iter=2, random_state=0, callbacks=[Entering()]).fit(np.eye(4, dtype=int))
    sweep 1 is over
    sweep 2 is over
    """

    iteration: int
    n_iter: int
    n_done: int
    n_docs: int
    seconds: float
    compile_seconds: float = 0.0

    @property
    def share(self) -> float:
        """Share of the sweep's documents that are done."""
        return self.n_done / max(self.n_docs, 1)


class CompileTimer(Listener):
    """A clock of compilation in all threads. Loading a kernel from the cache counts as no time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._depth = 0
        self._started = 0.0
        self._seconds = 0.0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Measure inside the block."""
        with install_listener("numba:compile", self):
            yield

    @property
    def seconds(self) -> float:
        """Time of all compilations, the running one included."""
        return self._seconds + (self._clock() - self._started if self._depth > 0 else 0.0)

    # Numba holds its lock meanwhile, so events of two threads don't mix. A kernel's parts are compiled inside it.
    def on_start(self, event: Any) -> None:
        """Note that a compilation begins."""
        if self._depth == 0:
            self._started = self._clock()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Note that a compilation ends."""
        if self._depth == 1:
            self._seconds += self._clock() - self._started
        self._depth -= 1


class Reporter:
    """The sender of progress events to callbacks that have a method ``on_progress``."""

    def __init__(self, callbacks: Iterable[object], n_iter: int, n_docs: int, clock: Clock = time.perf_counter) -> None:
        self.compilation = CompileTimer(clock)
        self._listeners = [callback.on_progress for callback in callbacks if hasattr(callback, "on_progress")]
        self._n_iter = n_iter
        self._n_docs = n_docs
        self._clock = clock
        self._iteration = 0
        self._started = self._compiled_before = 0.0
        self._told = -math.inf
        self._n_done = 0

    def begin(self, iteration: int) -> None:
        """Note that a sweep begins."""
        self._iteration, self._n_done = iteration, 0
        self._started, self._compiled_before = self._clock(), self.compilation.seconds
        self.advance(0)

    @property
    def seconds(self) -> float:
        """Time since the sweep began, without compilation."""
        return self._clock() - self._started - (self.compilation.seconds - self._compiled_before)

    def advance(self, n_done: int) -> None:
        """Report the documents drawn in this sweep, unless the last report was a moment ago.

        Where documents are placed before they are drawn, they count twice; reported numbers never decrease.
        """
        self._n_done = max(self._n_done, min(n_done, self._n_docs))
        now = self._clock()
        if not self._listeners or now - self._told < EVERY:
            return
        self._told = now
        event = ProgressEvent(
            self._iteration, self._n_iter, self._n_done, self._n_docs, self.seconds, self.compilation.seconds
        )
        for listener in self._listeners:
            listener(event)
