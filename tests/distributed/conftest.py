"""Programs under mpiexec, and corpora for them."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

PROGRAMS = Path(__file__).parent / "programs"
Launch = Callable[..., "subprocess.Popen[str]"]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def mpiexec_path() -> str:
    """Return the launcher of this environment, or the system's."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("needs mpiexec and mpi4py: pip install 'topicgrove[mpi]'")
    return found


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Start a command under mpiexec, and end anything that still runs afterwards."""
    started: list[subprocess.Popen[str]] = []

    def start(n_ranks: int, *command: object, **options: Any) -> "subprocess.Popen[str]":
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        arguments = [mpiexec_path(), "-n", str(n_ranks), sys.executable, *map(str, command)]
        started.append(subprocess.Popen(arguments, **(pipes | options)))
        return started[-1]

    yield start
    for process in started:
        with process:
            if process.poll() is None:
                process.terminate()


@pytest.fixture
def run(launch: Launch) -> Run:
    """Run a command under mpiexec to its end."""

    def run_to_end(
        n_ranks: int, *command: object, timeout: float = 300, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        process = launch(n_ranks, *command, env=os.environ | environment)
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    return run_to_end


@pytest.fixture
def program(run: Run) -> Callable[..., Any]:
    """Run one of the programs next to these tests under mpiexec; return the JSON that it prints at the end."""

    def run_program(n_ranks: int, name: str, *arguments: object, timeout: float = 300) -> Any:
        done = run(n_ranks, "-m", "mpi4py", PROGRAMS / name, *arguments, timeout=timeout)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run_program


@pytest.fixture(scope="session")
def counts() -> NDArray[np.int64]:
    """Draw documents from 12 sparse topics with a common background."""
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(60, 0.05), 12)
    return np.array([rng.multinomial(rng.integers(5, 40), topics[d % 12] * 0.7 + 0.3 / 60) for d in range(150)])
