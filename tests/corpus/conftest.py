"""Files that the tests of text input write."""

import gzip

import pytest
import zstandard

PACKERS = {"plain": ("", bytes), "gz": (".gz", gzip.compress), "zst": (".zst", zstandard.ZstdCompressor().compress)}


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="texts.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture(params=list(PACKERS))
def write_packed(write, request):
    suffix, pack = PACKERS[request.param]

    def write_file(content, name):
        return write(pack(content.encode() if isinstance(content, str) else content), name + suffix)

    return write_file
