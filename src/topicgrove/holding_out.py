"""Choice of the documents held out of training: by the seed alone, so that it can be repeated."""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus import Corpus
from topicgrove.validation import check_whole

ACCEPTED = "a share of the documents between 0 and 1, or a number of documents"


class HeldOut(NamedTuple):
    """A part of a corpus that is not trained on.

    Attributes
    ----------
    n_docs : int
        Documents of the whole corpus.
    n_held_out : int
        How many of them are held out.
    seed : int
        Decides which documents.

    Examples
    --------
    >>> part = HeldOut(n_docs=10, n_held_out=2, seed=0)
    >>> part.documents
    array([2, 3])
    >>> part.split(Corpus.from_documents([[0]] * 10))
    (Corpus(n_docs=8, n_tokens=8, n_words=1), Corpus(n_docs=2, n_tokens=2, n_words=1))
    """

    n_docs: int
    n_held_out: int
    seed: int

    @property
    def documents(self) -> NDArray[np.int64]:
        """Positions of the documents that are held out, in ascending order."""
        # Raw numbers of a bit generator are the same in all versions of NumPy.
        drawn = np.random.PCG64(self.seed).random_raw(self.n_docs)
        return np.sort(np.argsort(drawn, kind="stable")[: self.n_held_out])

    @property
    def training(self) -> NDArray[np.int64]:
        """Positions of the documents that are trained on, in ascending order."""
        is_trained = np.ones(self.n_docs, np.bool_)
        is_trained[self.documents] = False
        return np.flatnonzero(is_trained)

    def split(self, corpus: Corpus) -> tuple[Corpus, Corpus]:
        """Return the documents to train on, and those held out."""
        return corpus.take(self.training), corpus.take(self.documents)

    def to_list(self) -> list[int]:
        """Return a list for JSON."""
        return list(self)

    @classmethod
    def from_list(cls, values: Any) -> HeldOut:
        """Check and convert what `to_list` returned."""
        n_docs, n_held_out, seed = values
        check_whole("documents", n_docs, 2)
        check_whole("held-out documents", n_held_out, 1, n_docs - 1)
        return cls(n_docs, n_held_out, check_whole("seed of the held-out part", seed, 0, 2**63 - 1))


def positions_trained_on(held_out: NDArray[np.int64] | None, n_docs: int, n_trained: int) -> NDArray[np.int64] | None:
    """Return the positions of the documents of training among all ``n_docs``; None if none are held out.

    >>> positions_trained_on(np.array([1]), 3, 2)
    array([0, 2])
    """
    if held_out is None or n_docs != n_trained + len(held_out):
        return None
    return np.delete(np.arange(n_docs), held_out)


def is_size(held_out: Any) -> bool:
    """Return whether ``held_out`` is the size of the part to hold out, and not documents.

    >>> is_size(0.1), is_size(300), is_size([[1, 0]])
    (True, True, False)
    """
    return isinstance(held_out, numbers.Real)


def n_held_out(size: Any, n_docs: int, name: str = "held_out") -> int:
    """Return how many documents to hold out, at least one, for a share or a number of them.

    >>> n_held_out(0.1, 3000), n_held_out(0.1, 3), n_held_out(12, 3000)
    (300, 1, 12)
    """
    if isinstance(size, bool | np.bool_):
        raise TypeError(f"{name} must be documents, {ACCEPTED}; got {size!r}")
    if isinstance(size, numbers.Integral):
        wanted = int(size)
        if wanted < 1:
            raise ValueError(f"{name} must be {ACCEPTED} from 1; got {size!r:.80}")
    elif 0 < size < 1:
        wanted = max(1, round(float(size) * n_docs))
    else:
        raise ValueError(f"{name} must be {ACCEPTED}; got {size!r:.80}")
    if wanted >= n_docs:
        raise ValueError(f"{name}: to hold out {wanted:,} of {n_docs:,} documents leaves none to train on")
    return wanted
