"""Matrices whose arrays contradict each other are refused before SciPy, which trusts them, converts anything."""

import re

import numpy as np
import pytest
from scipy import sparse

from topicgrove import HierarchicalLDA
from topicgrove.corpus import Corpus

COUNTS = np.random.default_rng(0).poisson(1.0, (40, 30)) + np.eye(40, 30, dtype=int)
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.fixture(params=["matrix", "array"])
def make(request):
    """Make COUNTS as a SciPy matrix or array of a format."""

    def make_matrix(format_):
        options = {"blocksize": (2, 2)} if format_ == "bsr" else {}
        return getattr(sparse, f"{format_}_{request.param}")(COUNTS, **options)

    return make_matrix


def assert_refused(matrix, message):
    name = re.escape(f"X is not a valid {matrix.format.upper()} matrix: ")
    with pytest.raises(ValueError, match=f"^{name}.*{re.escape(message)}"):
        Corpus.from_matrix(matrix)


@pytest.mark.parametrize("format_", FORMATS)
def test_sound_matrices_of_every_layout_are_read(make, format_):
    assert (Corpus.from_matrix(make(format_)).to_csr().toarray() == COUNTS).all()


@pytest.mark.parametrize("index_type", [np.int64, np.uint64, np.int16, np.uint8])
@pytest.mark.parametrize("format_", ["csr", "csc", "coo"])
def test_indices_of_any_integer_type_are_read(make, format_, index_type):
    matrix = make(format_)
    if format_ == "coo":
        matrix.row, matrix.col = matrix.row.astype(index_type), matrix.col.astype(index_type)
    else:
        matrix.indices = matrix.indices.astype(index_type)
    assert (Corpus.from_matrix(matrix).to_csr().toarray() == COUNTS).all()


@pytest.mark.parametrize("format_", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("index", [10**8, -1, -(10**8)])
def test_an_index_outside_the_matrix_is_named(make, format_, index):
    matrix = make(format_)
    entry = int(matrix.indptr[3])
    matrix.indices[entry] = index
    places = {
        "csr": f"row 3 has an entry in column {index}; columns are from 0 to 29",
        "csc": f"column 3 has an entry in row {index}; rows are from 0 to 39",
        "bsr": f"block row 3 has an entry in block column {index}; block columns are from 0 to 14",
    }
    assert_refused(matrix, places[format_])


def test_a_fit_refuses_a_matrix_that_would_crash_scipy(make):
    matrix = make("csc")
    matrix.indices[0] = 10**8
    with pytest.raises(ValueError, match=r"^X is not a valid CSC matrix: column 0 has an entry in row 100000000"):
        HierarchicalLDA(n_iter=1).fit(matrix)


@pytest.mark.parametrize("format_", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("wrong", [10**8, -1])
def test_an_indptr_that_does_not_ascend_is_refused(make, format_, wrong):
    matrix = make(format_)
    matrix.indptr[2] = wrong
    assert_refused(matrix, "numbers that ascend from 0")


@pytest.mark.parametrize("format_", ["csr", "csc", "bsr"])
def test_an_indptr_beyond_the_entries_is_refused(make, format_):
    matrix = make(format_)
    matrix.indptr[-1] += 1
    assert_refused(matrix, f"indptr ends with {matrix.indptr[-1]}; there are {matrix.indptr[-1] - 1} indices")


@pytest.mark.parametrize("format_", ["csr", "csc", "bsr"])
def test_an_indptr_of_another_length_is_refused(make, format_):
    matrix = make(format_)
    matrix.indptr = matrix.indptr[:-3]
    assert_refused(matrix, f"indptr must hold {len(matrix.indptr) + 3} numbers")


@pytest.mark.parametrize("format_", ["csr", "csc", "bsr"])
def test_an_indptr_with_nan_is_refused(make, format_):
    matrix = make(format_)
    matrix.indptr = matrix.indptr.astype(float)
    matrix.indptr[2] = np.nan
    assert_refused(matrix, "indptr must be whole numbers")


def test_fractional_indices_are_refused(make):
    matrix = make("csr")
    matrix.indices = matrix.indices + 0.5
    assert_refused(matrix, "indices must be whole numbers")


@pytest.mark.parametrize(
    ("format_", "message"),
    [
        ("csr", "indptr must hold 401 numbers that ascend from 0, for 400 rows"),
        ("bsr", "indptr must hold 201 numbers that ascend from 0, for 200 block rows"),
        ("lil", "it has 40 lists of columns and 40 of counts for 400 rows"),
    ],
)
def test_a_shape_with_more_rows_than_there_are_is_refused(make, format_, message):
    matrix = make(format_)
    matrix._shape = (400, 30)
    assert_refused(matrix, message)


def test_blocks_that_do_not_divide_the_shape_are_refused(make):
    matrix = make("bsr")
    matrix._shape = (41, 30)
    assert_refused(matrix, "its blocks have the shape (2, 2), which must divide (41, 30)")


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        (-1, 0, "row -1, column 0; rows are from 0 to 39"),
        (40, 0, "row 40, column 0; rows are from 0 to 39"),
        (2, -1, "row 2, column -1; columns are from 0 to 29"),
        (2, 30, "row 2, column 30; columns are from 0 to 29"),
    ],
)
@pytest.mark.parametrize("format_", ["coo", "dok"])
def test_an_entry_outside_the_matrix_is_named(make, format_, row, column, message):
    matrix = make(format_)
    if format_ == "coo":
        matrix.row[5], matrix.col[5] = row, column
    else:
        matrix._dict[row, column] = 1
    assert_refused(matrix, f"it has an entry in {message}")


def test_coordinates_without_counts_are_refused(make):
    matrix = make("coo")
    matrix.data = matrix.data[:-3]
    assert_refused(matrix, f"it has {len(matrix.row)} rows, {len(matrix.row)} columns and {len(matrix.row) - 3} data")


@pytest.mark.parametrize("key", [(1, 2, 3), "ab", ("a", 2)])
def test_keys_that_are_no_pairs_of_numbers_are_refused(make, key):
    matrix = make("dok")
    matrix._dict[key] = 1
    assert_refused(matrix, "its keys must")


class TestLil:
    def test_rows_of_different_lengths_are_refused(self, make):
        matrix = make("lil")
        matrix.data[3] = matrix.data[3][:-2]
        assert_refused(matrix, "rows[3] and data[3] must be lists of the same length")

    def test_a_row_that_is_no_list_is_refused(self, make):
        matrix = make("lil")
        matrix.rows[3] = None
        assert_refused(matrix, "rows[3] and data[3] must be lists")

    def test_a_column_outside_the_matrix_is_named(self, make):
        matrix = make("lil")
        matrix.rows[3][0] = 30
        assert_refused(matrix, "it has an entry in row 3, column 30; columns are from 0 to 29")

    @pytest.mark.parametrize("value", ["a", None, [1], 2**70])
    def test_what_is_no_number_is_refused(self, make, value):
        for part in ("rows", "data"):
            matrix = make("lil")
            getattr(matrix, part)[3][0] = value
            assert_refused(matrix, f"its {part} must hold numbers alone")

    def test_a_fraction_among_whole_numbers_is_refused(self, make):
        matrix = make("lil")
        matrix.data[3][0] = 1.5
        with pytest.raises(ValueError, match=r"X has the count 1\.5 in row 3"):
            Corpus.from_matrix(matrix)


class TestDia:
    def test_as_many_offsets_as_diagonals_are_needed(self, make):
        matrix = make("dia")
        matrix.offsets = matrix.offsets[:-1]
        assert_refused(matrix, f"it has {len(matrix.offsets)} offsets for {len(matrix.data)} diagonals")

    def test_a_diagonal_twice_is_refused(self, make):
        matrix = make("dia")
        matrix.offsets[1] = matrix.offsets[0]
        assert_refused(matrix, "its offsets must be different")

    def test_an_offset_that_would_become_negative_is_refused(self, make):
        matrix = make("dia")
        matrix.offsets = matrix.offsets.astype(np.uint64)
        matrix.offsets[0] = 2**64 - 1
        assert_refused(matrix, "its offsets hold 18446744073709551615, which no matrix has")

    @pytest.mark.parametrize("offset", [10**8, 2**31 - 1, -(2**31)])
    def test_a_diagonal_outside_the_matrix_adds_nothing(self, make, offset):
        matrix = make("dia")
        matrix.offsets[0] = offset
        expected = COUNTS.copy()
        expected[39, 0] = 0
        assert (Corpus.from_matrix(matrix).to_csr().toarray() == expected).all()


class TestMasked:
    def test_masked_entries_are_refused_with_advice(self):
        masked = np.ma.array(COUNTS, mask=False)
        masked[2, 7] = np.ma.masked
        with pytest.raises(ValueError, match=r"X has masked entries, the first at \(2, 7\); X\.filled\(0\)"):
            Corpus.from_matrix(masked)

    def test_masked_data_of_a_sparse_matrix_are_refused(self, make):
        matrix = make("csr")
        matrix.data = np.ma.array(matrix.data, mask=matrix.data > 2)
        with pytest.raises(ValueError, match="X has masked entries"):
            Corpus.from_matrix(matrix)

    def test_a_masked_array_without_masked_entries_is_read(self):
        assert (Corpus.from_matrix(np.ma.array(COUNTS)).to_csr().toarray() == COUNTS).all()
