"""Vocabulary files, and files that cannot be opened."""

import gzip
import os
import re

import pytest

from topicgrove.corpus import read_ldac, read_uci
from topicgrove.corpus.textfiles import read_vocabulary

READERS = [read_uci, read_ldac, read_vocabulary]


@pytest.fixture
def write(tmp_path):
    def write_file(content):
        path = tmp_path / "vocab.txt"
        path.write_bytes(content)
        return path

    return write_file


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"tree\nleaf\n", ("tree", "leaf")),
        (b"tree\nleaf", ("tree", "leaf")),
        (b"tree\r\nleaf\r\n", ("tree", "leaf")),
        (b"\xef\xbb\xbftree\nleaf\n", ("tree", "leaf")),
        (gzip.compress(b"tree\nleaf\n", mtime=0), ("tree", "leaf")),
        (b"new york\n", ("new york",)),
        ("b\u00e4ume\n\u6728\n".encode(), ("b\u00e4ume", "\u6728")),
        ("a\u2028b\x0cc\x85d\n".encode(), ("a\u2028b\x0cc\x85d",)),
    ],
    ids=["plain", "no-last-newline", "crlf", "bom", "gzip", "space", "utf-8", "other-line-separators"],
)
def test_words_are_read_one_a_line(write, content, words):
    assert read_vocabulary(write(content)) == words


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", ":1: empty line"),
        (b"tree\n\nleaf\n", ":2: empty line"),
        (b"tree\n \t\nleaf\n", ":2: empty line"),
        (b"tree\nleaf\n\n", ":3: empty line"),
        (b"tree\nle\0af\n", ":2: NUL byte"),
        (b"tree\nleaf\ntree\n", ":3: the word 'tree' was on line 1"),
        (b"tree\nle\xffaf\n", ": invalid UTF-8 at byte 7"),
        (b"\xef\xbb\xbftree\nle\xe4", ": invalid UTF-8 at byte 10"),
        (b"tree\n\xed\xa0\x80\n", ": invalid UTF-8 at byte 5"),
        (gzip.compress(b"tree\n", mtime=0)[:-3], ": truncated or damaged gzip"),
    ],
    ids=["empty", "blank", "spaces", "blank-end", "nul", "duplicate", "latin-1", "cut", "surrogate", "gzip"],
)
def test_wrong_vocabulary_file_is_refused_naming_the_place(write, content, place):
    path = write(content)
    with pytest.raises(ValueError, match=re.escape(f"{path}{place}")):
        read_vocabulary(path)


@pytest.mark.parametrize("read", READERS)
def test_missing_file_raises_file_not_found(read, tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        read(tmp_path / "absent")


@pytest.mark.parametrize("read", READERS)
def test_folder_in_place_of_a_file_raises_os_error(read, tmp_path):
    with pytest.raises(OSError, match=re.escape(str(tmp_path))):
        read(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("read", READERS)
def test_pipe_raises_os_error_instead_of_waiting(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe cannot be read"):
        read(tmp_path / "pipe")
