"""Corpus: making one from matrices and documents, its invariants, and the way back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove.corpus import Corpus

MAX_LENGTH = 2**24
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]])
WORDS = ("tree", "leaf", "root")

count_matrices = arrays(
    np.int64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(min_value=0, max_value=5)
)


def corpus_of(words, offsets, n_words=4, vocabulary=None):
    return Corpus(np.array(words, np.int32), np.array(offsets, np.int64), n_words, vocabulary)


def csr_of(data, indices, indptr, n_words=3):
    return sparse.csr_matrix((np.asarray(data), np.array(indices), np.array(indptr)), shape=(len(indptr) - 1, n_words))


class TestFromMatrix:
    @given(count_matrices, st.sampled_from(FORMATS), st.booleans())
    def test_there_and_back_is_the_same_matrix(self, counts, format_, as_array):
        kind = sparse.csr_array if as_array else sparse.csr_matrix
        corpus = Corpus.from_matrix(kind(counts).asformat(format_))
        assert (corpus.to_csr().toarray() == counts).all()
        assert (corpus.n_docs, corpus.n_words) == counts.shape
        assert corpus.n_tokens == counts.sum()
        assert corpus.document_lengths.tolist() == counts.sum(axis=1).tolist()

    @given(count_matrices)
    def test_dense_and_sparse_make_the_same_corpus(self, counts):
        dense, csr = Corpus.from_matrix(counts), Corpus.from_matrix(sparse.csr_array(counts))
        assert dense.words.tolist() == csr.words.tolist()
        assert dense.offsets.tolist() == csr.offsets.tolist()

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)), min_size=1))
    def test_unsorted_triples_with_duplicates_are_summed(self, triples):
        rows, columns, counts = np.array(triples).T
        expected = np.zeros((4, 5), dtype=int)
        np.add.at(expected, (rows, columns), counts)
        coo = sparse.coo_array((counts, (rows, columns)), shape=(4, 5))
        assert (Corpus.from_matrix(coo).to_csr().toarray() == expected).all()

    def test_words_and_offsets_have_the_types_of_the_kernels(self):
        corpus = Corpus.from_matrix(COUNTS.astype(float))
        assert corpus.words.dtype == np.int32
        assert corpus.offsets.dtype == np.int64

    def test_csr_with_64_bit_indices_is_accepted(self):
        matrix = sparse.csr_matrix(COUNTS)
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
        corpus = Corpus.from_matrix(matrix)
        assert corpus.words.dtype == np.int32
        assert (corpus.to_csr().toarray() == COUNTS).all()

    @pytest.mark.parametrize("format_", ["csr", "csc", "coo"])
    def test_duplicate_indices_are_summed_without_wrapping(self, format_):
        triples = (np.array([100, 100], np.int8), (np.array([0, 0]), np.array([1, 1])))
        coo = sparse.coo_matrix(triples, shape=(1, 2))
        if format_ == "csr":
            matrix = csr_of(np.array([100, 100], np.int8), [1, 1], [0, 2], n_words=2)
        elif format_ == "csc":
            matrix = sparse.csc_matrix((triples[0], np.array([0, 0]), np.array([0, 0, 2])), shape=(1, 2))
        else:
            matrix = coo
        assert Corpus.from_matrix(matrix).words.tolist() == [1] * 200

    def test_unsorted_csr_is_sorted_and_left_unchanged(self):
        matrix = csr_of([1, 2, 3], [2, 0, 1], [0, 2, 3])
        assert Corpus.from_matrix(matrix).words.tolist() == [0, 0, 2, 1, 1, 1]
        assert matrix.indices.tolist() == [2, 0, 1]
        assert matrix.data.tolist() == [1, 2, 3]

    def test_explicit_zeros_are_dropped(self):
        assert Corpus.from_matrix(csr_of([0, 1], [0, 1], [0, 2])).to_csr().nnz == 1

    def test_spare_room_of_a_csr_is_ignored(self):
        matrix = csr_of([1, 1], [0, 1], [0, 2])
        matrix.indices, matrix.data = np.array([0, 1, 9], np.int32), np.array([1, 1, -5])
        assert Corpus.from_matrix(matrix).words.tolist() == [0, 1]

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, np.float16, np.float32, np.longdouble])
    def test_whole_numbers_of_any_type_are_accepted(self, dtype):
        assert (Corpus.from_matrix(COUNTS.astype(dtype)).to_csr().toarray() == COUNTS).all()

    def test_bools_count_as_one(self):
        assert (Corpus.from_matrix(COUNTS > 0).to_csr().toarray() == (COUNTS > 0)).all()
        duplicates = csr_of(np.array([True, True]), [1, 1], [0, 2])
        assert Corpus.from_matrix(duplicates).words.tolist() == [1, 1]

    def test_lists_are_accepted(self):
        assert (Corpus.from_matrix(COUNTS.tolist()).to_csr().toarray() == COUNTS).all()

    def test_data_frame_is_accepted(self):
        pandas = pytest.importorskip("pandas")
        assert (Corpus.from_matrix(pandas.DataFrame(COUNTS)).to_csr().toarray() == COUNTS).all()

    def test_count_vectorizer_output_is_accepted(self):
        vectorizer = CountVectorizer()
        X = vectorizer.fit_transform(["a tree of trees", "tree"])
        corpus = Corpus.from_matrix(X, vectorizer.get_feature_names_out())
        assert corpus.vocabulary == ("of", "tree", "trees")
        assert {type(word) for word in corpus.vocabulary} == {str}

    def test_read_only_and_memory_mapped_arrays_are_accepted(self, tmp_path):
        np.save(tmp_path / "counts.npy", COUNTS)
        mapped = np.load(tmp_path / "counts.npy", mmap_mode="r")
        assert (Corpus.from_matrix(mapped).to_csr().toarray() == COUNTS).all()
        matrix = csr_of([1, 2, 3], [2, 0, 1], [0, 2, 3])
        for array in (matrix.data, matrix.indices, matrix.indptr):
            array.flags.writeable = False
        assert Corpus.from_matrix(matrix).n_tokens == 6

    def test_later_changes_of_the_matrix_do_not_reach_the_corpus(self):
        matrix = csr_of(np.array([1, 1], np.int32), [0, 1], [0, 2])
        corpus = Corpus.from_matrix(matrix)
        matrix.indices[:] = 2
        assert corpus.words.tolist() == [0, 1]

    def test_empty_documents_are_kept(self):
        assert Corpus.from_matrix(np.zeros((3, 2))).document_lengths.tolist() == [0, 0, 0]

    def test_one_document_of_one_word_is_a_corpus(self):
        assert repr(Corpus.from_matrix([[1]])) == "Corpus(n_docs=1, n_tokens=1, n_words=1)"

    def test_document_of_a_million_tokens_is_accepted(self):
        assert Corpus.from_matrix([[10**6, 1]]).n_tokens == 10**6 + 1

    def test_a_corpus_is_returned_as_it_is(self):
        corpus = Corpus.from_matrix(COUNTS)
        assert Corpus.from_matrix(corpus) is corpus

    def test_a_vocabulary_given_with_a_corpus_is_set(self):
        assert Corpus.from_matrix(Corpus.from_matrix(COUNTS), WORDS).vocabulary == WORDS

    @pytest.mark.parametrize("count", [-1, 0.5, np.nan, np.inf, -np.inf, MAX_LENGTH + 1])
    @pytest.mark.parametrize("convert", [np.asarray, *(getattr(sparse, f"{f}_matrix") for f in FORMATS)])
    def test_wrong_count_is_refused_naming_its_row(self, count, convert):
        counts = COUNTS.astype(float)
        counts[1:, 2] = count
        with pytest.raises(ValueError, match=rf"X has the count {float(count)} in row 1; .* from 0 to 16777216"):
            Corpus.from_matrix(convert(counts))

    @pytest.mark.parametrize("dtype", [np.float16, np.float32])
    def test_infinity_of_small_floats_is_refused(self, dtype):
        with pytest.raises(ValueError, match="count inf in row 0"):
            Corpus.from_matrix(np.array([[np.inf]], dtype))

    def test_float32_just_above_the_largest_count_is_refused(self):
        with pytest.raises(ValueError, match=r"count 16777218\.0 in row 0"):
            Corpus.from_matrix(np.array([[2**24 + 2]], np.float32))

    @pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
    def test_document_with_more_tokens_than_kernels_count_is_refused(self, convert):
        with pytest.raises(ValueError, match="X: document 1 has 33554432 tokens; a document holds at most 16777216"):
            Corpus.from_matrix(convert([[1, 0], [MAX_LENGTH, MAX_LENGTH]]))

    @pytest.mark.parametrize("X", [COUNTS.astype(complex), COUNTS.astype(object), COUNTS.astype("M8[s]")])
    def test_types_that_are_no_numbers_are_refused(self, X):
        with pytest.raises(TypeError, match="X has dtype"):
            Corpus.from_matrix(X)

    def test_complex_sparse_matrix_is_refused(self):
        with pytest.raises(TypeError, match="X has dtype complex128"):
            Corpus.from_matrix(sparse.csr_matrix(COUNTS.astype(complex)))

    def test_text_is_refused_with_advice(self):
        with pytest.raises(TypeError, match="CountVectorizer"):
            Corpus.from_matrix(["a tree", "a leaf"])

    @pytest.mark.parametrize("X", [3, [1, 2], [[[1]]], sparse.coo_array(np.array([1, 2]))])
    def test_wrong_number_of_dimensions_is_refused(self, X):
        with pytest.raises(ValueError, match="dimension"):
            Corpus.from_matrix(X)

    def test_ragged_lists_are_refused(self):
        with pytest.raises(ValueError, match="X must be a matrix"):
            Corpus.from_matrix([[1, 2], [3]])

    @pytest.mark.parametrize("kind", [np.zeros, sparse.csr_matrix, sparse.coo_array])
    def test_no_rows_or_columns_are_refused(self, kind):
        with pytest.raises(ValueError, match="no documents"):
            Corpus.from_matrix(kind((0, 3)))
        with pytest.raises(ValueError, match="no words"):
            Corpus.from_matrix(kind((3, 0)))

    @pytest.mark.parametrize(
        ("attribute", "value"),
        [("indices", [0, 3]), ("indices", [-1, 0]), ("indptr", [0, 2, 1]), ("indptr", [0, 1, 3])],
    )
    def test_broken_csr_is_refused(self, attribute, value):
        matrix = csr_of([1, 1], [0, 1], [0, 1, 2])
        setattr(matrix, attribute, np.array(value, np.int32))
        with pytest.raises(ValueError, match="not a valid CSR matrix"):
            Corpus.from_matrix(matrix)


class TestFromDocuments:
    @given(st.lists(st.lists(st.integers(min_value=0, max_value=9)), min_size=1))
    def test_documents_keep_their_words_in_ascending_order(self, docs):
        corpus = Corpus.from_documents(docs, n_words=10)
        bounds = zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)
        assert [corpus.words[begin:end].tolist() for begin, end in bounds] == [sorted(doc) for doc in docs]

    def test_any_iterables_are_accepted(self):
        docs = (iter(doc) for doc in [(1, 0), np.array([2], np.uint8), range(2)])
        assert Corpus.from_documents(docs).words.tolist() == [0, 1, 2, 0, 1]

    def test_vocabulary_gives_the_number_of_words(self):
        assert Corpus.from_documents([[0]], vocabulary=WORDS).n_words == 3

    def test_no_documents_are_refused(self):
        with pytest.raises(ValueError, match="no documents"):
            Corpus.from_documents([])

    def test_empty_documents_alone_need_a_number_of_words(self):
        with pytest.raises(ValueError, match="n_words or vocabulary"):
            Corpus.from_documents([[], []])
        assert Corpus.from_documents([[], []], n_words=2).n_docs == 2

    @pytest.mark.parametrize("document", [3, "text", [0.5], [None], [True], [[1]], [[1], [1, 2]]])
    def test_document_that_is_no_list_of_ids_is_refused(self, document):
        with pytest.raises(TypeError, match=r"docs\[1\]"):
            Corpus.from_documents([[0], document])

    @pytest.mark.parametrize("word", [-1, 2**31, 2**40])
    def test_id_beyond_32_bits_is_refused(self, word):
        with pytest.raises(ValueError, match=r"docs\[1\]"):
            Corpus.from_documents([[0], [word]])

    def test_id_beyond_the_vocabulary_is_refused(self):
        with pytest.raises(ValueError, match="from 0 to 2"):
            Corpus.from_documents([[3]], vocabulary=WORDS)

    def test_fractional_number_of_words_is_refused(self):
        with pytest.raises(TypeError):
            Corpus.from_documents([[0]], n_words=2.5)


class TestTake:
    @given(count_matrices, st.data())
    def test_take_selects_rows(self, counts, data):
        row = st.integers(min_value=-len(counts), max_value=len(counts) - 1)
        indices = data.draw(st.lists(row))
        taken = Corpus.from_matrix(counts).take(indices)
        assert (taken.to_csr().toarray() == counts[indices]).all()

    def test_mask_and_slice_select_documents(self):
        corpus = Corpus.from_matrix(COUNTS, WORDS)
        assert corpus.take([True, False, True]).words.tolist() == [0, 0, 2, 1, 1, 1]
        assert corpus.take(slice(None, None, -1)).words.tolist() == [1, 1, 1, 0, 0, 2]

    def test_vocabulary_stays(self):
        assert Corpus.from_matrix(COUNTS, WORDS).take([1]).vocabulary == WORDS

    def test_a_run_of_documents_shares_memory(self):
        corpus = Corpus.from_matrix(COUNTS)
        assert np.shares_memory(corpus.take([1, 2]).words, corpus.words)

    def test_no_documents_may_be_taken(self):
        taken = Corpus.from_matrix(COUNTS).take([])
        assert (taken.n_docs, taken.n_tokens, taken.n_words) == (0, 0, 3)
        assert taken.to_csr().shape == (0, 3)

    def test_document_out_of_range_is_refused(self):
        with pytest.raises(IndexError):
            Corpus.from_matrix(COUNTS).take([3])

    def test_single_number_is_refused(self):
        with pytest.raises(ValueError, match="one dimension"):
            Corpus.from_matrix(COUNTS).take(1)


def test_to_csr_is_canonical_with_int32_counts():
    matrix = Corpus.from_matrix(COUNTS).to_csr()
    assert matrix.has_canonical_format
    assert matrix.dtype == np.int32


def test_constructor_keeps_memory_mapped_arrays(tmp_path):
    np.save(tmp_path / "words.npy", np.array([0, 1], np.int32))
    words = np.load(tmp_path / "words.npy", mmap_mode="r")
    assert Corpus(words, np.array([0, 2]), 2).words is words


@pytest.mark.parametrize(
    ("words", "offsets", "message"),
    [
        ([0], [], "offsets must start with 0"),
        ([0], [1, 1], "offsets must start with 0"),
        ([0, 1], [0, 2, 1, 2], "after document 1"),
        ([0, 1], [0, 1], "offsets must end with the number of words, 2, not 1"),
        ([0, 4], [0, 2], "from 0 to 3"),
        ([-1, 0], [0, 2], "from 0 to 3"),
        ([3, 1, 0], [0, 1, 3], "not in document 1"),
    ],
)
def test_broken_arrays_are_refused(words, offsets, message):
    with pytest.raises(ValueError, match=message):
        corpus_of(words, offsets)


def test_words_may_descend_between_documents_only():
    assert corpus_of([3, 1, 1, 0], [0, 0, 1, 1, 3, 4, 4]).n_docs == 6


@pytest.mark.parametrize(
    "words",
    [[0], np.array([0]), np.zeros((1, 1), np.int32), np.zeros(4, np.int32)[::2], np.array([0], ">i4")],
)
def test_wrong_kind_of_array_is_refused(words):
    with pytest.raises(ValueError, match="words must be"):
        Corpus(words, np.array([0, 1]), 1)


@pytest.mark.parametrize("n_words", [0, -1, 2**31, True, 2.0, None])
def test_wrong_number_of_words_is_refused(n_words):
    with pytest.raises(ValueError, match="n_words"):
        corpus_of([0], [0, 1], n_words)


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        (["a", "b"], "has 2 words; it must have 3"),
        (["a", "b", "a"], "'a' more than once"),
        (["a", None, "b"], r"vocabulary\[1\] is None"),
        (["a", "", "b"], r"vocabulary\[1\] is ''"),
        (["a", float("nan"), "b"], r"vocabulary\[1\] is nan"),
        (["a", "b\0", "c"], "NUL"),
        (["a", "b\ud800", "c"], "surrogate"),
        ("abc", "not str"),
        ({"a": 2, "b": 1, "c": 0}, "not dict"),
        ({"a", "b", "c"}, "not set"),
    ],
)
def test_wrong_vocabulary_is_refused(vocabulary, message):
    with pytest.raises(ValueError, match=message):
        Corpus.from_matrix(COUNTS, vocabulary)


def test_repr_gives_the_sizes():
    assert repr(Corpus.from_matrix(COUNTS, WORDS)) == "Corpus(n_docs=3, n_tokens=6, n_words=3)"
