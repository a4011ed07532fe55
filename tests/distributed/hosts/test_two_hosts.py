"""Two machines with two ranks each: training, and what happens when the network or a machine fails."""

import os
import shutil
import signal
import subprocess
import time

import pytest

import topicgrove

from .jobs import COMMAND, allowed, check_nothing_is_lost, fit_arguments
from .machines import wait_until

N_ITER = 8
WATCHDOG = 6
"""Seconds. On a busy machine, starting ranks wait longer than 3 s for each other."""


def cut(both):
    both.cut()


def lose_one_way(both):
    """Packets of the second machine arrive, but for another address."""
    nobody = ("lladdr", "02:00:00:00:00:99", "nud", "permanent")
    both.hosts[1].run("ip", "neighbour", "replace", both.addresses[0], "dev", both.cable, *nobody)


def switch_off(both):
    """The second machine disappears without a word."""
    both.cut()
    for pid in both.hosts[1].processes():
        os.kill(pid, signal.SIGKILL)


def test_fit_on_two_hosts(launch, both, store, tmp_path):
    job = launch(*both.mpiexec(), *COMMAND, *fit_arguments(store, tmp_path, iterations=N_ITER))
    assert job.end() == 0, job.text
    assert len(topicgrove.load(tmp_path / "model.grove").history_) == N_ITER
    received = int(both.hosts[1].run("cat", f"/sys/class/net/{both.cable}/statistics/rx_bytes"))
    assert received > 50_000, "what ranks exchange goes through the cable"
    assert both.processes() == []


@pytest.mark.parametrize(
    "fault",
    [cut, pytest.param(lose_one_way, marks=pytest.mark.slow), pytest.param(switch_off, marks=pytest.mark.slow)],
)
def test_lost_machine_ends_the_job_with_75(launch, both, store, tmp_path, fault):
    job = launch(*both.mpiexec(), *COMMAND, *fit_arguments(store, tmp_path, watchdog=WATCHDOG))
    job.wait_for_checkpoint()
    fault(both)
    seconds = job.seconds_to_end(time.monotonic(), both.processes)
    assert WATCHDOG - 1 < seconds < WATCHDOG + allowed(2)
    assert job.end() == 75
    last = job.last_iteration()
    assert f"a peer has been silent for {WATCHDOG} s (no answer from rank 2 on beta, rank 3 on beta)" in job.text
    assert f"go on from the checkpoint of iteration {last} in {job.checkpoints}" in job.text
    assert f"in iteration {last + 1};" in job.text or f"in iteration {last + 2};" in job.text
    check_nothing_is_lost(job, last + 4)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("-disable-auto-cleanup",)], ids=["usual", "no cleanup"])
def test_rank_killed_on_the_other_machine_ends_the_job(launch, both, store, tmp_path, options):
    job = launch(*both.mpiexec(*options), *COMMAND, *fit_arguments(store, tmp_path))
    job.wait_for_checkpoint()
    os.kill(both.ranks()[3], signal.SIGKILL)
    assert job.seconds_to_end(time.monotonic(), both.processes) < allowed(5)
    assert job.end() != 0, "which code, depends on what mpiexec notices first"
    if job.end() == 75:
        assert "a process of the job has died" in job.text
        assert f"go on from the checkpoint of iteration {job.last_iteration()} in {job.checkpoints}" in job.text
    check_nothing_is_lost(job, job.last_iteration() + 4)


@pytest.mark.slow
def test_outages_shorter_than_the_watchdog_only_slow_it(launch, both, store, tmp_path):
    job = launch(*both.mpiexec(), *COMMAND, *fit_arguments(store, tmp_path, watchdog=60))
    job.wait_for_checkpoint()
    for seconds in (0.3, 1, 8):
        both.cut()
        before = job.last_iteration()
        time.sleep(seconds)
        assert job.last_iteration() <= before + 4, "nobody goes on alone"
        both.mend()
        wait_until(lambda before=before: job.last_iteration() > before + 4, "it goes on")
    assert job.process.poll() is None, job.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "discipline",
    [("tbf", "rate", "1mbit", "burst", "10k", "latency", "50ms"), ("netem", "delay", "20ms", "loss", "5%")],
    ids=lambda discipline: discipline[0],
)
def test_slow_network_only_slows(launch, both, store, tmp_path, discipline):
    if shutil.which("tc") is None:
        pytest.skip("no tc here (Debian has it in iproute2)")
    for host in both.hosts:
        try:
            host.run("tc", "qdisc", "add", "dev", both.cable, "root", *discipline)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"this kernel has no {discipline[0]}: {error.stderr.strip()}")
    job = launch(*both.mpiexec(), *COMMAND, *fit_arguments(store, tmp_path, iterations=N_ITER, watchdog=30))
    assert job.end() == 0, job.text
    assert len(topicgrove.load(tmp_path / "model.grove").history_) == N_ITER
