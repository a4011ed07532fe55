import signal
import time

import numpy as np
import pytest
import safetensors.numpy

import topicgrove
from topicgrove.persistence.checkpoints import read_checkpoint

FOREVER = 1_000_000


def wait_for(run, start):
    """Read standard error up to a line that begins so."""
    for line in run.stderr:
        if line.startswith(start):
            return
    raise AssertionError(f"it ended with {run.wait()} before it said {start!r}")


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), pytest.param(signal.SIGHUP, 143, marks=pytest.mark.slow)],
    ids=["int", "term", "hup"],
)
def test_signals_end_fit_after_a_sweep_and_save_the_model(process, texts, tmp_path, number, code):
    saved, checkpoints = tmp_path / "m.grove", tmp_path / "checkpoints"
    options = ("--iterations", FOREVER, "--checkpoint", checkpoints, "--checkpoint-every", FOREVER, "--threads", 1)
    run = process("fit", texts, "-o", saved, *options)
    wait_for(run, "iteration")
    run.send_signal(number)
    out, err = run.communicate(timeout=300)
    assert run.returncode == code
    assert out == ""
    assert f"is in {saved}" in err
    assert f"topicgrove resume {checkpoints} -o {saved}" in err
    assert "Traceback" not in err
    model = topicgrove.load(saved)
    assert model.paths_.shape == (80, 4)
    assert 1 <= len(model.history_) < FOREVER
    assert topicgrove.HierarchicalLDA.resume(checkpoints, n_iter=len(model.history_)).log_joint_ == model.log_joint_


def test_second_interrupt_ends_fit_at_once(process, texts, tmp_path):
    saved = tmp_path / "m.grove"
    run = process("fit", texts, "-o", saved, "--iterations", FOREVER)
    wait_for(run, "iteration")
    run.send_signal(signal.SIGINT)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=300)
    assert run.returncode == 130
    assert err.endswith("topicgrove: error: interrupted\n")
    assert not list(tmp_path.glob(".*")), "no half-written file is left"


def test_interrupted_resume_saves_the_model(process, command, texts, tmp_path):
    saved, checkpoints = tmp_path / "m.grove", tmp_path / "checkpoints"
    common = ("--checkpoint", checkpoints, "--checkpoint-every", 5, "-q")
    assert command("fit", texts, "-o", saved, "--iterations", 5, *common).code == 0
    run = process("resume", checkpoints, "-o", saved, "--iterations", FOREVER)
    wait_for(run, "iteration")
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=300)
    assert run.returncode == 143
    assert len(topicgrove.load(saved).history_) > 5


def test_killed_run_resumes_to_the_very_same_model(process, command, texts, tmp_path):
    checkpoints = tmp_path / "checkpoints"
    options = ("--seed", 5, "--threads", 1, "-q")
    rhythm = ("--iterations", FOREVER, "--checkpoint", checkpoints, "--checkpoint-every", 7)
    run = process("fit", texts, "-o", tmp_path / "killed", *options, *rhythm)
    deadline = time.monotonic() + 300
    while not list(checkpoints.glob("checkpoint-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    run.kill()
    assert run.wait() == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    n_sweeps = read_checkpoint(checkpoints).iteration + 30
    further = ("--iterations", n_sweeps)
    assert command("resume", checkpoints, "-o", tmp_path / "resumed", "--threads", 1, "-q", *further).code == 0
    assert command("fit", texts, "-o", tmp_path / "straight", *options, *further).code == 0
    resumed, straight = (safetensors.numpy.load_file(tmp_path / name) for name in ("resumed", "straight"))
    assert resumed.keys() == straight.keys()
    for name, array in straight.items():
        np.testing.assert_array_equal(resumed[name], array, err_msg=name)


def test_terminated_corpus_build_leaves_nothing_behind(process, tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("an old tree with many leaves\n" * 3_000_000)
    run = process("corpus", "build", path, "-o", tmp_path / "store", "--threads", 1)
    deadline = time.monotonic() + 300
    while not list(tmp_path.glob(".store*/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=300)
    assert run.returncode == 143
    assert [left.name for left in tmp_path.iterdir()] == ["texts.txt"]
