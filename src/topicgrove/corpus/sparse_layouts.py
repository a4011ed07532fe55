"""Read the entries of any SciPy sparse matrix or array, checked before SciPy converts anything.

SciPy's conversions are compiled code that trusts the arrays of a matrix: a wrong index makes them read and write
outside of their memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MAX_INDEX = np.iinfo(np.int64).max
"""Larger numbers of unsigned types would become negative."""


class Triples(NamedTuple):
    """The entries of a matrix in any order."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]


class Compressed(NamedTuple):
    """Entries by row, or by column for a CSC matrix; those beyond `starts[-1]` are left out."""

    starts: NDArray[np.int64]
    indices: NDArray[Any]
    values: NDArray[Any]


def compressed(X: Any) -> Compressed:
    """Check and return the arrays of a CSR, CSC or BSR matrix; those of BSR describe blocks."""
    height, width = _block_shape(X)
    majors, minors = ("row", X.shape[0] // height), ("column", X.shape[1] // width)
    if X.format == "csc":
        majors, minors = minors, majors
    kind = "block " if X.format == "bsr" else ""
    (major, n), (minor, n_minors) = majors, minors
    starts, indices = _whole(X, "indptr", X.indptr).astype(np.int64), _whole(X, "indices", X.indices)
    if len(starts) != n + 1 or starts[0] != 0 or np.any(starts[1:] < starts[:-1]):
        raise _invalid(X, f"indptr must hold {n + 1} numbers that ascend from 0, for {n} {kind}{major}s")
    n_entries = int(starts[-1])
    if n_entries > min(len(indices), len(X.data)):
        raise _invalid(X, f"indptr ends with {n_entries}; there are {len(indices)} indices and {len(X.data)} data")
    indices = indices[:n_entries]
    outside = _first_outside(indices, n_minors)
    if outside is not None:
        where = int(np.searchsorted(starts, outside, side="right")) - 1
        entry = f"{kind}{major} {where} has an entry in {kind}{minor} {indices[outside]}"
        raise _invalid(X, f"{entry}; {kind}{minor}s are from 0 to {n_minors - 1}")
    return Compressed(starts, indices, X.data[:n_entries])


def triples(X: Any) -> Triples:
    """Check and return the entries of a matrix of any other format."""
    if X.format == "lil":
        rows, columns, values = _lil(X)
    elif X.format == "dok":
        rows, columns, values = _dok(X)
    elif X.format == "dia":
        rows, columns, values = _dia(X)
    else:
        if X.format == "bsr":
            compressed(X)
        # Not tocsr(): it sums duplicates in the matrix's own type, where int8 wraps and bool saturates.
        X = X.tocoo(copy=False)
        rows, columns, values = X.row, X.col, X.data
    rows, columns = _whole(X, "rows", rows), _whole(X, "columns", columns)
    if not len(rows) == len(columns) == len(values):
        raise _invalid(X, f"it has {len(rows)} rows, {len(columns)} columns and {len(values)} data")
    for name, numbers, n in (("rows", rows, X.shape[0]), ("columns", columns, X.shape[1])):
        outside = _first_outside(numbers, n)
        if outside is not None:
            entry = f"it has an entry in row {rows[outside]}, column {columns[outside]}"
            raise _invalid(X, f"{entry}; {name} are from 0 to {n - 1}")
    return Triples(rows.astype(np.int64, copy=False), columns, values)


def _block_shape(X: Any) -> tuple[int, int]:
    if X.data.ndim != (3 if X.format == "bsr" else 1):
        raise _invalid(X, f"its data have {X.data.ndim} dimension(s)")
    if X.format != "bsr":
        return 1, 1
    height, width = X.data.shape[1:]
    if 0 in (height, width) or X.shape[0] % height or X.shape[1] % width:
        raise _invalid(X, f"its blocks have the shape {height, width}, which must divide {X.shape}")
    return height, width


def _lil(X: Any) -> Triples:
    n_docs = X.shape[0]
    if not len(X.rows) == len(X.data) == n_docs:
        raise _invalid(X, f"it has {len(X.rows)} lists of columns and {len(X.data)} of counts for {n_docs} rows")
    lengths = np.zeros(n_docs, np.int64)
    for row, (columns, counts) in enumerate(zip(X.rows, X.data, strict=True)):
        if not isinstance(columns, list) or not isinstance(counts, list) or len(columns) != len(counts):
            raise _invalid(X, f"rows[{row}] and data[{row}] must be lists of the same length")
        lengths[row] = len(columns)
    rows = np.repeat(np.arange(n_docs), lengths)
    return Triples(
        rows, _numbers(X, "rows", chain.from_iterable(X.rows)), _numbers(X, "data", chain.from_iterable(X.data))
    )


def _dok(X: Any) -> Triples:
    keys = list(X.keys())
    if not all(isinstance(key, tuple) and len(key) == 2 for key in keys):
        raise _invalid(X, "its keys must be pairs (row, column)")
    rows, columns = (_numbers(X, "keys", [key[axis] for key in keys]) for axis in range(2))
    return Triples(rows, columns, _numbers(X, "values", X.values()))


def _dia(X: Any) -> Triples:
    offsets = _whole(X, "offsets", X.offsets)
    if X.data.ndim != 2 or len(X.data) != len(offsets):
        raise _invalid(X, f"it has {len(offsets)} offsets for {len(X.data)} diagonals")
    if len(np.unique(offsets)) < len(offsets):
        raise _invalid(X, "its offsets must be different")
    values = X.data[:, : X.shape[1]]
    columns = np.arange(values.shape[1])
    rows = columns - offsets[:, np.newaxis].astype(np.int64)
    # Diagonals are padded: leave out what lies outside the matrix.
    inside = (rows >= 0) & (rows < X.shape[0])
    return Triples(rows[inside], np.broadcast_to(columns, rows.shape)[inside], values[inside])


def _numbers(X: Any, name: str, values: Iterable[Any]) -> NDArray[Any]:
    listed = list(values)
    try:
        array = np.array(listed) if listed else np.zeros(0, np.int64)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "biuf" or array.ndim != 1:
        raise _invalid(X, f"its {name} must hold numbers alone")
    return array


def _whole(X: Any, name: str, values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise _invalid(X, f"its {name} must be whole numbers in one dimension, not {array.dtype} in {array.ndim}")
    if array.size and array.max() > _MAX_INDEX:
        raise _invalid(X, f"its {name} hold {array.max()}, which no matrix has")
    return array


def _first_outside(numbers: NDArray[Any], n: int) -> int | None:
    if not numbers.size or 0 <= numbers.min() <= numbers.max() < n:
        return None
    return int(np.argmax((numbers < 0) | (numbers >= n)))


def _invalid(X: Any, problem: str) -> ValueError:
    return ValueError(f"X is not a valid {X.format.upper()} matrix: {problem}")
