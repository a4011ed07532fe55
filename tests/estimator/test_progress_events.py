"""Events that callbacks receive while a sweep runs."""

import threading
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

import topicgrove.sweeps
from topicgrove import HierarchicalLDA, ProgressEvent, SweepEvent, reporting, workers
from topicgrove.reporting import CompileTimer, Reporter

Counts = NDArray[np.int64]


class Listener:
    """A callback that remembers everything it is told, in order."""

    def __init__(self) -> None:
        self.told: list[ProgressEvent | SweepEvent] = []

    def __call__(self, event: SweepEvent) -> None:
        self.told.append(event)

    def on_progress(self, event: ProgressEvent) -> None:
        self.told.append(event)

    def within(self, iteration: int) -> list[int]:
        """Documents done, as told in a sweep."""
        return [e.n_done for e in self.told if isinstance(e, ProgressEvent) and e.iteration == iteration]


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every event is passed on, however fast training is."""
    monkeypatch.setattr(reporting, "EVERY", 0.0)
    monkeypatch.setattr(topicgrove.sweeps, "PIECE_TOKENS", 64)


def fitted(counts: Counts, callback: Any = None, **options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.2, "gamma": 1.0, "n_iter": 3, "random_state": 1}
    return HierarchicalLDA(**(settings | options), callbacks=[callback] if callback else []).fit(counts)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_documents_are_told_while_they_enter(counts: Counts, sampler: str, n_jobs: int) -> None:
    listener = Listener()
    fitted(counts, listener, sampler=sampler, n_jobs=n_jobs, batch_size=10, init="monte_carlo")
    entered = listener.within(1)
    assert entered == sorted(entered)
    assert set(entered) >= {0, 10, 20, len(counts)}


def test_one_thread_tells_how_far_a_sweep_is(counts: Counts) -> None:
    listener = Listener()
    fitted(counts, listener, n_jobs=1)
    done = listener.within(3)
    assert done == sorted(done)
    assert len(set(done)) > 5
    assert (done[0], done[-1]) == (0, len(counts))


def test_several_threads_are_asked_how_far_they_are(counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads wait for the main thread to look: in a sweep as short as this one it would not."""
    monkeypatch.setattr(workers, "LOOK_EVERY", 0.001)
    looked = threading.Event()
    sweep = topicgrove.sweeps.sweep

    def slow(*arguments: Any) -> None:
        sweep(*arguments)
        assert looked.wait(60)

    class Looking(Listener):
        def on_progress(self, event: ProgressEvent) -> None:
            super().on_progress(event)
            assert threading.current_thread() is threading.main_thread()
            if event.n_done > 0:
                looked.set()

    monkeypatch.setattr(topicgrove.sweeps, "sweep", slow)
    listener = Looking()
    fitted(counts, listener, n_jobs=2, n_iter=1, init="none")
    assert looked.is_set()
    assert max(listener.within(1)) == len(counts)


def test_the_end_of_a_sweep_follows_what_is_told_within(counts: Counts) -> None:
    listener = Listener()
    fitted(counts, listener, refine=True, init_iterations=0, n_iter=6)
    iterations = [event.iteration for event in listener.told]
    assert iterations == sorted(iterations)
    for event, following in zip(listener.told, listener.told[1:], strict=False):
        assert isinstance(event, SweepEvent) == (following.iteration > event.iteration)


def test_listening_does_not_change_the_result(counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    listened = fitted(counts, Listener())
    monkeypatch.setattr(topicgrove.sweeps, "PIECE_TOKENS", 1 << 30)
    whole = fitted(counts)
    assert_array_equal(listened.paths_, whole.paths_)
    assert_array_equal(listened.token_levels_, whole.token_levels_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_exception_while_a_sweep_runs_reaches_the_caller(counts: Counts, n_jobs: int) -> None:
    class Raising(Listener):
        def on_progress(self, event: ProgressEvent) -> None:
            if event.iteration == 2 and event.n_done > 0:
                raise RuntimeError("seen enough")

    with pytest.raises(RuntimeError, match="seen enough"):
        fitted(counts, Raising(), n_jobs=n_jobs)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("topicgrove")]


def test_events_come_a_few_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "EVERY", 1 / 8)
    now = 0.0
    listener = Listener()
    reporter = Reporter([listener, print], n_iter=1, n_docs=500, clock=lambda: now)
    reporter.begin(1)
    for n_done in range(1, 1025):
        now = n_done / 1024
        reporter.advance(n_done)
    assert len(listener.told) == 9
    assert listener.within(1)[-1] == 500


def test_compilation_is_not_part_of_a_sweeps_seconds() -> None:
    now = 0.0

    class Kernel:
        """Make compilation take the given time on the clock."""

        def __init__(self, timer: CompileTimer) -> None:
            self.timer = timer

        def compile(self, seconds: float, part: float = 0.0) -> None:
            nonlocal now
            self.timer.on_start(None)
            if part:
                self.compile(part)
            now += seconds
            self.timer.on_end(None)

    reporter = Reporter([], n_iter=2, n_docs=5, clock=lambda: now)
    kernel = Kernel(reporter.compilation)
    reporter.begin(1)
    kernel.compile(10.0, part=5.0)
    now += 2.0
    assert (reporter.seconds, reporter.compilation.seconds) == (2.0, 15.0)
    kernel.compile(1.0)
    reporter.begin(2)
    now += 3.0
    assert (reporter.seconds, reporter.compilation.seconds) == (3.0, 16.0)


def test_numba_tells_when_it_compiles() -> None:
    ticks = iter(range(100))
    timer = CompileTimer(lambda: float(next(ticks)))
    function = njit(lambda x: x + 1)
    with timer.installed():
        assert function(1) == 2
        compiled = timer.seconds
        assert function(2) == 3
    assert compiled == timer.seconds > 0
