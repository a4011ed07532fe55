"""The cache of compiled kernels: with any contents, kernels give the right result and the cache is repaired."""

import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicgrove.kernels import cache
from topicgrove.kernels.compiled import kernel

from .test_compiled import FIT

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "cut at the end": lambda data: data[:-1],
    "zeroed": lambda data: bytes(len(data)),
    "zeroed from the middle": lambda data: data[: len(data) // 2] + bytes(len(data) - len(data) // 2),
    "garbage": lambda data: np.random.default_rng(0).bytes(len(data)),
    "another file": lambda data: b"not a pickle\n" * 20,
}


def double(values: Any) -> None:
    for i in range(len(values)):
        values[i] *= 2


@pytest.fixture(autouse=True)
def _only_compiled(compiled: bool) -> None:
    if not compiled:
        pytest.skip("plain Python is not cached")


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a cache directory with one kernel."""
    path = tmp_path / "kernels"
    path.mkdir(mode=0o700)
    monkeypatch.setattr(cache, "directory", lambda: path)
    assert not is_loaded()
    assert is_loaded()
    return path


def is_loaded(dtype: type = np.int64) -> bool:
    """Return whether a kernel, as in a new process, comes from the cache; check its result in any case."""
    function: Any = kernel(double)
    values = np.arange(5, dtype=dtype)
    function(values)
    assert values.tolist() == [0, 2, 4, 6, 8]
    return bool(function.stats.cache_hits)


def the_file(directory: Path, suffix: str) -> Path:
    (path,) = directory.rglob(f"*.{suffix}")
    return path


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_replaced_and_that_is_said(directory: Path, suffix: str, damage: str) -> None:
    path = the_file(directory, suffix)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.warns(RuntimeWarning, match=f"{path.parent}: compiled kernels there are damaged"):
        assert not is_loaded()
    assert is_loaded()


def test_a_wrong_byte_of_machine_code_is_never_run(directory: Path) -> None:
    path = the_file(directory, "nbc")
    data = path.read_bytes()
    with warnings.catch_warnings(record=True, action="always") as warned:
        for place in range(len(data) // 2, len(data), len(data) // 12):
            path.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
            assert not is_loaded()
    assert len(warned) == 1, "it is said once"
    assert is_loaded()


def test_machine_code_for_other_types_is_not_run(directory: Path) -> None:
    path = the_file(directory, "nbc")
    data = path.read_bytes()
    assert not is_loaded(np.float32)
    assert is_loaded(np.float32)
    path.with_name(path.name.replace(".1.nbc", ".2.nbc")).write_bytes(data)
    with pytest.warns(RuntimeWarning, match="damaged"):
        assert not is_loaded(np.float32)


def test_a_cache_that_is_removed_is_made_again(directory: Path) -> None:
    function: Any = kernel(double)
    shutil.rmtree(directory)
    values = np.ones(2)
    function(values)
    assert values.tolist() == [2, 2]
    assert not is_loaded()
    assert is_loaded()


def test_a_cache_that_cannot_be_written_is_done_without(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    the_file(directory, "nbi").write_bytes(b"")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._open_for_write", refuse)
    with pytest.warns(RuntimeWarning, match="damaged"):
        assert not is_loaded()
    shutil.rmtree(directory)
    assert not is_loaded()


def test_only_the_owner_can_look_into_a_new_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPICGROVE_CACHE_DIR", str(tmp_path / "new"))
    made = cache.usable_directory()
    assert made is not None
    assert made.stat().st_mode & 0o777 == 0o700
    assert cache.usable_directory() == made


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_cache_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    monkeypatch.setenv("TOPICGROVE_CACHE_DIR", str(tmp_path))
    made = cache.usable_directory()
    assert made is not None
    made.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others can write to it"):
        assert cache.usable_directory() is None


def test_a_cache_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPICGROVE_CACHE_DIR", str(tmp_path))
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(RuntimeWarning, match="others can write to it"):
        assert cache.usable_directory() is None


def test_where_there_is_no_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("TOPICGROVE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert cache.usable_directory() is None


UNCACHED = """
import numpy as np
from topicgrove.kernels import cache, compiled

def double(values):
    values *= 2

values = np.arange(3)
compiled.kernel(double)(values)
print(values.tolist(), cache.directory(), cache.is_warm())
"""


def start(program: str, cache_directory: Path, **environment: str) -> "subprocess.Popen[str]":
    """Run a program in a separate process, with this cache."""
    variables = os.environ | environment | {"TOPICGROVE_CACHE_DIR": str(cache_directory)}
    variables.pop("TOPICGROVE_CALL_PARTS", None)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", program], env=variables, **pipes)


def test_an_unusable_cache_leaves_nothing_in_the_temporary_directory(tmp_path: Path) -> None:
    in_the_way, temporary = tmp_path / "file", tmp_path / "temporary"
    in_the_way.write_text("")
    temporary.mkdir()
    printed = start(UNCACHED, in_the_way, TMPDIR=str(temporary)).communicate(timeout=120)
    assert printed == ("[0, 2, 4] None False\n", "")
    assert list(temporary.iterdir()) == []


IMPORTED = """
import os
from pathlib import Path

import numpy as np
from topicgrove.kernels import cache, logarithms, sweep, words
from topicgrove.kernels.changes import aggregate

directory = Path(os.environ["TOPICGROVE_CACHE_DIR"])
print(cache.is_warm(), directory.exists())
aggregate(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32))
print(cache.is_warm(), len([*directory.rglob("changes.aggregate*.nbi")]))
"""


def test_the_cache_is_made_when_a_kernel_is_called_not_when_it_is_imported(tmp_path: Path) -> None:
    printed = start(IMPORTED, tmp_path / "cache").communicate(timeout=120)
    assert printed == ("False False\nFalse 1\n", "")


@pytest.mark.slow
def test_fits_that_compile_at_once_or_find_damaged_files_or_lose_their_cache_agree(tmp_path: Path) -> None:
    both = [start(FIT, tmp_path) for _ in range(2)]
    printed = {process.communicate(timeout=600) for process in both}
    ((result, errors),) = printed
    assert float(result) < 0
    assert errors == ""
    for path, damage in zip(sorted(tmp_path.rglob("*.nb?")), cycle(DAMAGES.values()), strict=False):
        path.write_bytes(damage(path.read_bytes()))
    again, errors = start(FIT, tmp_path).communicate(timeout=600)
    assert again == result
    assert errors.count("compiled kernels there are damaged") == 1
    assert start(FIT, tmp_path).communicate(timeout=600) == (result, "")
    shutil.rmtree(tmp_path / next(tmp_path.iterdir()).name)
    midway = start(FIT, tmp_path)
    wait_for(lambda: any(tmp_path.rglob("*.nbc")))
    shutil.rmtree(next(tmp_path.iterdir()), ignore_errors=True)
    assert midway.communicate(timeout=600) == (result, "")


def wait_for(is_so: Callable[[], bool], seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)
