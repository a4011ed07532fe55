import json
import os
import subprocess
import sys

import pytest

import topicgrove
from topicgrove.cli.errors import verdict
from topicgrove.interrupts import Terminated


def test_help_and_version_need_no_heavy_import():
    code = (
        "import sys\nfrom topicgrove.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: assert not {'numpy', 'numba', 'sklearn', 'scipy', 'rich'} & set(sys.modules)"
    )
    for arguments in (["--help"], ["fit", "--help"], ["--version"]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"topicgrove {topicgrove.__version__}\n"


def test_no_arguments_show_help(command):
    for arguments in ((), ("corpus",)):
        done = command(*arguments)
        assert done.code == 2
        assert "\n\nCommands:\n" in done.err
        assert "error" not in done.err.partition("Exit codes")[0]


def test_usage_errors_take_one_line(command):
    done = command("fit")
    assert done.code == 2
    assert done.err == "topicgrove: error: Missing argument 'INPUT'. (see topicgrove fit --help)\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("v"), 2),
        (TypeError("t"), 2),
        (topicgrove.CorruptModelError("m"), 2),
        (topicgrove.CorruptStoreError("s"), 2),
        (ImportError("needs pyarrow"), 2),
        (PermissionError(13, "Permission denied", "x"), 74),
        (MemoryError(), 74),
        (KeyboardInterrupt(), 130),
        (Terminated(), 143),
        (AssertionError(), None),
    ],
)
def test_exit_codes(error, code):
    assert verdict(error)[0] == code


def test_debugging_shows_where_an_error_comes_from(command, monkeypatch, tmp_path):
    monkeypatch.setenv("TOPICGROVE_DEBUG", "1")
    err = command("show", tmp_path / "none").err
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("topicgrove: error: ")


def test_words_and_names_are_escaped(command, tmp_path):
    path = tmp_path / "texts.jsonl"
    record = {"title": "\u202etitle", "text": "clear\x1b[2J bold[/bold] [red]tree"}
    path.write_text("".join(json.dumps(record | {"id": f"evil\x1b[2J{i}"}) + "\n" for i in range(4)))
    saved = tmp_path / "m.grove"
    arguments = ("--token-pattern", r"\S+", "--iterations", 2, "-q")
    assert command("fit", path, "-o", saved, *arguments).code == 0
    for name in ("show", "top-words"):
        printed = command(name, saved, "--by", "probability").out
        assert r"clear\x1b[2j" in printed
        assert "bold[/bold]" in printed
        assert "[red]tree" in printed
    assert r"evil\x1b[2J" in command("show", saved, "--topic", 0).out
    assert r"\u202etitle" in command("show", saved, "--topic", 0).out
    missing = command("show", tmp_path / "no\x1b[2Jfile").err
    assert r"no\x1b[2Jfile" in missing
    command("export", saved, "-o", tmp_path / "tree.graphml", "-q")
    assert "\x1b" not in (tmp_path / "tree.graphml").read_text()


@pytest.mark.parametrize("name", ["show", "top-words"])
def test_reader_that_goes_away_is_no_error(process, model, name):
    reading, writing = os.pipe()
    os.close(reading)
    run = process(name, model, stdout=writing)
    os.close(writing)
    assert run.communicate()[1] == ""
    assert run.returncode == 0


def test_model_is_saved_though_nobody_reads_the_summary(process, texts, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    run = process("fit", texts, "-o", tmp_path / "m.grove", "--iterations", 3, stdout=writing, stderr=writing)
    os.close(writing)
    run.communicate()
    assert len(topicgrove.load(tmp_path / "m.grove").history_) == 3
