"""Outputs replace only files: pipes and devices are written to, links stay, sockets are refused."""

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from topicgrove import HierarchicalLDA, load
from topicgrove.whole_files import check_can_write, write_whole

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices and gives files away")


def make_device(path: Path, kind: int, major: int, minor: int) -> Path:
    try:
        os.mknod(path, kind | 0o666, os.makedev(major, minor))
    except PermissionError:
        pytest.skip("devices cannot be made here")
    return path


@AS_ROOT
def test_a_device_is_written_to_and_never_replaced(model: HierarchicalLDA, tmp_path: Path) -> None:
    null = make_device(tmp_path / "null", stat.S_IFCHR, 1, 3)
    check_can_write(null)
    model.save(null)
    write_whole(null, "text")
    assert null.is_char_device()
    assert os.listdir(tmp_path) == ["null"]


@AS_ROOT
def test_a_device_that_takes_nothing_is_an_error_that_names_it(tmp_path: Path) -> None:
    full = make_device(tmp_path / "full", stat.S_IFCHR, 1, 7)
    with pytest.raises(OSError, match=f"No space left on device: '{full}'"):
        write_whole(full, "text")
    assert full.is_char_device()


@AS_ROOT
def test_a_disk_is_refused(tmp_path: Path) -> None:
    disk = make_device(tmp_path / "disk", stat.S_IFBLK, 7, 250)
    for use in (check_can_write, lambda path: write_whole(path, "text")):
        with pytest.raises(OSError, match="disk: is a disk or socket"):
            use(disk)
    assert disk.is_block_device()


def test_a_pipe_gets_the_whole_output(model: HierarchicalLDA, tmp_path: Path) -> None:
    pipe, copy = tmp_path / "pipe", tmp_path / "copy.grove"
    os.mkfifo(pipe)
    check_can_write(pipe)
    reader = threading.Thread(target=lambda: copy.write_bytes(pipe.read_bytes()), daemon=True)
    reader.start()
    model.save(pipe)
    reader.join(60)
    assert load(copy).log_joint_ == model.log_joint_
    assert pipe.is_fifo()


def test_the_descriptor_of_an_open_pipe_is_written_to() -> None:
    """The shell's ``-o >(gzip > model.gz)`` gives such a name."""
    reading, writing = os.pipe()
    write_whole(f"/dev/fd/{writing}", "text")
    os.close(writing)
    with open(reading, encoding="utf-8") as file:
        assert file.read() == "text"


def test_a_reader_of_a_pipe_that_leaves_is_an_error_that_names_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: open(pipe, "rb").close(), daemon=True)
    reader.start()
    with pytest.raises(BrokenPipeError, match=str(pipe)):
        write_whole(pipe, bytes(2**20))


def test_a_socket_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        for use in (check_can_write, lambda path: write_whole(path, "text")):
            with pytest.raises(OSError, match="socket: is a disk or socket"):
                use(path)
    assert path.is_socket()
    assert os.listdir(tmp_path) == ["socket"]


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "dangling"])
def test_a_link_stays_and_the_file_it_leads_to_is_written(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if there:
        (folder / "real.txt").write_text("old")
    (tmp_path / "second").symlink_to("elsewhere/real.txt")
    link = tmp_path / "link"
    link.symlink_to("second")
    check_can_write(link)
    write_whole(link, "new")
    assert os.readlink(link) == "second"
    assert (folder / "real.txt").read_text() == "new"
    assert not (folder / "real.txt").is_symlink()
    assert os.listdir(folder) == ["real.txt"]


def test_a_loop_of_links_is_an_error_that_names_it(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    for use in (check_can_write, lambda path: write_whole(path, "text")):
        with pytest.raises(OSError, match=r"symbolic links: .*loop"):
            use(loop)
    assert loop.is_symlink()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    for path in (tmp_path, tmp_path / "link"):
        with pytest.raises(IsADirectoryError, match=str(path)):
            write_whole(path, "text")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_replaced_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "note.txt"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "new", "text")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@AS_ROOT
def test_a_replaced_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("old")
    os.chown(path, 1234, 2345)
    write_whole(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@AS_ROOT
def test_an_owner_that_cannot_be_kept_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    path = tmp_path / "note.txt"
    path.write_text("old")
    os.chown(path, 1234, 2345)
    monkeypatch.setattr(os, "chown", refuse)
    write_whole(path, "new")
    assert path.read_text() == "new"


@pytest.mark.parametrize(
    "name", ["n" * 255, "д" * 127, "-o", "new\nline", "\u202etxt.exe", os.fsdecode(b"not utf-8 \xff")]
)
def test_any_name_that_a_file_can_have_will_do(tmp_path: Path, name: str) -> None:
    check_can_write(tmp_path / name)
    write_whole(tmp_path / name, "text")
    assert os.listdir(tmp_path) == [name]
