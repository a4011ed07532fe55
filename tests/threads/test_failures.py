"""Errors, interrupts and other threads: every failure reaches the caller, and nothing hangs."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import topicgrove.sweeps
from topicgrove import HierarchicalLDA
from topicgrove.training import SweepEvent
from topicgrove.workers import Workers

Mixture = Callable[..., NDArray[np.int64]]

PATIENCE = 300.0


def model_of(n_jobs: int, **options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"beta": 0.1, "gamma": 1.0, "n_iter": 6, "random_state": 3}
    return HierarchicalLDA(3, n_jobs=n_jobs, **(settings | options))


def outcome(task: Callable[[], object]) -> BaseException | None:
    """The exception that a task ends with, run in a thread that is given up after a while."""
    raised: list[BaseException | None] = [None]

    def run() -> None:
        try:
            task()
        except BaseException as error:
            raised[0] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the fit hangs"
    return raised[0]


def worker_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("topicgrove")]


def run_python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
@pytest.mark.parametrize("failing_call", [1, 2, 9])
def test_a_workers_exception_reaches_the_caller(
    mixture: Mixture, monkeypatch: pytest.MonkeyPatch, n_jobs: int, failing_call: int
) -> None:
    calls = 0
    turn = threading.Lock()
    sweep = topicgrove.sweeps.sweep

    def sometimes_failing(*arguments: Any) -> None:
        nonlocal calls
        with turn:
            calls += 1
            number = calls
        if number == failing_call:
            raise RuntimeError("a worker failed")
        sweep(*arguments)

    monkeypatch.setattr(topicgrove.sweeps, "sweep", sometimes_failing)
    error = outcome(lambda: model_of(n_jobs).fit(mixture()))
    assert isinstance(error, RuntimeError)
    assert str(error) == "a worker failed"
    assert worker_threads() == []


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError])
def test_an_exception_in_a_callback_reaches_the_caller(
    mixture: Mixture, kind: type[BaseException], n_jobs: int
) -> None:
    def interrupt(event: SweepEvent) -> None:
        if event.iteration == 3:
            raise kind("enough")

    model = model_of(n_jobs, callbacks=[interrupt])
    with pytest.raises(kind, match="enough"):
        model.fit(mixture())
    assert model.history_[-1]["iteration"] == 3  # the model of the last sweep stays
    assert worker_threads() == []


def test_a_model_can_be_fitted_after_an_interrupt(mixture: Mixture) -> None:
    def interrupt(event: SweepEvent) -> None:
        raise KeyboardInterrupt

    X = mixture()
    with pytest.raises(KeyboardInterrupt):
        model_of(2, callbacks=[interrupt]).fit(X)
    assert model_of(2).fit(X).paths_.shape == (len(X), 3)


def test_fits_in_two_threads_give_what_they_give_alone(mixture: Mixture) -> None:
    corpora = [mixture(seed=seed) for seed in (1, 2)]
    alone = [model_of(1).fit(X) for X in corpora]
    together = [model_of(1), model_of(1)]
    threads = [threading.Thread(target=model.fit, args=[X]) for model, X in zip(together, corpora, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.paths_, other.paths_)
        np.testing.assert_array_equal(one.token_levels_, other.token_levels_)


def test_fits_with_several_threads_each_run_side_by_side(mixture: Mixture) -> None:
    models = [model_of(3), model_of(3)]
    X = mixture()
    errors: list[BaseException | None] = []
    threads = [
        threading.Thread(target=lambda m=model: errors.append(outcome(lambda: m.fit(X))))  # type: ignore[misc]
        for model in models
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * PATIENCE)
    assert errors == [None, None]
    assert all(int(model.topic_word_counts_.sum()) == X.sum() for model in models)


def test_import_and_fit_in_a_thread_work() -> None:
    done = run_python("""
import threading
def task():
    import numpy as np
    from topicgrove import HierarchicalLDA
    model = HierarchicalLDA(2, gamma=1.0, n_iter=2, n_jobs=2, random_state=0).fit(np.eye(6, dtype=int) * 3)
    print(model.paths_.shape)
thread = threading.Thread(target=task)
thread.start()
thread.join(250)
""")
    assert (done.returncode, done.stdout) == (0, "(6, 2)\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_can_fit_after_its_parent_used_threads() -> None:
    done = run_python("""
import os, sys, warnings
import numpy as np
from topicgrove import HierarchicalLDA
X = np.eye(12, dtype=int) * 3
model = HierarchicalLDA(2, gamma=1.0, n_iter=2, n_jobs=2, random_state=0).fit(X)
warnings.simplefilter("ignore")
child = os.fork()
if child == 0:
    os._exit(HierarchicalLDA(2, gamma=1.0, n_iter=2, n_jobs=2, random_state=0).fit(X).paths_.shape != (12, 2))
print(os.waitpid(child, 0)[1])
""")
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_from_the_keyboard_ends_a_running_fit(n_jobs: int) -> None:
    """The signal comes in the middle of a fit that would take hours."""
    done = run_python(f"""
import os, signal, threading, time
import numpy as np
from topicgrove import HierarchicalLDA
X = np.random.default_rng(0).poisson(0.5, (2000, 500))
def start(event):
    if event.iteration == 2:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
model = HierarchicalLDA(3, n_iter=10**6, n_jobs={n_jobs}, random_state=0, callbacks=[start])
try:
    model.fit(X)
except KeyboardInterrupt:
    print("interrupted", threading.active_count() <= 2, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
""")
    assert done.stdout == "interrupted True True\n", done.stderr


class TestWorkers:
    def test_every_block_of_a_range_is_done_once(self) -> None:
        seen: list[int] = []
        with Workers(4) as workers:
            workers.ranges(1_000, lambda first, last: seen.extend(range(first, last)), block=7)
        assert sorted(seen) == list(range(1_000))

    def test_an_exception_in_a_block_reaches_the_caller(self) -> None:
        def fail(first: int, last: int) -> None:
            if first == 21:
                raise OSError("block 21")

        with Workers(4) as workers, pytest.raises(OSError, match="block 21"):
            workers.ranges(1_000, fail, block=7)

    def test_others_are_told_to_stop_when_one_fails(self) -> None:
        stop = threading.Event()

        def task(thread: int) -> None:
            if thread == 1:
                raise RuntimeError("first")
            assert stop.wait(PATIENCE)

        with Workers(3) as workers, pytest.raises(RuntimeError, match="first"):
            workers.each(task, on_error=stop.set)

    def test_one_thread_is_the_callers_own(self) -> None:
        seen: list[int] = []
        with Workers(1) as workers:
            workers.each(lambda thread: seen.append(threading.get_ident()))
        assert seen == [threading.get_ident()]
