"""A rank that raises an exception, or is stopped for a while."""

import os
import re
import signal
import time

import pytest

import topicgrove

from .jobs import allowed, check_nothing_is_lost, failing, fit_arguments, mpiexec

N_ITER = 8


@pytest.mark.parametrize(
    ("phase", "error", "code"),
    [
        ("exchange of payloads", ZeroDivisionError, 1),
        pytest.param("sampling", ValueError, 2, marks=pytest.mark.slow),
        pytest.param("sum of counts", MemoryError, 74, marks=pytest.mark.slow),
    ],
)
def test_exception_on_one_rank_ends_the_job_with_its_code(launch, store, tmp_path, phase, error, code):
    job = launch(*mpiexec(2), *failing(tmp_path, phase, how=error), *fit_arguments(store, tmp_path))
    failed, _ = job.wait_for_failure()
    assert job.seconds_to_end(failed) < allowed(5)
    assert job.end() == code
    assert "topicgrove: error: rank 1 on " in job.text
    assert "made for a test" in job.text
    assert ("Traceback" in job.text) == (code == 1)


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_checkpoint_that_one_rank_cannot_write_ends_the_job_with_one_message(launch, store, tmp_path, rank):
    command = failing(tmp_path, "half-written checkpoint", rank=rank, how=OSError)
    job = launch(*mpiexec(2), *command, *fit_arguments(store, tmp_path))
    assert job.end() == 74, job.text
    assert f"topicgrove: error: {'rank 1 on ' if rank else 'made for a test'}" in job.text
    assert job.text.count("made for a test") == 1
    assert "Traceback" not in job.text
    assert job.last_iteration() == 4
    assert len(topicgrove.load(tmp_path / "model.grove").history_) == 6
    check_nothing_is_lost(job, N_ITER)


@pytest.mark.parametrize(
    ("rank", "phase", "error"),
    [
        (1, "sampling", ZeroDivisionError),
        pytest.param(0, "refresh", ValueError, marks=pytest.mark.slow),
        pytest.param(1, "exchange of payloads", MemoryError, marks=pytest.mark.slow),
    ],
)
def test_exception_on_one_rank_of_a_python_program_ends_the_job(launch, store, tmp_path, rank, phase, error):
    checkpoints = tmp_path / "checkpoints"
    job = launch(*mpiexec(3), *failing(tmp_path, phase, rank=rank, how=error), "in-python", store, checkpoints)
    failed, _ = job.wait_for_failure()
    assert job.seconds_to_end(failed) < allowed(2)
    assert job.end() == 1
    assert "Traceback" in job.text
    name = error.__name__
    assert re.search(f"topicgrove: error: rank {rank} on .*: {name}: made for a test, in iteration 5; go on", job.text)
    assert f"go on from the checkpoint of iteration 4 in {checkpoints}" in job.text
    assert job.text.count("topicgrove: error") == 1


def test_exception_that_a_python_program_raises_on_one_rank_itself_ends_the_job(launch, store, tmp_path):
    command = failing(tmp_path, "own code", iteration=0, how=ZeroDivisionError)
    job = launch(*mpiexec(2), *command, "in-python", store, tmp_path / "checkpoints")
    failed, _ = job.wait_for_failure()
    assert job.seconds_to_end(failed) < allowed(2)
    assert job.end() == 1
    assert "Traceback" in job.text
    assert re.search("topicgrove: error: rank 1 on .*: ZeroDivisionError: made for a test", job.text)


@pytest.mark.slow
def test_stopped_rank_is_waited_for(launch, store, tmp_path):
    command = failing(tmp_path, "sampling", how=signal.SIGSTOP)
    job = launch(*mpiexec(3), *command, *fit_arguments(store, tmp_path, iterations=N_ITER, watchdog=60))
    _, pid = job.wait_for_failure()
    time.sleep(30)
    assert job.process.poll() is None, "the others wait"
    assert job.last_iteration() == 4
    os.kill(pid, signal.SIGCONT)
    assert job.end() == 0, job.text
    assert job.last_iteration() == N_ITER


@pytest.mark.slow
def test_rank_stopped_for_longer_than_the_watchdog_is_lost(launch, store, tmp_path):
    command = failing(tmp_path, "sampling", how=signal.SIGSTOP)
    job = launch(*mpiexec(3), *command, *fit_arguments(store, tmp_path, watchdog=6))
    stopped, _ = job.wait_for_failure()
    seconds = job.seconds_to_end(stopped)
    assert 6 <= seconds < 6 + allowed(2)
    assert job.end() == 75
    assert "a peer has been silent for 6 s (no answer from rank 1 on " in job.text
    assert f"in iteration 5; go on from the checkpoint of iteration 4 in {job.checkpoints}" in job.text
    check_nothing_is_lost(job, N_ITER)
