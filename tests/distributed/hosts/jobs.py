"""Jobs under mpiexec that are ended from outside: how to start them, and what is left of them."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import topicgrove
from topicgrove.cli import main
from topicgrove.persistence.checkpoints import read_checkpoint
from topicgrove.persistence.sealed import read_sealed

from .machines import BIN, wait_until

FAILING = Path(__file__).with_name("failing.py")
FOREVER = 1_000_000
EVERY = 2
"""Sweeps between two checkpoints."""

SLACK = 2.0
"""How many times longer than promised something may take on an idle machine."""

PART = "topicgrove part of a checkpoint"


@dataclass(frozen=True)
class Job:
    """A process and the folder for its files, which its command line names."""

    process: subprocess.Popen
    folder: Path

    @property
    def checkpoints(self):
        return self.folder / "checkpoints"

    @property
    def text(self):
        """Return the output so far."""
        return (self.folder / "printed").read_text(errors="replace")

    def end(self, seconds=240.0):
        """Wait for the exit code."""
        return self.process.wait(timeout=seconds)

    def seconds_to_end(self, since, left=()):
        """Return the seconds from a time until it has ended and no process is left."""
        self.end()
        wait_until(lambda: not (processes_of(self.folder) or (left and left())), "all processes are gone")
        return time.monotonic() - since

    def wait_for_checkpoint(self):
        """Wait until a checkpoint exists."""
        wait_until(lambda: self.last_iteration() or self.process.poll() is not None, "there is a checkpoint", 240)
        assert self.process.poll() is None, self.text

    def wait_for_failure(self):
        """Wait until the failing rank has failed; return the time and its process id."""
        note = self.folder / "failed"
        wait_until(lambda: note.exists() or self.process.poll() is not None, "a rank has failed", 240)
        assert note.exists(), self.text
        seconds, pid = note.read_text().split()
        return float(seconds), int(pid)

    def last_iteration(self):
        """Return the iteration of the newest checkpoint; 0 without checkpoints."""
        names = [path.stem.split("-")[1] for path in self.checkpoints.glob("checkpoint-*.safetensors")]
        return max(map(int, names), default=0)


def allowed(seconds):
    """Return how long something with a promised time may take on this machine, which may be busy."""
    return seconds * SLACK * max(1.0, os.getloadavg()[0] / os.cpu_count())


def start(folder, *command):
    """Start a command; standard output and error go to a file."""
    with (folder / "printed").open("w") as printed:
        process = subprocess.Popen(list(map(str, command)), stdout=printed, stderr=subprocess.STDOUT, cwd=folder)
    return Job(process, folder)


def fit_arguments(store, folder, *, iterations=FOREVER, watchdog=120):
    """Return the command ``fit`` with a checkpoint every second sweep."""
    options = ("--iterations", iterations, "--seed", 3, "--threads", 1, "--levels", 3, "--watchdog", watchdog)
    places = ("-o", folder / "model.grove", "--checkpoint", folder / "checkpoints", "--checkpoint-every", EVERY)
    return ("fit", store, *places, "--init", "monte_carlo", *options)


def mpiexec(n, *options):
    """Return the command line of mpiexec on this machine, up to the program."""
    return (BIN / "mpiexec", "-n", n, *options)


def failing(folder, phase, *, rank=1, iteration=5, how=signal.SIGKILL):
    """Return the command, with one failing rank."""
    how = how.__name__ if isinstance(how, type) else int(how)
    return (sys.executable, FAILING, rank, iteration, phase, how, folder / "failed")


COMMAND = (sys.executable, "-m", "topicgrove")


def processes_of(folder):
    """List the ids of processes whose command line names a folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


def assignments(checkpoints):
    """Return the newest checkpoint's iteration and, from all its parts, topics of documents and levels of tokens."""
    checkpoint = read_checkpoint(checkpoints)
    names = [checkpoints / f"part-{checkpoint.iteration:09d}-{i:05d}.safetensors" for i in range(checkpoint.n_parts)]
    parts = [read_sealed(name, PART, 1).arrays for name in names]
    leaf, levels = (np.concatenate([part[name] for part in parts]) for name in ("leaf", "levels"))
    return checkpoint.iteration, leaf, levels


def check_nothing_is_lost(job, n_iter, *launcher):
    """Resume a job, and check that it starts from the checkpoint and finishes."""
    wait_until(lambda: _is_free(job.checkpoints / "lock"), "the lock is free: a process that ends lets go of it late")
    iteration, leaf, levels = assignments(job.checkpoints)
    begun = topicgrove.HierarchicalLDA.resume(job.checkpoints, n_iter=iteration)
    np.testing.assert_array_equal(begun.token_levels_, levels)
    np.testing.assert_array_equal(begun.paths_[:, -1], leaf)
    saved = job.folder / "resumed.grove"
    resume = ("resume", job.checkpoints, "-o", saved, "--iterations", n_iter, "--threads", 1)
    if launcher:
        done = start(job.folder, *launcher, *COMMAND, *resume)
        assert done.end() == 0, done.text
    else:
        with pytest.raises(SystemExit) as end:
            main(list(map(str, resume)))
        assert end.value.code == 0
    model = topicgrove.load(saved)
    assert [row["iteration"] for row in model.history_] == list(range(1, n_iter + 1))
    assert model.paths_.shape == (len(leaf), 3)


def _is_free(lock):
    with lock.open() as file, suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
