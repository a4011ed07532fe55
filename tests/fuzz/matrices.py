"""Matrices of every kind, valid and invalid; accepted ones are compared with a count entry by entry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_array_equal
from scipy import sparse

from topicgrove import Corpus

from .cases import Target
from .mutations import Random, mutate_array

Entries = Iterator[tuple[int, int, Any]]

FORMATS = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
TYPES = ("i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "?", "c8", "O", "U3", "M8[s]", ">i4", ">f8")
PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
"""The arrays of the formats that have any."""

VALUES = (0, 1, 2, -1, 0.5, np.nan, np.inf, -np.inf, 127, 128, 2**24 + 1, 2**31 - 1, 2**31, 2**63, 1e300, -0.0)


class Matrix(NamedTuple):
    """A matrix and what was done to it."""

    what: str
    X: Any
    parts: dict[str, Any]

    def __repr__(self) -> str:
        # SciPy cannot show a matrix whose arrays contradict each other.
        return f"{self.what}\n{self.parts or self.X}"


class Sparse(Target):
    """A sparse matrix of a format, as an array or a matrix of SciPy's."""

    share = 9

    def __init__(self, form: str) -> None:
        self._format = form

    def generate(self, rng: Random, folder: Path) -> Matrix:
        """A valid matrix of which an array, a row or the shape is then replaced."""
        dense = draw_counts(rng)
        kind = getattr(sparse, f"{self._format}_{['array', 'matrix'][rng.integers(2)]}")
        X = kind(dense)
        what = [damage(rng, X) for _ in range(rng.choice(3, p=[0.25, 0.6, 0.15]))]
        names = PARTS.get(self._format, ("rows", "data") if self._format == "lil" else ())
        parts = {name: getattr(X, name) for name in names} | {"shape": X.shape}
        if self._format == "dok":
            parts["items"] = dict(X.items())
        return Matrix(f"{kind.__name__}: {'; '.join(what)}", X, parts)

    def run(self, given: Matrix) -> Corpus:
        """Make a corpus of it."""
        return Corpus.from_matrix(given.X)

    def check(self, given: Matrix, result: Corpus) -> None:
        """Every entry is counted once."""
        assert_counts(result, given.parts["shape"], SLOW[self._format](given.parts))


class Dense(Target):
    """Arrays, lists and other tables of numbers."""

    share = 9

    def generate(self, rng: Random, folder: Path) -> Matrix:
        """Numbers of a type in an order, shape or container."""
        dense: Any = draw_counts(rng)
        kind = str(rng.choice(list(CONTAINERS)))
        if rng.random() < 0.4:
            dense = with_type(rng, dense)
        if rng.random() < 0.4 and is_plain(dense):
            dense = mutate_array(rng, dense).value
        if rng.random() < 0.2 and is_plain(dense) and dense.size:
            set_value(rng, dense)
        try:
            X = CONTAINERS[kind](rng, dense)
        except (ValueError, TypeError, IndexError, RuntimeWarning):
            kind, X = "array", dense
        return Matrix(f"{kind} of {dense.dtype}", X, {"dense": dense})

    def run(self, given: Matrix) -> Corpus:
        """Make a corpus of it."""
        return Corpus.from_matrix(given.X)

    def check(self, given: Matrix, result: Corpus) -> None:
        """Every entry is counted once."""
        dense = np.asarray(given.X)
        assert not np.ma.isMaskedArray(given.X) or not np.ma.getmaskarray(given.X).any(), "masked entries are no counts"
        assert dense.ndim == 2
        entries = ((i, j, dense[i, j]) for i in range(dense.shape[0]) for j in range(dense.shape[1]))
        assert_counts(result, dense.shape, entries)


class Bags(Target):
    """Documents as word ids, and as gensim's pairs of an id and a count."""

    share = 3

    def generate(self, rng: Random, folder: Path) -> Matrix:
        """Lists with something in them that is no id or no count."""
        pairs = bool(rng.integers(2))
        wild = [
            -1,
            2**31,
            2**70,
            0.0,
            1.5,
            np.nan,
            None,
            "a",
            b"1",
            True,
            [1],
            (0, 1),
            np.int8(3),
            np.float32(2),
            {},
            5,
        ]
        docs: list[Any] = [[int(w) for w in rng.integers(6, size=rng.integers(6))] for _ in range(rng.integers(4))]
        if pairs:
            docs = [[(w, int(rng.integers(1, 4))) for w in doc] for doc in docs]
        for _ in range(rng.integers(2)):
            value: Any = wild[rng.integers(len(wild))]
            if docs and docs[-1] and rng.random() < 0.8:
                docs[-1][0] = [(value, 1), (0, value), (value,), value][rng.integers(4)] if pairs else value
            else:
                docs.append(value)
        return Matrix("pairs" if pairs else "ids", docs, {})

    def run(self, given: Matrix) -> Corpus:
        """Make a corpus of them."""
        return Corpus.from_gensim(given.X) if given.what == "pairs" else Corpus.from_documents(given.X)

    def check(self, given: Matrix, result: Corpus) -> None:
        """Every pair or id is counted."""
        docs = [[pair if given.what == "pairs" else (pair, 1) for pair in doc] for doc in given.X]
        assert_counts(result, (len(docs), result.n_words), ((d, w, n) for d, doc in enumerate(docs) for w, n in doc))


def draw_counts(rng: Random) -> Any:
    """A few counts."""
    shape = (int(rng.integers(1, 7)), int(rng.integers(1, 9)))
    return rng.integers(1, 5, size=shape) * (rng.random(shape) < 0.5)


def with_type(rng: Random, array: Any) -> Any:
    """The same numbers in another type; as they are where NumPy cannot convert them, such as dates to short bytes."""
    new = TYPES[rng.integers(len(TYPES))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return array.astype(new)
        except (RuntimeError, TypeError, ValueError):
            return array


def is_plain(array: Any) -> bool:
    """Whether it is an array of numbers that can be mutated."""
    return array.dtype.kind in "iuf" and array.dtype.isnative and array.itemsize <= 8 and array.ndim > 0


def set_value(rng: Random, array: Any) -> str:
    """Put in a value that is no count, or an odd one; huge counts are rare, for they are many tokens."""
    value: Any = VALUES[rng.integers(len(VALUES))]
    with np.errstate(all="ignore"):
        array.flat[rng.integers(array.size)] = np.asarray(value).astype(array.dtype)
    return f"value {value}"


def damage(rng: Random, X: Any) -> str:
    """Change a sparse matrix in place, past all checks of SciPy's."""
    form = X.format
    if form == "lil":
        return _damage_lil(rng, X)
    if form == "dok":
        key = tuple(int(k) for k in rng.integers(-2, 9, size=rng.choice([1, 2, 3], p=[0.1, 0.8, 0.1])))
        X._dict[key] = VALUES[rng.integers(len(VALUES))]
        return f"entry {key}"
    kind = rng.random()
    if kind < 0.1:
        X._shape = tuple(int(n) for n in rng.integers(0, 10, size=2)) if kind < 0.07 else (2**40, X.shape[1])
        return f"shape {X.shape}"
    name = PARTS[form][rng.integers(len(PARTS[form]))]
    array = getattr(X, name)
    if kind < 0.25:
        X.data = with_type(rng, X.data)
        return f"data of {X.data.dtype}"
    if kind < 0.4 and X.data.size:
        return set_value(rng, X.data)
    if not is_plain(array):
        return "nothing more"
    mutation = mutate_array(rng, array)
    if form == "coo" and name != "data":
        coords = list(X.coords)
        coords[name == "col"] = mutation.value
        X.coords = tuple(coords)
    else:
        setattr(X, name, mutation.value)
    return f"{name}: {mutation.what}"


def _damage_lil(rng: Random, X: Any) -> str:
    if len(X.rows) == 0:
        return "nothing more"
    row = int(rng.integers(len(X.rows)))
    columns, data = X.rows[row], X.data[row]
    kind = rng.integers(6)
    if kind == 0:
        columns.append(int(rng.choice([-1, 0, X.shape[1], 2**40])))
    elif kind == 1:
        data.append(1)
    elif kind == 2:
        columns.reverse()
    elif kind == 3 and data:
        data[0] = VALUES[rng.integers(len(VALUES))]
    elif kind == 4:
        X.rows = X.rows[:-1]
    else:
        columns.append(0)
        data.append(2)
    return f"row {row}: {columns} {data}"


def assert_counts(corpus: Corpus, shape: tuple[int, ...], entries: Entries) -> None:
    """The corpus has just these counts; a failing assertion says what should have been refused."""
    n_docs, n_words = shape
    assert (corpus.n_docs, corpus.n_words) == (n_docs, n_words)
    expected: dict[tuple[int, int], int] = {}
    for row, column, value in entries:
        assert 0 <= row < n_docs, f"an entry in row {row} of {n_docs}"
        assert 0 <= column < n_words, f"an entry in column {column} of {n_words}"
        assert value == int(value) >= 0, f"the count {value!r}"
        expected[int(row), int(column)] = expected.get((int(row), int(column)), 0) + int(value)
    counts = corpus.to_csr().tocoo()
    found = dict(zip(zip(counts.row.tolist(), counts.col.tolist(), strict=True), counts.data.tolist(), strict=True))
    assert found == {place: count for place, count in expected.items() if count}
    assert_array_equal(corpus.document_lengths, np.bincount(counts.row, counts.data, n_docs))


def _compressed(parts: dict[str, Any], by_row: bool) -> Entries:
    indptr, indices, data = parts["indptr"], parts["indices"], parts["data"]
    n_major = parts["shape"][0 if by_row else 1]
    assert indptr.ndim == indices.ndim == data.ndim == 1
    assert len(indptr) == n_major + 1
    assert indptr[0] == 0
    assert indptr[-1] <= min(len(indices), len(data))  # SciPy allows for unused entries.
    for major in range(n_major):
        assert indptr[major] <= indptr[major + 1]
        for k in range(indptr[major], indptr[major + 1]):
            yield (major, indices[k], data[k]) if by_row else (indices[k], major, data[k])


def _coordinates(parts: dict[str, Any]) -> Entries:
    assert len(parts["row"]) == len(parts["col"]) == len(parts["data"])
    yield from zip(parts["row"].tolist(), parts["col"].tolist(), parts["data"].tolist(), strict=True)


def _lists(parts: dict[str, Any]) -> Entries:
    assert len(parts["rows"]) == len(parts["data"]) == parts["shape"][0]
    for i, (columns, data) in enumerate(zip(parts["rows"], parts["data"], strict=True)):
        assert len(columns) == len(data)
        yield from ((i, column, value) for column, value in zip(columns, data, strict=True))


def _keys(parts: dict[str, Any]) -> Entries:
    yield from ((row, column, value) for (row, column), value in parts["items"].items())


def _diagonals(parts: dict[str, Any]) -> Entries:
    data, offsets, (n_rows, n_columns) = parts["data"], parts["offsets"], parts["shape"]
    assert data.ndim == 2
    assert len(data) == len(offsets)
    assert len(set(offsets.tolist())) == len(offsets)
    for diagonal, offset in zip(data, offsets.tolist(), strict=True):
        for column in range(min(len(diagonal), n_columns)):
            if 0 <= column - offset < n_rows and diagonal[column] != 0:
                yield column - offset, column, diagonal[column]


def _blocks(parts: dict[str, Any]) -> Entries:
    indptr, indices, data = (parts[name] for name in ("indptr", "indices", "data"))
    assert data.ndim == 3
    _, height, width = data.shape
    assert len(indptr) == parts["shape"][0] // height + 1
    assert indptr[0] == 0
    assert indptr[-1] <= min(len(indices), len(data))  # SciPy allows for unused entries.
    for i in range(len(indptr) - 1):
        assert indptr[i] <= indptr[i + 1]
        for k in range(indptr[i], indptr[i + 1]):
            for (a, b), value in np.ndenumerate(data[k]):
                yield i * height + a, int(indices[k]) * width + b, value


SLOW: dict[str, Callable[[dict[str, Any]], Entries]] = {
    "csr": lambda parts: _compressed(parts, by_row=True),
    "csc": lambda parts: _compressed(parts, by_row=False),
    "coo": _coordinates,
    "lil": _lists,
    "dok": _keys,
    "dia": _diagonals,
    "bsr": _blocks,
}


def _read_only(rng: Random, dense: Any) -> Any:
    dense = dense.copy()
    dense.flags.writeable = False
    return dense


def _as_matrix(rng: Random, dense: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.matrix(dense)


def _frame(rng: Random, dense: Any) -> Any:
    import pandas

    return pandas.DataFrame(dense)


CONTAINERS: dict[str, Callable[[Random, Any], Any]] = {
    "array": lambda rng, dense: dense,
    "list": lambda rng, dense: dense.tolist(),
    "ragged list": lambda rng, dense: [*dense.tolist(), [1]],
    "list of arrays": lambda rng, dense: list(dense),
    "Fortran order": lambda rng, dense: np.asfortranarray(dense),
    "every second": lambda rng, dense: np.repeat(np.repeat(dense, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda rng, dense: dense[::-1, ::-1],
    "read-only": _read_only,
    "matrix": _as_matrix,
    "masked": lambda rng, dense: np.ma.array(dense, mask=rng.random(dense.shape) < 0.3),
    "data frame": _frame,
    "structured": lambda rng, dense: dense.astype([("a", "i4"), ("b", "i4")]),
    "flat": lambda rng, dense: dense.ravel(),
    "deep": lambda rng, dense: dense[None],
}

TARGETS: dict[str, Target] = {form: Sparse(form) for form in FORMATS} | {"dense": Dense(), "bags": Bags()}
