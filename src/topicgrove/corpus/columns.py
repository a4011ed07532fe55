"""Columns of texts on disk: the texts in one file, their offsets in another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Entry = TypeVar("Entry")


class TextColumn(Sequence[str]):
    """A sequence of texts that are read on access; equal to any sequence of the same texts.

    >>> column = TextColumn(np.frombuffer(b"treeleaf", np.uint8), np.array([0, 4, 8]))
    >>> column[1], column == ("tree", "leaf")
    ('leaf', True)
    """

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._data = data
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        position = range(len(self))[index]
        return self._data[self._offsets[position] : self._offsets[position + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TextColumn of {len(self)} texts"


def chosen_entries(column: Sequence[Entry] | None, chosen: NDArray[Any]) -> tuple[Entry, ...] | None:
    """Return the entries of some documents."""
    return None if column is None else tuple(column[i] for i in chosen.tolist())
