"""One difference between systems at a time, made by hand."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA, shell, whole_files
from topicgrove.communication import peers
from topicgrove.interrupts import PYTHONS_OWN
from topicgrove.kernels import cache
from topicgrove.persistence import checkpoints
from topicgrove.tree import TopicTree
from topicgrove.watch import server
from topicgrove.watch.live_page import LivePage
from topicgrove.whole_files import sync, take_name, write_whole


@pytest.fixture
def on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    made: list[float] = []
    monkeypatch.setattr(whole_files.time, "sleep", made.append)
    return made


def refusing(times: int, real: Any) -> Any:
    """Make a function that claims, a given number of times, that another process has the file open."""
    left = iter([True] * times)

    def step(source: Path, target: Path) -> None:
        if next(left, False):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(source))
        real(source, target)

    return step


class TestReplacing:
    def test_on_windows_a_file_that_is_open_for_a_moment_is_waited_for(self, tmp_path, monkeypatch, on_windows, pauses):
        monkeypatch.setattr(os, "replace", refusing(3, os.replace))
        write_whole(tmp_path / "file", "new")
        assert (tmp_path / "file").read_bytes() == b"new"
        assert pauses == list(whole_files._PAUSES[:3])

    def test_on_windows_a_file_that_stays_open_is_an_error_that_names_it(
        self, tmp_path, monkeypatch, on_windows, pauses
    ):
        write_whole(tmp_path / "file", "old")
        monkeypatch.setattr(os, "replace", refusing(99, os.replace))
        with pytest.raises(PermissionError):
            write_whole(tmp_path / "file", "new")
        assert os.listdir(tmp_path) == ["file"]
        assert (tmp_path / "file").read_bytes() == b"old"

    def test_elsewhere_nobody_waits(self, tmp_path, monkeypatch, pauses):
        monkeypatch.setattr(sys, "platform", "darwin")
        monkeypatch.setattr(os, "replace", refusing(1, os.replace))
        with pytest.raises(PermissionError):
            write_whole(tmp_path / "file", "new")
        assert pauses == []

    @pytest.mark.parametrize("platform", ["linux", "win32"])
    def test_an_empty_folder_gives_its_name_away(self, tmp_path, monkeypatch, platform):
        monkeypatch.setattr(sys, "platform", platform)
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "file").touch()
        (tmp_path / "name").mkdir()
        take_name(tmp_path / "new", tmp_path / "name")
        assert os.listdir(tmp_path / "name") == ["file"]


class TestSyncing:
    @pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
    def test_a_file_system_that_cannot_sync_folders_is_fine(self, tmp_path, monkeypatch, number):
        def fail(handle: int) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", fail)
        sync(tmp_path)
        (tmp_path / "file").touch()
        with pytest.raises(OSError, match=os.strerror(number)):
            sync(tmp_path / "file")

    def test_a_disk_that_fails_is_not(self, tmp_path, monkeypatch):
        def fail(handle: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            sync(tmp_path)


class TestCheckpoints:
    def test_a_corpus_on_another_drive_is_remembered_in_full(self, tmp_path, monkeypatch):
        relpath = os.path.relpath

        def fail(path: Any, start: Any = os.curdir) -> str:
            # Others, such as compilers, ask for other paths.
            if Path(path) == tmp_path / "store":
                raise ValueError("path is on mount 'D:', start on mount 'C:'")
            return relpath(path, start)

        corpus = store_of(tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(os.path, "relpath", fail)
            HierarchicalLDA(2, n_iter=2, random_state=0, checkpoint=tmp_path / "run").fit(corpus)
        assert checkpoints.read_checkpoint(tmp_path / "run").corpus == (tmp_path / "store").as_posix()
        assert len(HierarchicalLDA.resume(tmp_path / "run", n_iter=3).history_) == 3

    def test_an_old_checkpoint_that_cannot_be_removed_stays_until_the_next(self, tmp_path, monkeypatch):
        removed = []
        unlink = Path.unlink

        def refuse_once(path: Path, missing_ok: bool = False) -> None:
            if path.name.startswith("checkpoint-"):
                removed.append(path.name)
                if len(removed) == 1:
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            unlink(path, missing_ok)

        monkeypatch.setattr(Path, "unlink", refuse_once)
        corpus = store_of(tmp_path)
        HierarchicalLDA(2, n_iter=4, random_state=0, checkpoint=tmp_path / "run", checkpoint_every=1).fit(corpus)
        assert removed[0] in removed[1:]
        assert len(list((tmp_path / "run").glob("checkpoint-*"))) == checkpoints.KEPT


def store_of(folder: Path) -> Corpus:
    from topicgrove import open_store

    Corpus.from_matrix(np.eye(6, dtype=int) * 3).save(folder / "store")
    return open_store(folder / "store")


class TestCache:
    def test_it_is_among_the_users_own_files_on_windows(self, tmp_path, monkeypatch, on_windows):
        monkeypatch.delenv("TOPICGROVE_CACHE_DIR", raising=False)
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
        made = cache.usable_directory()
        assert made is not None
        assert made.parent == tmp_path / "topicgrove"

    def test_modes_say_nothing_on_windows(self, tmp_path, monkeypatch, on_windows):
        monkeypatch.setenv("TOPICGROVE_CACHE_DIR", str(tmp_path))
        made = cache.usable_directory()
        made.chmod(0o777)
        assert cache.usable_directory() == made


class TestProcesses:
    def test_without_proc_signal_0_tells_who_is_alive(self, monkeypatch):
        monkeypatch.setattr(sys, "platform", "darwin")
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        assert peers._is_alive(os.getpid())
        assert peers._is_alive(1)
        assert not peers._is_alive(ended.pid)

    def test_no_process_is_asked_on_windows(self, monkeypatch, on_windows):
        # Signal 0 is Ctrl-C there.
        monkeypatch.setattr(os, "kill", None)
        assert peers._is_alive(os.getpid())

    def test_no_signal_of_deaths_on_windows(self, monkeypatch, on_windows):
        monkeypatch.setattr(signal, "signal", None)
        peers.hear_of_deaths()


def test_every_signal_that_ends_a_process_here_is_held_back():
    names = {number.name for number in PYTHONS_OWN}
    assert names == {"SIGINT", "SIGTERM", "SIGBREAK" if sys.platform == "win32" else "SIGHUP"}


def test_commands_are_quoted_for_the_shell_at_hand(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert shell.quoted("my texts.csv") == "'my texts.csv'"
    monkeypatch.setattr(sys, "platform", "win32")
    assert shell.quoted("my texts.csv") == '"my texts.csv"'
    assert shell.quoted("C:\\texts.csv") == "C:\\texts.csv"


def test_a_port_that_the_system_keeps_for_itself_is_passed_over(monkeypatch):
    tried = []

    class Reserved(server._Server):
        def __init__(self, page: LivePage, port: int) -> None:
            tried.append(port)
            if len(tried) == 1:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            super().__init__(page, 0)

    monkeypatch.setattr(server, "_Server", Reserved)
    with server.serve(LivePage()):
        assert tried == [server.FIRST_PORT, server.FIRST_PORT + 1]


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "shift_jis"])
def test_a_tree_is_printed_in_any_encoding(encoding, tmp_path):
    tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    tree.set_names({0: "größe 木", 1: "кот 🌲 " + "x" * 200})
    with open(tmp_path / "printed", "w", encoding=encoding) as file:
        tree.print_tree(file=file)
    printed = (tmp_path / "printed").read_text(encoding=encoding)
    assert "\\U0001f332" in printed
    assert ("größe" in printed) == (encoding in ("cp1252", "cp437"))
    assert ("木" in printed) == (encoding == "shift_jis")
