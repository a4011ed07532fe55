"""Words and their ids as users may give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.count_matrix import MAX_SIZE


def as_words(vocabulary: Iterable[str] | None) -> tuple[str, ...] | None:
    """A vocabulary as a tuple, if it is in an order."""
    if vocabulary is None:
        return None
    if isinstance(vocabulary, str | Mapping | Set):
        # A mapping from words to ids, such as CountVectorizer.vocabulary_, is in no useful order.
        kind = type(vocabulary).__name__
        raise ValueError(f"vocabulary must be a sequence of words in the order of their ids, not {kind}")
    return tuple(vocabulary.tolist() if isinstance(vocabulary, np.ndarray) else vocabulary)


def sorted_ids(document: Iterable[int], d: int) -> NDArray[np.int32]:
    """The word ids of document ``d`` in ascending order, checked.

    >>> sorted_ids([3, 1], 0)
    array([1, 3], dtype=int32)
    """
    accepted = f"a document is an iterable of word ids from 0 to {MAX_SIZE - 1}"
    try:
        ids = np.asarray(document if isinstance(document, np.ndarray) else list(document))
    except (TypeError, ValueError) as error:
        raise TypeError(f"docs[{d}] is {document!r:.60}; {accepted}") from error
    if ids.size == 0:
        return np.zeros(0, dtype=np.int32)
    if ids.dtype.kind not in "iu" or ids.ndim != 1:
        raise TypeError(f"docs[{d}] has dtype {ids.dtype} and {ids.ndim} dimension(s); {accepted}")
    if not 0 <= ids.min() <= ids.max() < MAX_SIZE:
        raise ValueError(f"docs[{d}] has ids from {ids.min()} to {ids.max()}; {accepted}")
    return np.sort(ids.astype(np.int32))
