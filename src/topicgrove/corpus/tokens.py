"""The corpus: all tokens in one array, document after document."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus.count_matrix import MAX_COUNT, check_document_lengths, first_descent, tokens_of_matrix


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents as arrays of word ids.

    Make one with `from_matrix`, `from_documents` or a reader such as `read_uci`. The constructor takes
    arrays that are in the right form already, for example memory-mapped ones: it checks them and keeps
    them, without a copy. Nothing in TopicGrove writes to them; neither should you.

    Parameters
    ----------
    words : ndarray of int32, shape (n_tokens,)
        Word id of every token, document after document, in ascending order inside a document.
    offsets : ndarray of int64, shape (n_docs + 1,)
        Document d is `words[offsets[d]:offsets[d + 1]]`; it may be empty.
    n_words : int
        Size of the vocabulary; word ids are below it.
    vocabulary : tuple of str, default=None
        The words themselves, all different.

    Examples
    --------
    >>> corpus = Corpus.from_documents([[0, 2, 0], [1]], vocabulary=["tree", "leaf", "root"])
    >>> corpus
    Corpus(n_docs=2, n_tokens=4, n_words=3)
    >>> corpus.words
    array([0, 0, 2, 1], dtype=int32)
    >>> corpus.offsets
    array([0, 3, 4])
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_words: int
    vocabulary: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _check_array("words", self.words, np.dtype(np.int32))
        _check_array("offsets", self.offsets, np.dtype(np.int64))
        if isinstance(self.n_words, bool) or not isinstance(self.n_words, int):
            raise ValueError(f"n_words must be an int, not {self.n_words!r}")
        if not 1 <= self.n_words <= MAX_COUNT:
            raise ValueError(f"n_words is {self.n_words}; it must be from 1 to {MAX_COUNT}")
        _check_offsets(self.offsets, len(self.words))
        _check_words(self.words, self.offsets, self.n_words)
        if self.vocabulary is not None:
            _check_vocabulary(self.vocabulary, self.n_words)

    def __repr__(self) -> str:
        return f"Corpus(n_docs={self.n_docs}, n_tokens={self.n_tokens}, n_words={self.n_words})"

    @property
    def n_docs(self) -> int:
        """Number of documents, empty ones included."""
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all documents."""
        return len(self.words)

    @property
    def document_lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each document."""
        return np.diff(self.offsets)

    @classmethod
    def from_matrix(cls, X: Any, vocabulary: Iterable[str] | None = None) -> "Corpus":
        """Make a corpus of a document-term matrix. X is copied, never changed.

        Parameters
        ----------
        X : sparse matrix or array of any format, array-like of shape (n_docs, n_words), or Corpus
            Word counts, one row a document: whole numbers from 0 to 2**31 - 1 of an integer or float
            type, or booleans, which count as 0 and 1. Duplicate entries of a sparse matrix are summed.
            A Corpus is returned as it is, but for a vocabulary given with it.
        vocabulary : iterable of str, default=None
            The words of the columns, such as `CountVectorizer.get_feature_names_out()` returns.

        Returns
        -------
        Corpus

        Raises
        ------
        TypeError
            If X holds objects, text or complex numbers.
        ValueError
            If X is not two-dimensional or has no rows or columns, if a count is negative, fractional,
            not finite or too large, or if the vocabulary does not fit.

        Examples
        --------
        >>> Corpus.from_matrix([[2, 0, 1], [0, 1, 0]]).words
        array([0, 0, 2, 1], dtype=int32)
        """
        if isinstance(X, Corpus):
            return X if vocabulary is None else replace(X, vocabulary=_as_words(vocabulary))
        words, offsets, n_words = tokens_of_matrix(X)
        return cls(words, offsets, n_words, _as_words(vocabulary))

    @classmethod
    def from_documents(
        cls,
        docs: Iterable[Iterable[int]],
        n_words: int | None = None,
        vocabulary: Iterable[str] | None = None,
    ) -> "Corpus":
        """Make a corpus of documents given as word ids, in any order.

        Parameters
        ----------
        docs : iterable of iterables of int
            The word ids of each document, one per token.
        n_words : int, default=None
            Size of the vocabulary; by default the length of `vocabulary`, or else the largest id plus one.
        vocabulary : iterable of str, default=None
            The words by id.

        Returns
        -------
        Corpus

        Raises
        ------
        TypeError
            If a document is not an iterable of integers.
        ValueError
            If there are no documents, an id is out of range, or `vocabulary` and `n_words` disagree.

        Examples
        --------
        >>> Corpus.from_documents([[3, 1], [], [1]])
        Corpus(n_docs=3, n_tokens=3, n_words=4)
        """
        words_of = _as_words(vocabulary)
        documents = [_sorted_ids(document, d) for d, document in enumerate(docs)]
        if not documents:
            raise ValueError("docs has no documents")
        offsets = np.zeros(len(documents) + 1, dtype=np.int64)
        np.cumsum([len(document) for document in documents], dtype=np.int64, out=offsets[1:])
        words = np.concatenate(documents)
        if n_words is None:
            n_words = len(words_of) if words_of is not None else int(words.max(initial=-1)) + 1
            if n_words == 0:
                raise ValueError("n_words or vocabulary must be given when all documents are empty")
        return cls(words, offsets, index(n_words), words_of)

    def to_csr(self) -> sparse.csr_array:
        """The document-term matrix: int32 counts, canonical CSR.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_docs, n_words)

        Examples
        --------
        >>> Corpus.from_documents([[0, 2, 0], [1]]).to_csr().toarray()
        array([[2, 0, 1],
               [0, 1, 0]], dtype=int32)
        """
        run_begins = np.ones(self.n_tokens + 1, dtype=np.bool_)
        np.not_equal(self.words[1:], self.words[:-1], out=run_begins[1:-1])
        run_begins[self.offsets] = True
        bounds = np.flatnonzero(run_begins)
        counts = np.diff(bounds).astype(np.int32)
        row_starts = np.searchsorted(bounds, self.offsets)
        columns = self.words[bounds[:-1]]
        return sparse.csr_array((counts, columns, row_starts), shape=(self.n_docs, self.n_words))

    def take(self, indices: Any) -> "Corpus":
        """The corpus of some documents, in the order asked for, with the same vocabulary.

        Parameters
        ----------
        indices : array-like of int or bool, or slice
            What NumPy accepts as an index into one axis. A document may be taken several times;
            none may be taken.

        Returns
        -------
        Corpus
            A run of consecutive documents shares its words with this corpus; others are copied.

        Examples
        --------
        >>> Corpus.from_documents([[0], [1, 1], [2]]).take([2, 1]).words
        array([2, 1, 1], dtype=int32)
        """
        chosen = np.arange(self.n_docs)[indices]
        if chosen.ndim != 1:
            raise ValueError(f"indices must have one dimension; they select an array of shape {chosen.shape}")
        starts = self.offsets[chosen]
        offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
        np.cumsum(self.offsets[chosen + 1] - starts, out=offsets[1:])
        if len(chosen) and np.all(chosen[1:] == chosen[:-1] + 1):
            words = self.words[starts[0] : starts[0] + offsets[-1]]
        else:
            tokens = np.repeat(starts - offsets[:-1], np.diff(offsets))
            tokens += np.arange(len(tokens))
            words = self.words[tokens]
        return replace(self, words=words, offsets=offsets)


def _as_words(vocabulary: Iterable[str] | None) -> tuple[str, ...] | None:
    if vocabulary is None:
        return None
    if isinstance(vocabulary, str | Mapping | Set):
        # A mapping from words to ids, such as CountVectorizer.vocabulary_, is in no useful order.
        kind = type(vocabulary).__name__
        raise ValueError(f"vocabulary must be a sequence of words in the order of their ids, not {kind}")
    return tuple(vocabulary.tolist() if isinstance(vocabulary, np.ndarray) else vocabulary)


def _sorted_ids(document: Iterable[int], d: int) -> NDArray[np.int32]:
    accepted = f"a document is an iterable of word ids from 0 to {MAX_COUNT - 1}"
    try:
        ids = np.asarray(document if isinstance(document, np.ndarray) else list(document))
    except (TypeError, ValueError) as error:
        raise TypeError(f"docs[{d}] is {document!r:.60}; {accepted}") from error
    if ids.size == 0:
        return np.zeros(0, dtype=np.int32)
    if ids.dtype.kind not in "iu" or ids.ndim != 1:
        raise TypeError(f"docs[{d}] has dtype {ids.dtype} and {ids.ndim} dimension(s); {accepted}")
    if not 0 <= ids.min() <= ids.max() < MAX_COUNT:
        raise ValueError(f"docs[{d}] has ids from {ids.min()} to {ids.max()}; {accepted}")
    return np.sort(ids.astype(np.int32))


def _check_array(name: str, array: Any, dtype: np.dtype[Any]) -> None:
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} must be an array of {dtype}, not {type(array).__name__}")
    if array.dtype != dtype or array.ndim != 1 or not array.flags.c_contiguous:
        raise ValueError(
            f"{name} must be a contiguous one-dimensional array of {dtype}, "
            f"not of {array.dtype} with {array.ndim} dimension(s)"
        )


def _check_offsets(offsets: NDArray[np.int64], n_tokens: int) -> None:
    if len(offsets) == 0 or offsets[0] != 0:
        raise ValueError("offsets must start with 0")
    if np.any(offsets[1:] < offsets[:-1]):
        document = int(np.argmax(offsets[1:] < offsets[:-1]))
        raise ValueError(f"offsets must not descend, but do after document {document}")
    if offsets[-1] != n_tokens:
        raise ValueError(f"offsets must end with the number of words, {n_tokens}, not {offsets[-1]}")
    check_document_lengths(offsets)


def _check_words(words: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> None:
    if len(words) == 0:
        return
    if not 0 <= words.min() <= words.max() < n_words:
        raise ValueError(
            f"words has ids from {words.min()} to {words.max()}; "
            f"with n_words={n_words} they must be from 0 to {n_words - 1}"
        )
    document = first_descent(words, offsets)
    if document is not None:
        raise ValueError(f"words must ascend inside a document, but do not in document {document}")


def _check_vocabulary(vocabulary: tuple[str, ...], n_words: int) -> None:
    if not isinstance(vocabulary, tuple):
        raise ValueError(f"vocabulary must be a tuple of str, not {type(vocabulary).__name__}")
    if len(vocabulary) != n_words:
        raise ValueError(f"vocabulary has {len(vocabulary)} words; it must have {n_words}, one for each id")
    for i, word in enumerate(vocabulary):
        if not isinstance(word, str) or not word or "\0" in word:
            raise ValueError(f"vocabulary[{i}] is {word!r}; words must be non-empty strings without NUL")
    if len(set(vocabulary)) < n_words:
        repeated = Counter(vocabulary).most_common(1)[0][0]
        raise ValueError(f"vocabulary has {repeated!r} more than once; words must be different")
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError:
        word = next(word for word in vocabulary if _has_surrogate(word))
        raise ValueError(f"vocabulary has {word!r}, which UTF-8 cannot store: a lone surrogate") from None


def _has_surrogate(word: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in word)
