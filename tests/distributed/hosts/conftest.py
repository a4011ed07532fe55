"""A corpus that all processes see, two machines, and jobs that end with the test."""

import importlib.util
import os
import signal
from contextlib import suppress

import numpy as np
import pytest

from topicgrove import Corpus

from .jobs import processes_of, start
from .machines import BIN, machines, wait_until, why_not


@pytest.fixture(scope="session", autouse=True)
def _mpi():
    if importlib.util.find_spec("mpi4py") is None or not (BIN / "mpiexec").exists():
        pytest.skip("needs MPICH's mpiexec and mpi4py: pip install 'topicgrove[mpi]'")


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """A store of 120 documents of 6 topics."""
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(40, 0.1), 6)
    path = tmp_path_factory.mktemp("store") / "corpus"
    Corpus.from_documents([rng.choice(40, 20, p=topics[d % 6]) for d in range(120)]).save(path)
    return path


@pytest.fixture(scope="session")
def _permission():
    if reason := why_not():
        pytest.skip(reason)


@pytest.fixture
def both(_permission, tmp_path):
    """Two machines."""
    folder = tmp_path / "machines"
    folder.mkdir()
    with machines(folder) as made:
        yield made


@pytest.fixture
def launch(tmp_path):
    """Start a command in the test's folder, which the command line must name, and kill what is left at the end."""
    jobs = []

    def start_here(*command):
        jobs.append(start(tmp_path, *command))
        return jobs[-1]

    yield start_here

    def none_is_left():
        left = processes_of(tmp_path)
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not left

    wait_until(none_is_left, "all processes have ended")
    for job in jobs:
        job.end()
