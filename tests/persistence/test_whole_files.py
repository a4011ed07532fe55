"""A save that is stopped anywhere leaves the old file or the new one, complete, and nothing else."""

import builtins
import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from topicgrove import HierarchicalLDA, load
from topicgrove.whole_files import write_whole


class Failing:
    """Lets a step fail at its k-th call, as a disk might, and counts the calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, at: int) -> None:
        self.calls, self.number, self.at = 0, number, at
        self.monkeypatch = monkeypatch

    def wrap(self, owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def step(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                raise OSError(self.number, os.strerror(self.number))
            return real(*arguments, **options)

        self.monkeypatch.setattr(owner, name, step)


def label(path: Path) -> str:
    return load(path).tree_.names[0]


@pytest.fixture
def newer(model: HierarchicalLDA, saved: Path) -> HierarchicalLDA:
    again = load(saved)
    again.tree_.set_names({0: "new"})
    return again


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("step", ["fsync", "replace", "rename", "chmod", "open", "close"])
def test_an_error_at_any_step_leaves_one_whole_model(
    newer: HierarchicalLDA, saved: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    for at in range(1, 20):
        with monkeypatch.context() as patched:
            failing = Failing(patched, number, at)
            failing.wrap(os, step)
            try:
                newer.save(saved)
            except OSError as error:
                failed = error
            else:
                break
        assert failed.errno == number
        assert label(saved) in ("alles", "new")
        assert os.listdir(saved.parent) == [saved.name]
        load(saved)
    assert failing.calls < at
    assert label(saved) == "new"


@pytest.mark.parametrize("at", [1, 2, 3, 10])
def test_a_full_disk_leaves_the_old_model(
    newer: HierarchicalLDA, saved: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    real = builtins.open

    class Full:
        """A file on a disk that is full from some write on."""

        def __init__(self, file: Any) -> None:
            self.file, self.writes = file, 0

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def write(self, data: Any) -> int:
            self.writes += 1
            if self.writes >= at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return self.file.write(data)

    def open_full(path: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
        file = real(path, mode, *rest, **options)
        return Full(file) if "w" in mode and ".tmp" in str(path) else file

    monkeypatch.setattr(builtins, "open", open_full)
    with pytest.raises(OSError, match=r"No space left on device: .*model\.grove") as caught:
        newer.save(saved)
    monkeypatch.undo()
    assert caught.value.errno == errno.ENOSPC
    assert label(saved) == "alles"
    assert os.listdir(saved.parent) == [saved.name]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory_is_an_error(model: HierarchicalLDA, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match=str(tmp_path)):
            model.save(tmp_path / "m.grove")
    finally:
        tmp_path.chmod(0o700)


IN_OTHER_PROCESSES = """
import os, resource, signal, sys, time
from topicgrove import load
path = sys.argv[1]
model = load(path)

def start(name):
    child = os.fork()
    if child == 0:
        for k in range(10**9):
            model.tree_.set_names({0: f"{name} {k}" + "x" * (k % 7)})
            model.save(path)
    return child

def killed():
    for milliseconds in (1, 2, 5, 9, 14, 20, 31, 43):
        child = start("victim")
        time.sleep(milliseconds / 1000)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        load(path)
    print(load(path).tree_.names[0].split()[0])

def together():
    children, seen = [start("one"), start("other")], set()
    n_loads = 0
    while n_loads < 200 or not {"one", "other"} <= seen:
        seen.add(load(path).tree_.names[0].split()[0])
        n_loads += 1
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    load(path)
    print("whole")

def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    try:
        model.save(path)
    except OSError as error:
        print(error.strerror, error.filename)

globals()[sys.argv[2]]()
"""


def run(path: Path, what: str) -> str:
    command = [sys.executable, "-c", IN_OTHER_PROCESSES, str(path), what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_process_killed_while_it_saves_leaves_a_whole_model(saved: Path) -> None:
    assert run(saved, "killed") in ("victim\n", "alles\n")


def test_two_processes_may_save_under_one_name_while_others_read(saved: Path) -> None:
    assert run(saved, "together") == "whole\n"


def test_a_limit_on_the_size_of_files_is_an_error_that_names_the_file(saved: Path) -> None:
    assert run(saved, "limited") == f"File too large {saved}\n"
    assert label(saved) == "alles"
    assert os.listdir(saved.parent) == [saved.name]


def test_bytes_and_text_are_written_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "note.txt", "дерево")
    write_whole(tmp_path / "note.txt", b"tree")
    assert (tmp_path / "note.txt").read_bytes() == b"tree"
    assert os.listdir(tmp_path) == ["note.txt"]
