"""The corpus: all tokens in one array, document after document."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus.columns import chosen_entries
from topicgrove.corpus.count_matrix import MAX_SIZE, tokens_of_matrix
from topicgrove.corpus.documents import ClassPath, Fields
from topicgrove.corpus.dropped import Dropped
from topicgrove.corpus.invariants import check_array, check_column, check_offsets, check_vocabulary, check_words
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.textfiles import FilePath
from topicgrove.corpus.word_ids import as_words, sorted_ids
from topicgrove.renamed import accepts_old_field, take_renamed


@accepts_old_field("labels", "classes")
@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents as arrays of word ids.

    Make one with `from_texts`, `from_matrix`, `from_documents`, `from_gensim` or a reader such as `read_corpus`. The
    constructor takes arrays that are in the right form already, for example memory-mapped ones: it checks them and
    keeps them, without a copy. Nothing in TopicGrove writes to them; neither should you.

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
    ids : sequence of str, default=None
        The name of each document.
    titles : sequence of str, default=None
        The title or the beginning of each document.
    classes : sequence of tuples of str, default=None
        The classes that each document came with, from the top down.
    rules : TextRules, default=None
        How the words were made of text.
    n_unknown_words : int, default=0
        Tokens of the text that were left out because a given vocabulary does not have them.
    dropped : tuple of Dropped, default=None
        What was left out of the text, and why.

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
    ids: Sequence[str] | None = None
    titles: Sequence[str] | None = None
    classes: Sequence[ClassPath] | None = None
    rules: TextRules | None = None
    n_unknown_words: int = 0
    dropped: tuple[Dropped, ...] | None = None

    def __post_init__(self) -> None:
        check_array("words", self.words, np.dtype(np.int32))
        check_array("offsets", self.offsets, np.dtype(np.int64))
        if isinstance(self.n_words, bool) or not isinstance(self.n_words, int):
            raise ValueError(f"n_words must be an int, not {self.n_words!r}")
        if not 1 <= self.n_words <= MAX_SIZE:
            raise ValueError(f"n_words is {self.n_words}; it must be from 1 to {MAX_SIZE}")
        check_offsets(self.offsets, len(self.words))
        check_words(self.words, self.offsets, self.n_words)
        if self.vocabulary is not None:
            check_vocabulary(self.vocabulary, self.n_words)
        for name in ("ids", "titles", "classes"):
            check_column(name, getattr(self, name), self.n_docs)

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

    @property
    def labels(self) -> Sequence[ClassPath] | None:
        """The old name of `classes`."""
        return self.classes

    @classmethod
    def from_matrix(cls, X: Any, vocabulary: Iterable[str] | None = None) -> "Corpus":
        """Make a corpus of a document-term matrix. X is copied, never changed.

        Parameters
        ----------
        X : sparse matrix or array of any format, array-like of shape (n_docs, n_words), or Corpus
            Word counts, one row a document: whole numbers from 0 to 2**24 of an integer or float
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
            If X is not two-dimensional, has no rows or columns, has masked entries, or is a sparse matrix
            whose arrays contradict each other; if a count is negative, fractional, not finite or too large;
            if the documents would not fit into memory; or if the vocabulary does not fit.

        Examples
        --------
        >>> Corpus.from_matrix([[2, 0, 1], [0, 1, 0]]).words
        array([0, 0, 2, 1], dtype=int32)
        """
        if isinstance(X, Corpus):
            return X if vocabulary is None else replace(X, vocabulary=as_words(vocabulary))
        words, offsets, n_words = tokens_of_matrix(X)
        return cls(words, offsets, n_words, as_words(vocabulary))

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
        words_of = as_words(vocabulary)
        documents = [sorted_ids(document, d) for d, document in enumerate(docs)]
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

    @classmethod
    def from_texts(
        cls,
        texts: Any,
        *,
        vocabulary: Sequence[str] | None = None,
        ids: Iterable[object] | None = None,
        text_field: str | Sequence[str] = "text",
        id_field: str | None = None,
        title_field: str | None = None,
        titles: bool = False,
        class_field: str | None = None,
        n_jobs: int = -1,
        rules: TextRules | None = None,
        **rule_options: Any,
    ) -> "Corpus":
        """Make a corpus of texts in memory.

        Parameters
        ----------
        texts : iterable of str, a column or data frame of pandas, polars or Arrow, or a dataset of Hugging Face
            The documents.
        vocabulary : sequence of str, default=None
            Words to look for; others are left out and counted in `n_unknown_words`. By default the rules choose.
        ids : iterable, default=None
            A name for each document.
        text_field, id_field, title_field, class_field : str
            Columns, if texts is a data frame or dataset; as in `read_corpus`. A dataset's `ClassLabel` gives the names
            of classes.
        titles : bool, default=False
            Keep titles: a field "title" where there is one, else the first line of the text, cut to 80 characters.
        n_jobs : int, default=-1
            Threads, -1 for all cores.
        rules : TextRules, default=None
            How to make words from text.
        **rule_options
            Fields of TextRules, in place of rules, such as ``min_df=2``.

        Returns
        -------
        Corpus

        Raises
        ------
        ValueError
            If there are no documents, a text is no string or has a NUL, or no words are left.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["The tree of a garden.", "Trees!"], stop_words="english")
        >>> corpus.vocabulary
        ('garden', 'tree', 'trees')
        >>> Corpus.from_texts(["a tree falls"], vocabulary=corpus.vocabulary).n_unknown_words
        1
        """
        from topicgrove.corpus.counted_texts import count_texts
        from topicgrove.corpus.sources import memory_blocks

        class_field = take_renamed(rule_options, "label_field", "class_field", class_field)
        fields = Fields(text_field, id_field, title_field, titles, class_field)
        blocks, has_ids = memory_blocks(texts, ids, fields)
        chosen_rules = TextRules.of(rules, rule_options)
        counted = count_texts(blocks, "texts", chosen_rules, vocabulary, fields, n_jobs=n_jobs, stacklevel=2)
        return cls(**(counted if has_ids else counted._replace(ids=None))._asdict())

    @classmethod
    def from_gensim(cls, documents: Iterable[Iterable[tuple[int, float]]], id2word: Any = None) -> "Corpus":
        """Make a corpus of a gensim bag-of-words corpus: documents of pairs (word id, count).

        Parameters
        ----------
        documents : iterable of iterables of (int, int)
            The documents.
        id2word : gensim Dictionary or mapping from ids to words, default=None
            The words.

        Returns
        -------
        Corpus

        Examples
        --------
        >>> Corpus.from_gensim([[(0, 2), (1, 1)], []], {0: "tree", 1: "leaf"}).words
        array([0, 0, 1], dtype=int32)
        """
        from topicgrove.corpus.bags import tokens_of_gensim

        return cls(*tokens_of_gensim(documents, id2word))

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
        elif np.all(chosen[1:] > chosen[:-1]):
            is_chosen = np.zeros(self.n_docs, np.bool_)
            is_chosen[chosen] = True
            words = self.words[np.repeat(is_chosen, self.document_lengths)]
        else:
            tokens = np.repeat(starts - offsets[:-1], np.diff(offsets))
            tokens += np.arange(len(tokens))
            words = self.words[tokens]
        return self._with(
            words=words,
            offsets=offsets,
            ids=chosen_entries(self.ids, chosen),
            titles=chosen_entries(self.titles, chosen),
            classes=chosen_entries(self.classes, chosen),
        )

    def save(self, path: FilePath, *, overwrite: bool = False) -> None:
        """Write the corpus as a store: a folder that `open_store` maps into memory.

        It appears under its name when it is complete, and not before.

        Parameters
        ----------
        path : str or path-like
            The folder to make.
        overwrite : bool, default=False
            Whether to replace an existing store.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from topicgrove.corpus import open_store
        >>> with TemporaryDirectory() as folder:
        ...     Corpus.from_texts(["a tree", "a leaf"]).save(f"{folder}/store")
        ...     open_store(f"{folder}/store").vocabulary
        ('leaf', 'tree')
        """
        from topicgrove.corpus.store_writer import save_corpus

        save_corpus(self, path, overwrite=overwrite)

    def _with(self, **changes: Any) -> "Corpus":
        """A changed copy, whose fields are known to be right: checking them would read all tokens."""
        return Corpus._unchecked(**{field.name: getattr(self, field.name) for field in fields(self)} | changes)

    @classmethod
    def _unchecked(cls, **values: Any) -> "Corpus":
        corpus = object.__new__(cls)
        for field in fields(cls):
            object.__setattr__(corpus, field.name, values.get(field.name, field.default))
        return corpus
