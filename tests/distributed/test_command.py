"""``mpiexec topicgrove``: one model, the exit codes of a single process, and no rank left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import topicgrove
from topicgrove import HierarchicalLDA

FOREVER = 1_000_000
SPACE = ["moon", "orbit", "rocket", "crater", "lander", "launch"]
SPORT = ["hockey", "puck", "goal", "referee", "team", "league"]
N_DOCS = 60


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(0)
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    lines = [" ".join(rng.choices([SPACE, SPORT][d % 2] + ["news", "year"], k=20)) for d in range(N_DOCS)]
    path.write_text("".join(json.dumps({"id": f"doc-{d}", "text": line}) + "\n" for d, line in enumerate(lines)))
    return path


@pytest.fixture(scope="session")
def store(texts: Path) -> Path:
    path = texts.parent / "store"
    topicgrove.read_corpus(texts).save(path)
    return path


def other_ranks(*arguments: object) -> list[object]:
    """What mpiexec is told to give one more rank another command."""
    return [":", "-n", 1, sys.executable, "-m", "topicgrove", *arguments]


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    """Read standard error up to a line that has this in it."""
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    raise AssertionError(f"it ended with {process.wait()} before it said {text!r}")


def test_ranks_fit_texts_save_one_model_and_resume_with_another_number_of_ranks(
    run: Callable[..., Any], texts: Path, tmp_path: Path
) -> None:
    saved, checkpoints = tmp_path / "m.grove", tmp_path / "checkpoints"
    options = ("--iterations", 7, "--seed", 1, "--threads", 1, "--checkpoint", checkpoints, "--checkpoint-every", 5)
    done = run(2, "-m", "topicgrove", "fit", texts, "-o", saved, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("The model is in") == 1
    model = topicgrove.load(saved)
    assert model.paths_.shape == (N_DOCS, 4)
    assert model.tree_.documents is not None
    assert model.tree_.documents.ids is not None
    assert model.tree_.documents.ids[:2] == ("doc-0", "doc-1")
    done = run(3, "-m", "topicgrove", "resume", checkpoints, "-o", saved, "--iterations", 9, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["iterations"] == 9
    assert len(topicgrove.load(saved).history_) == 9


def test_ranks_fit_a_store_and_leave_nothing_but_the_model(
    run: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    done = run(2, "-m", "topicgrove", "fit", store, "-o", tmp_path / "m.grove", "--iterations", 3, "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == ""
    assert [left.name for left in tmp_path.iterdir()] == ["m.grove"]


def test_a_store_made_of_texts_for_the_run_goes_with_it(run: Callable[..., Any], texts: Path, tmp_path: Path) -> None:
    done = run(2, "-m", "topicgrove", "fit", texts, "-o", tmp_path / "m.grove", "--iterations", 2, "--quiet")
    assert done.returncode == 0, done.stderr
    assert [left.name for left in tmp_path.iterdir()] == ["m.grove"]


def test_ranks_with_other_parameters_are_refused(run: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    saved = tmp_path / "m.grove"
    command = ("fit", store, "-o", saved, "--iterations", 3, "--seed", 1)
    done = run(1, "-m", "topicgrove", *command, *other_ranks(*command, "--alpha", "0.5"))
    assert done.returncode == 2, done.stderr
    assert "they differ in parameters" in done.stderr
    assert "Traceback" not in done.stderr
    assert not saved.exists()


def test_ranks_with_another_corpus_are_refused(
    run: Callable[..., Any], texts: Path, store: Path, tmp_path: Path
) -> None:
    part, other, saved = tmp_path / "part.jsonl", tmp_path / "other", tmp_path / "m.grove"
    part.write_text("".join(texts.read_text(encoding="utf-8").splitlines(keepends=True)[: N_DOCS // 2]))
    topicgrove.read_corpus(part).save(other)
    options = ("-o", saved, "--iterations", 3, "--seed", 1)
    done = run(1, "-m", "topicgrove", "fit", store, *options, *other_ranks("fit", other, *options))
    assert done.returncode == 2, done.stderr
    assert "not given the same task" in done.stderr
    assert not saved.exists()


def test_an_error_of_one_rank_ends_the_job_with_its_code(run: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    options = ("-o", tmp_path / "m.grove", "--iterations", FOREVER, "--seed", 1)
    done = run(1, "-m", "topicgrove", "fit", store, *options, *other_ranks("fit", tmp_path / "missing", *options))
    assert done.returncode == 74, done.stderr
    assert "rank 1 on " in done.stderr
    assert "missing" in done.stderr


RAISES = """
import sys
from mpi4py import MPI
from topicgrove import topics
from topicgrove.cli import main
if MPI.COMM_WORLD.Get_rank() == 1:
    topics.Topics.slot_levels = lambda topics: 1 / 0
main(sys.argv[1:])
"""


def test_a_bug_on_one_rank_ends_the_job_and_is_shown(run: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    done = run(2, "-c", RAISES, "fit", store, "-o", tmp_path / "m.grove", "--iterations", FOREVER)
    assert done.returncode == 1
    assert "rank 1 on " in done.stderr
    assert "ZeroDivisionError" in done.stderr


SINGLE = """
import sys
import mpi4py
mpi4py.rc.thread_level = "single"
from topicgrove.cli import main
main(sys.argv[1:])
"""


def test_mpi_without_threads_is_refused_with_advice(run: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    done = run(2, "-c", SINGLE, "fit", store, "-o", tmp_path / "m.grove")
    assert done.returncode == 2
    assert "leave mpi4py.rc.thread_level at 'multiple'" in done.stderr
    assert not (tmp_path / "m.grove").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"])
def test_signals_to_mpiexec_end_the_job_after_a_sweep_and_save_everything(
    launch: Callable[..., Any], texts: Path, tmp_path: Path, number: int, code: int
) -> None:
    saved, checkpoints = tmp_path / "m.grove", tmp_path / "checkpoints"
    options = ("--iterations", FOREVER, "--checkpoint", checkpoints, "--checkpoint-every", FOREVER, "--threads", 1)
    job = launch(2, "-m", "topicgrove", "fit", texts, "-o", saved, *options)
    wait_for(job, "iteration")
    job.send_signal(number)
    _, err = job.communicate(timeout=300)
    assert job.returncode == code, err
    assert f"is in {saved}" in err
    model = topicgrove.load(saved)
    assert model.paths_.shape == (N_DOCS, 4)
    assert 1 <= len(model.history_) < FOREVER
    resumed = HierarchicalLDA.resume(checkpoints, n_iter=len(model.history_))
    assert resumed.log_joint_ == pytest.approx(model.log_joint_, rel=1e-12)


WITHOUT = """
import sys
sys.modules["mpi4py"] = None
import numpy as np
import topicgrove
model = topicgrove.HierarchicalLDA(3, n_iter=2, random_state=0).fit(np.eye(5, dtype=int) * 4)
print(len(model.history_), "topicgrove.communication.mpi" in sys.modules)
from topicgrove.cli import main
main(sys.argv[1:])
"""


def test_one_process_needs_no_mpi_and_several_say_what_they_need(store: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT, "fit", store, "-o", tmp_path / "m.grove", "--iterations", "2", "-q"]
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 300, "check": False}
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("PMI", "OMPI", "PALS"))}
    done = subprocess.run(command, env=alone, **options)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 False\n"
    done = subprocess.run(command, env=alone | {"PMI_SIZE": "2", "PMI_RANK": "0"}, **options)
    assert done.returncode == 2
    assert "pip install 'topicgrove[mpi]'" in done.stderr


def test_a_fit_alone_does_not_touch_mpi() -> None:
    program = WITHOUT.replace('sys.modules["mpi4py"] = None', "").split("from topicgrove.cli")[0]
    done = subprocess.run(
        [sys.executable, "-c", program + 'print("mpi4py" in sys.modules)'], capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 False\nFalse\n"


@pytest.mark.parametrize(
    "command", [("fit", "-o", "m.grove"), ("corpus", "build", "-o", "store")], ids=["fit", "build"]
)
def test_standard_input_is_for_one_process_alone(
    launch: Callable[..., Any], texts: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    with texts.open(encoding="utf-8") as file:
        job = launch(2, "-m", "topicgrove", *command, "-", stdin=file, cwd=tmp_path)
        _, err = job.communicate(timeout=120)
    assert job.returncode == 2
    lines = [line for line in err.splitlines() if line.startswith("topicgrove")]
    assert len(lines) == 1
    assert "standard input can only be read by one process" in lines[0]
    assert list(tmp_path.iterdir()) == []
