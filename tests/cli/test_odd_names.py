"""Inputs and outputs with any name that a file can have, and outputs that are not files."""

import os

import pytest

from topicgrove import load, open_store

NAMES = {
    "newline": "new\nline",
    "right to left": "\u202egrove",
    "dash": "-x",
    "not UTF-8": os.fsdecode(b"caf\xe9"),
    "long": "n" * 245,
}


@pytest.fixture(params=NAMES.values(), ids=NAMES.keys())
def name(request, tmp_path, monkeypatch):
    """A name without a suffix, in the current directory."""
    monkeypatch.chdir(tmp_path)
    return request.param


def test_every_command_takes_any_name(command, texts, model, tmp_path, name):
    os.link(texts, f"{name}.jsonl")
    fit = ("--iterations", 2, "--seed", 1, "--checkpoint", f"{name}.run")
    runs = [
        ("corpus", "build", "-o", f"{name}.store", "--", f"{name}.jsonl"),
        ("corpus", "build", "-o", f"{name}.store", "--overwrite", "--", f"{name}.jsonl"),
        ("fit", "-o", f"{name}.grove", *fit, "--", f"{name}.store"),
        ("resume", "-o", f"{name}.grove", "--iterations", 3, "--", f"{name}.run"),
        ("show", "--", f"{name}.grove"),
        ("export", "-o", f"{name}.json", "--", f"{name}.grove"),
        ("explore", "--corpus", f"{name}.jsonl", "--", f"{name}.grove"),
        ("infer", "-o", f"{name}.csv", "--", f"{name}.grove", f"{name}.jsonl"),
        ("infer", "-o", f"{name}.parquet", "--", f"{name}.grove", f"{name}.jsonl"),
    ]
    for arguments in runs:
        assert command(*arguments).code == 0, arguments
    assert len(load(f"{name}.grove").history_) == 3
    assert open_store(f"{name}.store").n_docs == 80
    made = (".jsonl", ".store", ".grove", ".run", ".json", ".html", ".csv", ".parquet")
    assert sorted(os.listdir(tmp_path)) == sorted(name + suffix for suffix in made)


def test_messages_keep_odd_names_in_one_line(command, tmp_path):
    done = command("show", tmp_path / "new\nline")
    assert done.code == 74
    assert len(done.err.splitlines()) == 1


def test_a_model_goes_through_a_pipe(process, texts, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    run = process("fit", texts, "-o", tmp_path / "pipe", "--iterations", 2, "-q")
    (tmp_path / "copy").write_bytes((tmp_path / "pipe").read_bytes())
    assert run.wait(60) == 0
    assert len(load(tmp_path / "copy").history_) == 2


def test_a_reader_that_leaves_before_the_page_is_there_is_an_error(process, model, tmp_path):
    """Unlike a reader that leaves standard output, as in ``topicgrove show | head``."""
    os.mkfifo(tmp_path / "page.html")
    run = process("explore", model, "-o", tmp_path / "page.html")
    # A page is more than a pipe holds, so that writing all of it takes a reader.
    os.close(os.open(tmp_path / "page.html", os.O_RDONLY))
    assert run.communicate(timeout=60)[1].endswith("page.html: Broken pipe\n")
    assert run.returncode == 74
