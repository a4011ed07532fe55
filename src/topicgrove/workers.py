"""Threads that run a kernel in parallel, without the GIL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from types import TracebackType

import numpy as np

ROWS = 256
"""Words in a thread's block."""

DOCUMENTS = 256
"""Documents in a thread's block."""

LOOK_EVERY = 0.1
"""Seconds between two calls of ``meanwhile``."""


def _wrapping() -> np.errstate:
    """Silence NumPy's overflow warnings: hashes wrap around where kernels run as plain Python."""
    return np.errstate(over="ignore")


def available_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """A fixed number of threads; with one, everything runs in the caller's thread.

    >>> seen = []
    >>> with Workers(2) as workers:
    ...     workers.ranges(5, lambda first, last: seen.append((first, last)), block=3)
    >>> sorted(seen)
    [(0, 3), (3, 5)]
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads, "topicgrove") if n_threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def each(
        self,
        task: Callable[[int], None],
        on_error: Callable[[], None] = lambda: None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """Run ``task(thread)`` in every thread; raise the first exception, if any, when all have ended.

        ``on_error`` is called as soon as one fails, to tell the others to stop. ``meanwhile`` is called in the caller's
        thread now and then until all have ended; never with one thread, which is the caller's own.
        """
        if self._pool is None:
            with _wrapping():
                task(0)
            return

        def guarded(thread: int) -> None:
            try:
                with _wrapping():
                    task(thread)
            except BaseException:
                on_error()
                raise

        futures = [self._pool.submit(guarded, thread) for thread in range(self.n_threads)]
        try:
            while wait(futures, LOOK_EVERY).not_done:
                meanwhile()
        except BaseException:
            on_error()
            wait(futures)
            raise
        for future in futures:
            future.result()

    def ranges(
        self, n: int, task: Callable[[int, int], None], block: int, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Run ``task(first, last)`` for consecutive blocks of ``range(n)``, in any order and thread.

        ``meanwhile`` is called now and then, or after each block if there is one thread.
        """
        if self._pool is None or n <= block:
            with _wrapping():
                for first in range(0, n, block):
                    task(first, min(first + block, n))
                    meanwhile()
            return
        starts = iter(range(0, n, block))
        turn = threading.Lock()

        def run(_: int) -> None:
            while True:
                with turn:
                    first = next(starts, None)
                if first is None:
                    return
                task(first, min(first + block, n))

        self.each(run, meanwhile=meanwhile)
