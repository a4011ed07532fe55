"""The UCI reader: what it accepts, and where it says a file is wrong."""

import gzip
import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from topicgrove.corpus import read_uci, textfiles, uci

TINY = "2\n3\n3\n1 1 2\n1 3 1\n2 2 1\n"


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="docword.tiny.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def assert_refused(path, line, message, **options):
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}:{line}: .*{message}"):
        read_uci(path, **options)


def uci_text(counts):
    records = [f"{d + 1} {w + 1} {counts[d, w]}\n" for d, w in np.argwhere(counts)]
    return "".join([f"{counts.shape[0]}\n{counts.shape[1]}\n{len(records)}\n", *records])


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 10**4)), st.integers(1, 40))
def test_written_counts_are_read_back_whatever_the_chunks(tmp_path_factory, counts, chunk_bytes):
    counts[-1, 0] += 1
    path = tmp_path_factory.mktemp("uci") / "counts.txt"
    path.write_text(uci_text(counts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textfiles, "_CHUNK_BYTES", chunk_bytes)
        assert (read_uci(path).to_csr().toarray() == counts).all()


@given(st.text(alphabet="0123456789 -x\t\n", max_size=60))
def test_fast_and_careful_parsing_agree(text):
    data = text.encode() + b"\n"
    fast = uci.records_at_once(data)
    if fast is not None and len(fast):
        careful = uci._records_one_by_one(textfiles.Chunk(1, data, 1.0), textfiles.LineReader(None, "", 0))
        assert fast.tolist() == careful.tolist()


def test_tiny_file(write):
    corpus = read_uci(write(TINY))
    assert corpus.to_csr().toarray().tolist() == [[2, 0, 1], [0, 1, 0]]
    assert corpus.vocabulary is None


@pytest.mark.parametrize(
    "content",
    [
        TINY.replace("\n", "\r\n"),
        TINY.rstrip("\n"),
        TINY + "\n \n\n",
        TINY.replace(" ", "\t"),
        TINY.replace("1 1 2", "  1   1\t2 "),
        TINY.replace("1 1 2", "1 0000000000000001 2"),
        gzip.compress(TINY.encode(), mtime=0),
        gzip.compress(TINY[:9].encode(), mtime=0) + gzip.compress(TINY[9:].encode(), mtime=0),
        "2\n3\n4\n2 2 1\n1 3 1\n1 1 1\n1 1 1\n",
    ],
    ids=[
        "crlf",
        "no-last-newline",
        "blank-end",
        "tabs",
        "spaces",
        "zeros",
        "gzip",
        "two-gzips",
        "unsorted-duplicates",
    ],
)
def test_variants_of_the_format_are_accepted(write, content):
    assert read_uci(write(content)).to_csr().toarray().tolist() == [[2, 0, 1], [0, 1, 0]]


def test_documents_without_records_are_kept_empty(write):
    assert read_uci(write("4\n1\n2\n2 1 1\n4 1 3\n")).document_lengths.tolist() == [0, 1, 0, 3]


def test_vocabulary_beside_the_file_is_found(write):
    write("tree\nleaf\nroot\n", "vocab.tiny.txt")
    assert read_uci(write(TINY)).vocabulary == ("tree", "leaf", "root")
    assert read_uci(write(gzip.compress(TINY.encode(), mtime=0), "docword.tiny.txt.gz")).vocabulary is not None


def test_vocabulary_given_is_read(write):
    assert read_uci(str(write(TINY)), str(write("a\nb\nc", "words"))).vocabulary == ("a", "b", "c")


def test_vocabulary_of_another_size_is_refused(write):
    with pytest.raises(ValueError, match=r"words: 2 words; .*:2 says 3"):
        read_uci(write(TINY), write("a\nb\n", "words"))


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", 1, "number of documents D alone, found ''"),
        ("2\n3\n", 3, "number of records NNZ alone, found ''"),
        ("2 3 3\n1 1 2\n", 1, "found '2 3 3'"),
        ("2\nthree\n3\n", 2, "number of words W alone, found 'three'"),
        ("-2\n3\n3\n", 1, "found '-2'"),
        ("0\n3\n0\n", 1, "no documents"),
        ("2\n0\n0\n", 2, "no words"),
        ("2\n3\n0\n", 3, "no records"),
        ("9999999999\n3\n3\n", 1, "documents D"),
        ("2\n3\n3\n1 1 2\n1 3\n2 2 1\n", 5, "three whole numbers .* found '1 3'"),
        ("2\n3\n3\n1 1 2\n1 3\n1 2 2 1\n", 5, "found '1 3'"),
        ("2\n3\n3\n1 1 2\n1 3 1 1\n2 2 1\n", 5, "found '1 3 1 1'"),
        ("2\n3\n3\n1 1 2\n1 3 1 2\n2 1\n", 5, "found '1 3 1 2'"),
        ("2\n3\n3\n1 1 2\n\n1 3 1\n2 2 1\n", 5, "found ''"),
        ("2\n3\n3\n1 1 2\n1 x 1\n2 2 1\n", 5, "found '1 x 1'"),
        ("2\n3\n3\n1 1 2\n1 3 1.0\n2 2 1\n", 5, "found '1 3 1.0'"),
        ("2\n3\n3\n1 1 2\n1 3 1e1\n2 2 1\n", 5, "found"),
        ("2\n3\n3\n1 1 2\n1 3 1_0\n2 2 1\n", 5, "found"),
        ("2\n3\n3\n1 1 2\n1 3 - 1\n2 2 1\n", 5, "found"),
        ("2\n3\n3\n1 1 2\n1 3 \0\n2 2 1\n", 5, r"found '1 3 \\x00'"),
        ("2\n3\n3\n1 1 2\n1 3 é\n2 2 1\n", 5, r"found '1 3 \\xc3\\xa9'"),
        ("2\n3\n3\n1 1 2\n1 3 99999999999999999999\n2 2 1\n", 5, "found"),
        ("2\n3\n3\n1 1 2\n1 3 16777217\n2 2 1\n", 5, "count 16777217 is not from 1 to 16777216"),
        ("2\n3\n3\n1 1 2\n1 3 0\n2 2 1\n", 5, "count 0 is not from 1"),
        ("2\n3\n3\n1 1 2\n1 3 -1\n2 2 1\n", 5, "count -1 is not from 1"),
        ("2\n3\n3\n1 1 2\n0 3 1\n2 2 1\n", 5, "document 0 is not from 1 to 2"),
        ("2\n3\n3\n1 1 2\n3 3 1\n2 2 1\n", 5, "document 3 is not from 1 to 2"),
        ("2\n3\n3\n1 1 2\n1 0 1\n2 2 1\n", 5, "word 0 is not from 1 to 3"),
        ("2\n3\n3\n1 1 2\n1 4 1\n2 2 1\n", 5, "word 4 is not from 1 to 3"),
        ("2\n3\n3\n1 1 2\n2 2 1\n", 5, "ends after 2 records; its header .* says 3"),
        ("2\n3\n3\n", 3, "ends after 0 records"),
        ("2\n3\n3\n1 1 2\n1 2 1\n1 3 1\n2 2 1\n2 3 1\n", 7, "more records than the 3"),
        ("10\n3\n3\n1 1 2\n1 3 1\n9 2 1\n", 6, "last document with words is 9; .* says 10"),
        ("9\n3\n3\n1 1 2\n1 3 1\n10 2 1\n", 6, "document 10 is not from 1 to 9"),
    ],
)
def test_wrong_file_is_refused_naming_the_line(write, content, line, message):
    assert_refused(write(content), line, message)


@pytest.mark.parametrize("chunk_bytes", [1, 7, 64])
def test_line_of_a_fault_does_not_depend_on_the_chunks(write, monkeypatch, chunk_bytes):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", chunk_bytes)
    records = ["1 1 1\n"] * 50
    records[40] = "1 one 1\n"
    assert_refused(write("1\n1\n50\n" + "".join(records)), 44, "found '1 one 1'")


def test_every_truncation_is_refused(write):
    for end in range(len(TINY) - 1):
        with pytest.raises(ValueError, match=r"tiny\.txt:\d"):
            read_uci(write(TINY[:end]))


def test_every_truncation_of_a_gzip_file_is_refused(write):
    data = gzip.compress(TINY.encode(), mtime=0)
    for end in range(len(data)):
        with pytest.raises(ValueError, match=r"docword\.tiny\.txt\.gz:"):
            read_uci(write(data[:end], "docword.tiny.txt.gz"))


def test_damaged_gzip_is_refused(write):
    data = bytearray(gzip.compress(TINY.encode(), mtime=0))
    data[-8] ^= 1
    with pytest.raises(ValueError, match="damaged gzip"):
        read_uci(write(bytes(data)))


def test_documents_with_more_tokens_than_kernels_count_are_refused(write):
    path = write("2\n1\n3\n1 1 1\n2 1 16777216\n2 1 16777216\n")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: document 2 has 33554432 tokens"):
        read_uci(path)


def test_larger_file_than_max_bytes_is_refused(write):
    assert read_uci(write(TINY), max_bytes=len(TINY)).n_docs == 2
    with pytest.raises(ValueError, match=f"more than max_bytes={len(TINY) - 1}"):
        read_uci(write(TINY), max_bytes=len(TINY) - 1)


def test_gzip_bomb_is_refused_before_it_is_unpacked(write):
    path = write(gzip.compress(b"1\n1\n10000000\n" + b"1 1 1\n" * 10_000_000, mtime=0))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than max_bytes=2000000"):
            read_uci(path, max_bytes=2_000_000)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


def test_endless_line_is_refused(write, monkeypatch):
    monkeypatch.setattr(textfiles, "DOCUMENT_MAX_BYTES", 2**20)
    assert_refused(write(gzip.compress(b"1\n1\n1\n" + b"0" * 2**23, mtime=0)), 4, "longer than 1048576 bytes")
