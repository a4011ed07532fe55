"""Find repeated ids of documents by their hashes: eight bytes per document, however long ids are."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class SeenIds:
    """The ids of documents seen so far, block by block."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]

    def add(self, ids: Sequence[str]) -> None:
        """Add the ids of the next documents."""
        self._hashes.append(np.fromiter(map(hash, ids), np.int64, len(ids)))

    def report_repeated(self, ids: Sequence[str], source: str, stacklevel: int) -> None:
        """Warn once if documents share an id, naming the first; ``ids`` has those of all documents."""
        hashes = np.concatenate(self._hashes)
        sorted_hashes = np.sort(hashes)
        n_repeated = int(np.count_nonzero(sorted_hashes[1:] == sorted_hashes[:-1]))
        if n_repeated == 0:
            return
        order = np.argsort(hashes, kind="stable")
        again = order[1:][hashes[order[1:]] == hashes[order[:-1]]].min()
        first = int(np.flatnonzero(hashes == hashes[again])[0])
        if ids[first] == ids[again]:
            warnings.warn(
                f"{source}: {n_repeated} documents have the id of an earlier one; the first is document {again} with "
                f"{ids[first]!r:.80}, the id of document {first}",
                stacklevel=stacklevel + 1,
            )
