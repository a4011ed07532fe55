"""Progress during training: which lines appear, how often, and the time left."""

import io
import itertools

import pytest
from numba.core.event import end_event, start_event

from topicgrove import progress as module
from topicgrove.display import Bar, Lines
from topicgrove.progress import COMPILING, Pace, Progress
from topicgrove.reporting import ProgressEvent


class Clock:
    """A clock that moves only when told to."""

    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


class Swept:
    """A SweepEvent whose log joint takes a while on the clock."""

    traffic = None
    tokens_per_second = 3e6

    def __init__(self, iteration, n_iter=4, seconds=2.0, compile_seconds=0.0, clock=None, cost=0.0):
        self.iteration, self.n_iter, self.seconds, self.compile_seconds = iteration, n_iter, seconds, compile_seconds
        self.n_topics_per_level = [1, 3 + iteration]
        self._clock, self._cost = clock, cost

    @property
    def log_joint(self):
        if self._clock is not None:
            self._clock.now += self._cost
        return -float(self.iteration)


def within(n_done, seconds, iteration=1, n_iter=4, n_docs=1000, compile_seconds=0.0):
    return ProgressEvent(iteration, n_iter, n_done, n_docs, seconds, compile_seconds)


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    monkeypatch.setattr(module, "is_warm", lambda: True)


@pytest.mark.parametrize("uptime", [0.0, 0.5, 1e6])
def test_progress_is_a_line_now_and_then_and_one_at_the_end(capsys, uptime):
    clock = Clock()
    progress = Progress(clock=clock)
    for iteration, now in enumerate([0.0, 0.2, 0.9, 0.95], start=1):
        clock.now = uptime + now
        progress(Swept(iteration))
    assert capsys.readouterr().err.splitlines() == [
        "iteration 1/4  2 s left  topics 1-4  log joint -1  3.00 M tokens/s",
        "iteration 4/4  0 s left  topics 1-7  log joint -4  3.00 M tokens/s",
    ]


def test_progress_of_a_resumed_run_knows_its_pace(capsys):
    Progress()(Swept(8, n_iter=10))
    assert capsys.readouterr().err.startswith("iteration 8/10  4 s left ")


def test_a_long_sweep_shows_how_far_it_is_once_a_second(capsys):
    clock = Clock()
    progress = Progress(clock=clock)
    for tenth in range(31):
        clock.now = tenth / 10
        progress.on_progress(within(10 * tenth, seconds=clock.now))
    assert capsys.readouterr().err.splitlines() == [
        "iteration 1/4  100/1,000 documents entered",
        "iteration 1/4  18 s left  200/1,000 documents entered",
        "iteration 1/4  17 s left  300/1,000 documents entered",
    ]


def test_the_end_of_a_long_sweep_is_shown_whatever_was_shown_a_moment_ago(capsys):
    clock = Clock()
    progress = Progress(clock=clock)
    for iteration in (1, 2):
        clock.now += 1.9
        progress.on_progress(within(900, 1.9, iteration))
        clock.now += 0.1
        progress(Swept(iteration, n_iter=4))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["iteration 1/4"] * 2 + ["iteration 2/4"] * 2
    assert lines[2].endswith("900/1,000 documents  topics 1-4")


def test_quick_sweeps_show_no_documents(capsys):
    clock = Clock()
    progress = Progress(clock=clock)
    for iteration in range(1, 20):
        clock.now += 0.4
        progress.on_progress(within(500, 0.2, iteration, n_iter=20))
        progress(Swept(iteration, n_iter=20, seconds=0.4))
    assert "documents" not in capsys.readouterr().err


def test_compilation_is_said_at_once_and_so_is_its_end(capsys, monkeypatch):
    monkeypatch.setattr(module, "is_warm", lambda: False)
    clock = Clock()
    progress = Progress(clock=clock)
    progress.on_progress(within(0, 0.0))
    assert capsys.readouterr().err.splitlines() == [COMPILING]
    clock.now = 15.0
    progress.on_progress(within(0, 0.1, compile_seconds=14.9))
    assert capsys.readouterr().err == ""
    progress.on_progress(within(20, 0.2, compile_seconds=15.2))
    progress(Swept(1, compile_seconds=15.2))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "topicgrove: compiled kernels in 15 s"
    assert lines[1].startswith("iteration 1/4  2 s left")


def test_compiled_kernels_are_not_talked_about(capsys):
    Progress(clock=Clock()).on_progress(within(0, 0.0))
    assert capsys.readouterr().err == ""


def test_the_log_joint_takes_a_small_share_of_the_time(capsys):
    clock = Clock()
    progress = Progress(clock=clock)
    for iteration in range(1, 101):
        clock.now += 2.0
        progress(Swept(iteration, n_iter=100, clock=clock, cost=0.5))
    assert clock.now == pytest.approx(200 + 0.05 * 200, rel=0.1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 100
    assert "log joint -1 " in lines[3]
    assert "log joint -100 " in lines[-1]


def test_compiling_the_log_joint_does_not_make_it_rare(capsys):
    class Compiled(Swept):
        @property
        def log_joint(self):
            if self.iteration == 1:
                start_event("numba:compile")
                self._clock.now += 60.0
                end_event("numba:compile")
            return super().log_joint

    clock = Clock()
    progress = Progress(clock=clock)
    for iteration in (1, 2, 3):
        clock.now += 2.0
        progress(Compiled(iteration, clock=clock, cost=0.05))
    shown = [line.split("  ")[3] for line in capsys.readouterr().err.splitlines()]
    assert shown == ["log joint -1", "log joint -2", "log joint -3"]


class TestPace:
    def test_compilation_does_not_count(self):
        pace = Pace()
        pace.end(Swept(1, n_iter=100, seconds=2.0, compile_seconds=60.0), now=62.0)
        assert pace.left(Swept(1, n_iter=100)) == pytest.approx(99 * 2.0 / 3)
        pace.end(Swept(2, n_iter=100, seconds=1.0, compile_seconds=65.0), now=68.0)
        assert pace.left(Swept(2, n_iter=100)) == pytest.approx(98 * 1.0)

    def test_what_other_callbacks_take_counts(self):
        pace = Pace()
        for iteration in (1, 2, 3):
            pace.end(Swept(iteration, n_iter=10, seconds=1.0), now=1.5 * iteration)
        assert pace.left(Swept(3, n_iter=10)) == pytest.approx(7 * 1.5)

    def test_recent_sweeps_count_most(self):
        pace = Pace()
        ends = itertools.accumulate([5.0] + [3.0] * 31 + [2.0] * 8)
        for iteration, now in enumerate(ends, start=1):
            pace.end(Swept(iteration, n_iter=100), now)
        assert pace.left(Swept(40, n_iter=100)) == pytest.approx(60 * 2.0, rel=0.05)

    def test_in_the_first_sweep_it_is_about_right_after_some_seconds(self):
        """Documents enter at a pace that falls by half while the tree grows; later sweeps take a third of the time."""
        pace, n_done, lefts = Pace(), 0.0, {}
        for tenth in range(1, 600):
            n_done += 10 * (1 - 0.5 * n_done / 3000)
            event = within(min(int(n_done), 3000), tenth / 10, n_iter=10, n_docs=3000)
            lefts[tenth / 10] = pace.left_within(event)
            if n_done >= 3000:
                break
        entered, sweep = tenth / 10, 3000 / 50 / 3
        assert lefts[1.0] is None
        for seconds in (5.0, 20.0, entered - 1):
            assert lefts[seconds] == pytest.approx(entered - seconds + 9 * sweep, rel=0.5)
        assert lefts[entered - 1] == pytest.approx(1 + 9 * sweep, rel=0.3)


def test_a_terminal_has_one_line_that_changes():
    rich_console = pytest.importorskip("rich.console")
    console = rich_console.Console(force_terminal=True, width=120, record=True, file=io.StringIO())
    with Bar(console, "starting") as bar:
        progress = Progress(bar)
        progress(Swept(4))
        bar.say("said")
    text = console.export_text()
    assert "iteration 4/4  0 s left  topics 1-7  log joint -4" in text
    assert "said\n" in text


def test_nobody_has_to_read_it():
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    Progress(Lines(Closed()))(Swept(4))
