"""Commands whose standard streams are closed or full, and Ctrl-C while modules are imported."""

import json
import os
import signal
import subprocess
import sys

import pytest

import topicgrove

STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2, "all": (0, 1, 2)}


@pytest.fixture(params=STREAMS.values(), ids=STREAMS.keys())
def closed(request):
    """Run a command with one standard stream closed, or all."""
    handles = request.param if isinstance(request.param, tuple) else (request.param,)

    def run(*arguments):
        closing = " ".join(f"{handle}{'<' if handle == 0 else '>'}&-" for handle in handles)
        command = ["bash", "-c", f'exec "$@" {closing}', "bash", sys.executable, "-m", "topicgrove"]
        done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_model_is_trained_whatever_stream_is_closed(closed, texts, tmp_path):
    saved = tmp_path / "m.grove"
    code, out, err = closed("fit", texts, "-o", saved, "--iterations", 2, "--seed", 1, "--json")
    assert code == 0
    assert "Traceback" not in err
    assert out == "" or json.loads(out)["iterations"] == 2
    assert len(topicgrove.load(saved).history_) == 2


def test_an_error_has_its_exit_code_whatever_stream_is_closed(closed, tmp_path):
    code, out, err = closed("show", tmp_path / "none")
    assert (code, out) == (74, "")
    assert err.splitlines()[1:] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "MODEL"],
        ["top-words", "MODEL"],
        ["info"],
        ["evaluate", "MODEL", "TEXTS"],
        ["infer", "MODEL", "TEXTS", "-o", "-"],
        ["export", "MODEL", "-o", "FOLDER/tree.json"],
        ["explore", "MODEL", "-o", "FOLDER/page.html"],
        ["corpus", "build", "TEXTS", "-o", "FOLDER/store"],
        ["corpus", "info", "TEXTS"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_every_command_works_whatever_stream_is_closed(closed, texts, model, tmp_path, arguments):
    places = {"MODEL": model, "TEXTS": texts, "FOLDER": tmp_path}
    for name, place in places.items():
        arguments = [argument.replace(name, str(place)) for argument in arguments]
    code, _, err = closed(*arguments)
    assert (code, "Traceback" in err) == (0, False)


def test_a_model_is_trained_by_a_program_without_standard_error(texts, monkeypatch, capsys):
    corpus = topicgrove.read_corpus(texts)
    monkeypatch.setattr(sys, "stderr", None)
    model = topicgrove.HierarchicalLDA(n_iter=2, random_state=0, verbose=1).fit(corpus)
    assert len(model.history_) == 2
    assert capsys.readouterr().out == "", "progress is no result"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_standard_output_is_an_error_of_one_line(process, model):
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = process("show", model, stdout=full)
    assert run.communicate()[1] == "topicgrove: error: [Errno 28] No space left on device\n"
    assert run.returncode == 74


INTERRUPTED_IMPORT = """
import builtins, os, signal, sys
from topicgrove.cli import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except getattr(builtins, sys.argv[2]):
                print("swallowed", flush=True)

sys.meta_path.insert(0, Interrupting())
main(["show", "no-such-model"])
"""


@pytest.mark.parametrize(
    ("module", "swallowed"),
    [
        ("topicgrove.console", "Exception"),
        ("typer", "KeyboardInterrupt"),
        ("topicgrove.cli.fit", "KeyboardInterrupt"),
        ("numpy", "KeyboardInterrupt"),
        ("numba.core.types", "KeyboardInterrupt"),
    ],
)
def test_ctrl_c_while_modules_are_imported_is_obeyed_without_a_traceback(module, swallowed):
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, module, swallowed]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 130
    assert run.stdout == ""
    assert run.stderr in ("", "topicgrove: error: interrupted\n")


def test_ctrl_c_after_imports_is_an_exception_that_cleans_up(command, monkeypatch):
    def interrupted():
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("topicgrove.cli.info.installation", interrupted)
    before = signal.getsignal(signal.SIGINT)
    done = command("info")
    assert (done.code, done.err) == (130, "topicgrove: error: interrupted\n")
    assert signal.getsignal(signal.SIGINT) is before
