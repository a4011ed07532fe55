"""The MatrixMarket reader."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import io, sparse

from topicgrove.corpus import read_corpus, read_matrix_market

BANNER = "%%MatrixMarket matrix coordinate integer general\n"
TINY = BANNER + "% made by hand\n2 3 3\n1 1 2\n1 3 1\n2 2 1\n"


@given(
    arrays(np.int64, array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 10**4)),
    st.sampled_from([np.int64, np.float64]),
)
def test_matrix_written_by_scipy_is_read_back(tmp_path_factory, counts, dtype):
    path = tmp_path_factory.mktemp("mtx") / "counts.mtx"
    io.mmwrite(path, sparse.coo_matrix(counts.astype(dtype)), symmetry="general")
    assert (read_matrix_market(path).to_csr().toarray() == counts).all()


def test_compressed_file_is_read(write_packed):
    corpus = read_corpus(write_packed(TINY, "counts.mtx"))
    assert corpus.to_csr().toarray().tolist() == [[2, 0, 1], [0, 1, 0]]


def test_vocabulary_is_read(write):
    assert read_matrix_market(write(TINY, "a.mtx"), write("x\ny\nz\n", "words")).vocabulary == ("x", "y", "z")


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", 1, "expected '%%MatrixMarket"),
        ("1 1 1\n", 1, "expected '%%MatrixMarket"),
        (TINY.replace("coordinate", "array"), 1, "only 'coordinate'"),
        (TINY.replace("integer", "complex"), 1, "only 'coordinate'"),
        (TINY.replace("general", "symmetric"), 1, "only 'coordinate'"),
        (BANNER, 2, "numbers of rows, columns and entries, found ''"),
        (BANNER + "2 3\n", 2, "numbers of rows"),
        (BANNER + "0 3 0\n", 2, "no documents"),
        (BANNER + "3 0 0\n", 2, "no words"),
        (BANNER + "9999999999 3 3\n", 2, "too many"),
        (TINY.replace("1 3 1\n", "1 3\n"), 5, "found '1 3'"),
        (TINY.replace("1 3 1", "1 3 1.5"), 5, "whole count, found '1 3 1.5'"),
        (TINY.replace("1 3 1", "1 3 nan"), 5, "whole count"),
        (TINY.replace("1 3 1", "1 3 inf"), 5, "whole count"),
        (TINY.replace("1 3 1", "1 3 -1"), 5, "count -1 is not from 1"),
        (TINY.replace("1 3 1", "1 3 2147483648"), 5, "count 2147483648 is not from 1"),
        (TINY.replace("1 3 1", "3 3 1"), 5, "document 3 is not from 1 to 2"),
        (TINY.replace("1 3 1", "1 4 1"), 5, "word 4 is not from 1 to 3"),
        (TINY.replace("2 2 1\n", ""), 5, "ends after 2 entries; its header says 3"),
        (TINY + "2 3 1\n", 7, "more entries than the 3"),
    ],
)
def test_wrong_file_is_refused_naming_the_line(write, content, line, message):
    path = write(content, "counts.mtx")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}:{line}: .*{re.escape(message)}"):
        read_matrix_market(path)


def test_every_truncation_is_refused(write):
    for end in range(len(TINY) - 1):
        with pytest.raises(ValueError, match=r"counts\.mtx:\d"):
            read_matrix_market(write(TINY[:end], "counts.mtx"))
