"""The LDA-C reader: what it accepts, and where it says a file is wrong."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from topicgrove.corpus import ldac, read_ldac, textfiles

TINY = "2 0:2 2:1\n0\n1 1:1\n"


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="tiny.ldac"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def ldac_text(counts):
    lines = []
    for row in counts:
        pairs = [f" {word}:{row[word]}" for word in np.flatnonzero(row)]
        lines.append(f"{len(pairs)}{''.join(pairs)}\n")
    return "".join(lines)


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 10**4)), st.integers(1, 40))
def test_written_counts_are_read_back_whatever_the_chunks(tmp_path_factory, counts, chunk_bytes):
    path = tmp_path_factory.mktemp("ldac") / "counts.ldac"
    path.write_text(ldac_text(counts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textfiles, "_CHUNK_BYTES", chunk_bytes)
        assert (read_ldac(path, n_words=counts.shape[1]).to_csr().toarray() == counts).all()


@given(st.lists(st.sampled_from(["0", "1", "2", "13", ":", " ", "\n", "1 0:1\n", "-", "x"]), max_size=20))
def test_fast_and_careful_parsing_agree(pieces):
    data = "".join(pieces).encode() + b"\n"
    fast = ldac._documents_at_once(data)
    if fast is not None:
        careful = ldac._documents_one_by_one(textfiles.Chunk(1, data, 1.0), textfiles.LineReader(None, "", 0))
        assert fast.n_pairs.tolist() == careful.n_pairs.tolist()
        assert fast.pairs.tolist() == careful.pairs.tolist()


@pytest.mark.parametrize(
    "content",
    [
        TINY,
        TINY.replace("\n", "\r\n"),
        TINY.rstrip("\n"),
        TINY + "\n\n",
        TINY.replace("0:2 2:1", "2:1  0:2 "),
        TINY.replace("2 0:2 2:1", "3 0:1 2:1 0:1"),
        TINY.replace("1:1", "1:0000000000000001"),
        gzip.compress(TINY.encode(), mtime=0),
    ],
    ids=["plain", "crlf", "no-last-newline", "blank-end", "unsorted", "duplicates", "zeros", "gzip"],
)
def test_variants_of_the_format_are_accepted(write, content):
    corpus = read_ldac(write(content))
    assert corpus.to_csr().toarray().tolist() == [[2, 0, 1], [0, 0, 0], [0, 1, 0]]


def test_number_of_words_comes_from_the_argument_or_the_vocabulary(write):
    assert read_ldac(write(TINY), n_words=7).n_words == 7
    corpus = read_ldac(write(TINY), write("a\nb\nc\nd\n", "words"))
    assert corpus.vocabulary == ("a", "b", "c", "d")


def test_number_of_words_and_vocabulary_must_agree(write):
    with pytest.raises(ValueError, match=r"n_words is 7, but .*words has 2 words"):
        read_ldac(write(TINY), write("a\nb\n", "words"), n_words=7)


def test_number_of_words_must_be_positive(write):
    with pytest.raises(ValueError, match="n_words is 0"):
        read_ldac(write(TINY), n_words=0)


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_empty_file_is_refused(write, content):
    with pytest.raises(ValueError, match=r"tiny\.ldac: no documents"):
        read_ldac(write(content))


def test_empty_documents_alone_need_a_number_of_words(write):
    with pytest.raises(ValueError, match="n_words or vocabulary"):
        read_ldac(write("0\n0\n"))
    assert read_ldac(write("0\n0\n"), n_words=2).n_docs == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected 'M id:count id:count ...', found ''"),
        ("x 0:1", "expected 'M id:count"),
        ("0:1 2:1", "expected 'M id:count"),
        ("1: 0 1", "expected 'M id:count"),
        ("1: 0:1", "expected 'M id:count"),
        ("2 0:1", "says 2 pairs, but has 1"),
        ("1 0:1 1:1", "says 1 pairs, but has 2"),
        ("-1", "says -1 pairs, but has 0"),
        ("1 0", "'id:count', found '0'"),
        ("1 0:", "'id:count', found '0:'"),
        ("1 0: 1", "says 1 pairs, but has 2"),
        ("1 :1", "'id:count', found ':1'"),
        ("1 0:1:1", "'id:count', found '0:1:1'"),
        ("1 0:1.5", "found '0:1.5'"),
        ("1 0:x", "found '0:x'"),
        ("1 3:1", "word 3 is not from 0 to 2"),
        ("1 -1:1", "word -1 is not from 0 to 2"),
        ("1 0:0", "count 0 is not from 1"),
        ("1 0:-4", "count -4 is not from 1"),
        ("1 0:16777217", "count 16777217 is not from 1 to 16777216"),
        ("1 0:99999999999999999999", "found"),
    ],
)
def test_wrong_line_is_refused_naming_it(write, line, message):
    path = write(f"1 0:1\n0\n{line}\n2 0:1 1:2\n")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}:3: .*{re.escape(message)}"):
        read_ldac(path, n_words=3)


def test_word_id_beyond_32_bits_is_refused(write):
    with pytest.raises(ValueError, match=":1: word 2147483647 is not from 0 to 2147483646"):
        read_ldac(write("1 2147483647:1\n"))


def test_truncation_inside_a_line_is_refused(write):
    for end in range(1, len("3 10:2 20:1 30:")):
        with pytest.raises(ValueError, match=r"tiny\.ldac:1: "):
            read_ldac(write("3 10:2 20:1 30:1\n"[:end]))


def test_truncated_gzip_is_refused(write):
    with pytest.raises(ValueError, match=r"tiny\.ldac: truncated or damaged gzip"):
        read_ldac(write(gzip.compress(TINY.encode(), mtime=0)[:-9]))


def test_gzip_bomb_is_refused_before_it_is_unpacked(write):
    with pytest.raises(ValueError, match="more than max_bytes=1000000"):
        read_ldac(write(gzip.compress(b"1 0:1\n" * 5_000_000, mtime=0)), max_bytes=1_000_000)
