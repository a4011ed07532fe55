"""Ctrl-C and SIGTERM during training, other threads and processes, and too little memory."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from topicgrove import HierarchicalLDA, fitting
from topicgrove.interrupts import Terminated
from topicgrove.sweeps import Sweeper
from topicgrove.training import Trainer

Counts = NDArray[np.int64]


def make_model(**options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"n_levels": 3, "beta": 0.2, "gamma": 0.5, "n_iter": 12, "random_state": 1}
    return HierarchicalLDA(**(settings | options))


def send(*numbers: int, at: int = 4) -> Callable[[Any], None]:
    """A callback that sends signals to this process after a sweep."""

    def callback(event: Any) -> None:
        if event.iteration == at:
            for number in numbers:
                os.kill(os.getpid(), number)

    return callback


def handlers() -> list[Any]:
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]


@pytest.mark.parametrize(
    ("number", "kind"),
    [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated), (signal.SIGHUP, Terminated)],
)
@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_signal_ends_training_and_leaves_a_usable_model(
    counts: Counts, number: int, kind: type[BaseException], sampler: str, n_jobs: int
) -> None:
    before = handlers()
    model = make_model(sampler=sampler, n_jobs=n_jobs, callbacks=[send(number)])
    with pytest.raises(kind) as caught:
        model.fit(counts)
    assert caught.type is kind
    assert handlers() == before
    assert len(model.history_) == 4
    model.tree_.check()
    assert model.transform(counts).shape == (len(counts), len(model.tree_))
    assert np.isfinite(model.log_joint_)


def test_the_user_is_told(counts: Counts, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        make_model(callbacks=[send(signal.SIGINT)]).fit(counts)
    assert "stopping after this sweep" in capsys.readouterr().err


def test_nobody_has_to_listen(counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def write(self, text: str) -> int:
            raise BrokenPipeError

        def flush(self) -> None:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed())
    model = make_model(callbacks=[send(signal.SIGINT)])
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    model.tree_.check()


def test_what_was_interrupted_is_the_beginning_of_the_whole_run(counts: Counts) -> None:
    model = make_model(callbacks=[send(signal.SIGINT)])
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    seen: dict[int, Any] = {}
    make_model(callbacks=[lambda event: seen.setdefault(event.iteration, event.token_levels)]).fit(counts)
    assert_array_equal(model.token_levels_, seen[4])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_last_checkpoint_is_written_and_resumed(counts: Counts, tmp_path: Path, number: int) -> None:
    options: dict[str, Any] = {"checkpoint": tmp_path / "run", "checkpoint_every": 100, "min_docs": 3}
    with pytest.raises(KeyboardInterrupt):
        make_model(callbacks=[send(number, at=5)], **options).fit(counts)
    resumed = HierarchicalLDA.resume(tmp_path / "run")
    straight = make_model(min_docs=3).fit(counts)
    assert_array_equal(resumed.paths_, straight.paths_)
    assert_array_equal(resumed.token_levels_, straight.token_levels_)


def test_a_signal_before_the_first_sweep_leaves_the_estimator_unfitted(
    counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No document is in the tree yet, so no model can be made."""
    original = Trainer.run

    def late(trainer: Trainer, callbacks: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        original(trainer, callbacks)

    monkeypatch.setattr(Trainer, "run", late)
    model = make_model()
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    assert not hasattr(model, "tree_")


def test_a_second_ctrl_c_is_obeyed_at_once(counts: Counts) -> None:
    reached: list[int] = []

    def after(event: Any) -> None:
        reached.append(event.iteration)

    model = make_model(callbacks=[send(signal.SIGINT, signal.SIGINT), after])
    before = handlers()
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    assert reached == [1, 2, 3]
    assert handlers() == before


@pytest.mark.parametrize("kind", [ValueError, MemoryError, RuntimeError, OSError, KeyboardInterrupt, SystemExit])
def test_whatever_a_callback_raises_leaves_the_model_of_the_last_sweep(
    counts: Counts, kind: type[BaseException]
) -> None:
    def fail(event: Any) -> None:
        if event.iteration == 4:
            raise kind("enough")

    model = make_model(callbacks=[fail])
    with pytest.raises(kind, match="enough"):
        model.fit(counts)
    assert len(model.history_) == 4
    assert_array_equal(model.paths_, make_model(n_iter=4).fit(counts).paths_)


@pytest.mark.parametrize("kind", [ValueError, OSError, KeyboardInterrupt])
def test_whatever_ends_a_sweep_half_way_leaves_the_estimator_as_it_was(
    counts: Counts, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    model = make_model(n_iter=3).fit(counts)
    before = model.tree_

    def fail(*arguments: Any, **options: Any) -> None:
        raise kind("enough")

    monkeypatch.setattr(Sweeper, "sweep", fail)
    with pytest.raises(kind, match="enough"):
        model.fit(counts)
    assert model.tree_ is before


def test_a_sweep_that_was_cut_short_leaves_no_model(counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the second Ctrl-C the state may be anything: better the previous model than a broken one."""
    sweep = Sweeper.sweep

    def cut_short(self: Sweeper, order: Any, iteration: int, **options: Any) -> None:
        sweep(self, order, iteration, **options)
        if iteration == 5:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Sweeper, "sweep", cut_short)
    model = make_model()
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    assert not hasattr(model, "tree_")


def test_a_resumed_sweep_that_was_cut_short_leaves_no_model(
    counts: Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_model(n_iter=4, checkpoint=tmp_path / "run").fit(counts)
    kept: list[Any] = []
    monkeypatch.setattr(fitting, "keep_run", lambda *arguments: kept.append(arguments))

    def fail(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Sweeper, "sweep", fail)
    with pytest.raises(KeyboardInterrupt):
        HierarchicalLDA.resume(tmp_path / "run", n_iter=8)
    assert kept == []


def test_a_programs_own_handlers_are_left_alone(counts: Counts) -> None:
    seen: list[int] = []
    before = handlers()
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        model = make_model(callbacks=[send(signal.SIGINT, signal.SIGTERM)]).fit(counts)
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])
    assert seen == [signal.SIGINT]
    assert len(model.history_) == 12


def test_handlers_come_back_after_an_error(counts: Counts) -> None:
    def fail(event: Any) -> None:
        raise RuntimeError("enough")

    before = handlers()
    with pytest.raises(RuntimeError, match="enough"):
        make_model(callbacks=[fail]).fit(counts)
    assert handlers() == before


def test_a_fit_in_another_thread_is_the_same(counts: Counts) -> None:
    model = make_model()
    thread = threading.Thread(target=model.fit, args=[counts])
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert_array_equal(model.paths_, make_model().fit(counts).paths_)


def run_python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=300)


def test_memory_that_does_not_suffice_is_an_exception() -> None:
    done = run_python("""
import resource
import numpy as np
from scipy import sparse
from topicgrove import HierarchicalLDA, checks
checks.check_fits = lambda *claims: None  # as if the claim were not seen before
small = HierarchicalLDA(2, n_iter=2, random_state=0)
small.fit([[1, 2], [2, 1]])
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, resource.RLIM_INFINITY))
try:
    HierarchicalLDA(n_iter=2).fit(sparse.csr_array(([1], ([0], [0])), shape=(1, 10**9)))
except MemoryError:
    print("refused", small.fit([[1, 2], [2, 1]]).paths_.shape)
""")
    assert (done.returncode, done.stdout) == (0, "refused (2, 2)\n"), done.stderr


def test_a_spawned_process_can_fit_and_send_the_model_back(counts: Counts) -> None:
    done = run_python(f"""
import multiprocessing, pickle
model, X = pickle.loads({pickle.dumps((make_model(), counts))!r})
with multiprocessing.get_context("spawn").Pool(1) as pool:
    there = pool.apply(model.fit, [X])
print((there.paths_ == model.fit(X).paths_).all())
""")
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
