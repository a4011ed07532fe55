"""Convert word counts, as any matrix or as (document, word, count) triples, to sorted tokens.

The intermediate form is that of a CSR matrix: `row_starts` (n_docs + 1), `columns` and `counts`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus.sparse_layouts import compressed, triples
from topicgrove.free_memory import check_fits

MAX_SIZE = int(np.iinfo(np.int32).max)
"""Most documents and words: their numbers have 32 bits."""

MAX_LENGTH = 2**24
"""Most tokens of a document: kernels count them in float32."""

DOCUMENT_BYTES = 24
"""Bytes that a document takes while a corpus is made, even without words."""

_TOKEN_BYTES = 5
_ACCEPTED = f"counts must be whole numbers from 0 to {MAX_LENGTH}"


class CountRows(NamedTuple):
    """Counts by row: row d is `columns[row_starts[d]:row_starts[d + 1]]` with its `counts`."""

    row_starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    counts: NDArray[Any]


def tokens_of_matrix(X: Any) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Return words, offsets and vocabulary size of a sparse or dense matrix of counts."""
    X = _sparse_frame(X)
    _check_unmasked(getattr(X, "data", None) if sparse.issparse(X) else X)
    if not sparse.issparse(X):
        X = _dense(X)
    _check_matrix(X)
    n_docs, n_words = X.shape
    check_fits(f"X has {n_docs:,} rows", DOCUMENT_BYTES * n_docs)
    if not sparse.issparse(X):
        rows, columns = np.nonzero(X)
        count_rows = rows_of_triples(rows, columns, X[rows, columns], n_docs, n_words)
    elif X.format in ("csr", "csc"):
        count_rows = _compressed_rows(X)
    else:
        count_rows = rows_of_triples(*triples(X), n_docs, n_words)
    counts = _whole_counts(count_rows)
    words, offsets = spell_out(count_rows._replace(counts=counts))
    return words, offsets, n_words


def rows_of_triples(
    rows: NDArray[Any], columns: NDArray[Any], counts: NDArray[Any], n_docs: int, n_words: int
) -> CountRows:
    """Sort triples, whose rows and columns are in range, by row and then by column."""
    key = rows.astype(np.int64)
    key *= n_words
    key += columns
    if np.any(key[1:] < key[:-1]):
        order = np.argsort(key, kind="stable")
        columns, counts = columns[order], counts[order]
    row_starts = np.zeros(n_docs + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_docs), dtype=np.int64, out=row_starts[1:])
    return CountRows(row_starts, columns.astype(np.int32, copy=False), counts)


def sorted_rows(count_rows: CountRows, n_words: int) -> CountRows:
    """Sort the columns of each row; return the rows as they are if they are sorted."""
    row_starts, columns, counts = count_rows
    if first_descent(columns, row_starts) is None:
        return count_rows
    n_docs = len(row_starts) - 1
    rows = np.repeat(np.arange(n_docs), np.diff(row_starts))
    return rows_of_triples(rows, columns, counts, n_docs, n_words)


def spell_out(
    count_rows: CountRows, place: Callable[[int], str] = "X: document {}".format, source: str = "X"
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Repeat every column of a row `counts` times; return the words and offsets of a corpus.

    Duplicate columns need no summing: their tokens are simply adjacent. Zero counts vanish. Errors name the ``place``
    of a document, or the ``source`` of all.
    """
    row_starts, columns, counts = count_rows
    tokens_before = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, dtype=np.int64, out=tokens_before[1:])
    offsets = tokens_before[row_starts]
    check_document_lengths(np.diff(offsets), place)
    check_fits(f"{source}: {offsets[-1]:,} tokens", _TOKEN_BYTES * int(offsets[-1]))
    return np.repeat(columns, counts), offsets


def check_document_lengths(lengths: NDArray[np.int64], place: Callable[[int], str] = "document {}".format) -> None:
    """Refuse documents with more tokens than kernels can count."""
    if lengths.size and lengths.max() > MAX_LENGTH:
        document = int(np.argmax(lengths > MAX_LENGTH))
        raise ValueError(f"{place(document)} has {lengths[document]} tokens; a document holds at most {MAX_LENGTH}")


def first_descent(values: NDArray[Any], starts: NDArray[np.int64]) -> int | None:
    """Return the row of the first value below its predecessor in the same row; None if all rows ascend."""
    descents = np.flatnonzero(values[1:] < values[:-1]) + 1
    next_starts = starts[np.searchsorted(starts, descents)]
    inside = descents[next_starts != descents]
    return _row_of(int(inside[0]), starts) if inside.size else None


def _row_of(entry: int, row_starts: NDArray[np.int64]) -> int:
    return int(np.searchsorted(row_starts, entry, side="right")) - 1


def _sparse_frame(X: Any) -> Any:
    """Convert a data frame of sparse columns, as pandas makes from CountVectorizer's matrix; return others as is."""
    if sparse.issparse(X) or not hasattr(X, "columns") or not hasattr(X, "sparse"):
        return X
    try:
        return X.sparse.to_coo()
    except ValueError:
        return X  # Its implicit entries are not 0.


def _dense(X: Any) -> NDArray[Any]:
    try:
        return np.asarray(X)
    except ValueError as error:
        raise ValueError(f"X must be a matrix, one row of counts a document: {error}") from error


def _check_unmasked(X: Any) -> None:
    if np.ma.is_masked(X):
        place = ", ".join(str(int(axis[0])) for axis in np.nonzero(np.ma.getmaskarray(X)))
        raise ValueError(f"X has masked entries, the first at ({place}); X.filled(0) would take them for 0")


def _check_matrix(X: Any) -> None:
    if X.dtype.kind in "US":
        raise TypeError("X holds text; pass word counts, for example of scikit-learn's CountVectorizer")
    if X.dtype.kind not in "biuf":
        raise TypeError(f"X has dtype {X.dtype}; {_ACCEPTED} in an integer, float or bool matrix")
    if X.ndim != 2:
        raise ValueError(
            f"X has {X.ndim} dimension(s); it must have 2, one row of counts a document. Reshape your data: "
            "X.reshape(1, -1) is one document"
        )
    n_docs, n_words = X.shape
    if n_docs == 0:
        raise ValueError("X has no documents: its number of rows is 0")
    if n_words == 0:
        raise ValueError(f"X has no words: 0 feature(s) (shape=({n_docs}, 0)) while a minimum of 1 is required.")
    if n_words > MAX_SIZE:
        raise ValueError(f"X has {n_words} columns; at most {MAX_SIZE} words are accepted")


def _compressed_rows(X: Any) -> CountRows:
    """Return the rows of a CSR or CSC matrix, sorted; X itself keeps its unsorted indices."""
    row_starts, columns, values = compressed(X)
    if X.format == "csc":
        row_starts, columns, values = compressed(X.tocsr())
    return sorted_rows(CountRows(row_starts, columns.astype(np.int32, copy=False), values), X.shape[1])


def _whole_counts(count_rows: CountRows) -> NDArray[np.int64]:
    """Return the counts as integers; raise ValueError naming the first row with another number."""
    row_starts, _, counts = count_rows
    if counts.dtype.kind == "f" and counts.dtype.itemsize < 8:
        counts = counts.astype(np.float64)  # float16 cannot hold MAX_LENGTH
    valid = (counts >= 0) & (counts <= MAX_LENGTH)
    if counts.dtype.kind == "f":
        valid &= counts == np.floor(counts)
    if not valid.all():
        entry = int(np.argmin(valid))
        what = "Negative values in data" if counts[entry] < 0 else "NaN" if counts[entry] != counts[entry] else ""
        raise ValueError(
            f"X has the count {counts[entry]} in row {_row_of(entry, row_starts)}; {_ACCEPTED}{what and f' ({what})'}"
        )
    return counts.astype(np.int64)
