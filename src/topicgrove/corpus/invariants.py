"""Checks of a corpus's arrays and words; ValueError says what is wrong."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.count_matrix import check_document_lengths, first_descent


def check_array(name: str, array: Any, dtype: np.dtype[Any]) -> None:
    """Refuse an array that kernels cannot take."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} must be an array of {dtype}, not {type(array).__name__}")
    if array.dtype != dtype or array.ndim != 1 or not array.flags.c_contiguous:
        raise ValueError(
            f"{name} must be a contiguous one-dimensional array of {dtype}, "
            f"not of {array.dtype} with {array.ndim} dimension(s)"
        )


def check_offsets(offsets: NDArray[np.int64], n_tokens: int) -> None:
    """Refuse offsets that do not divide the tokens into documents."""
    if len(offsets) == 0 or offsets[0] != 0:
        raise ValueError("offsets must start with 0")
    if np.any(offsets[1:] < offsets[:-1]):
        document = int(np.argmax(offsets[1:] < offsets[:-1]))
        raise ValueError(f"offsets must not descend, but do after document {document}")
    if offsets[-1] != n_tokens:
        raise ValueError(f"offsets must end with the number of words, {n_tokens}, not {offsets[-1]}")
    check_document_lengths(np.diff(offsets))


def check_words(words: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> None:
    """Refuse words beyond the vocabulary, or unsorted within documents."""
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


def check_vocabulary(vocabulary: tuple[str, ...], n_words: int) -> None:
    """Refuse a vocabulary without a unique word for each id."""
    if not isinstance(vocabulary, tuple):
        raise ValueError(f"vocabulary must be a tuple of str, not {type(vocabulary).__name__}")
    if len(vocabulary) != n_words:
        raise ValueError(f"vocabulary has {len(vocabulary)} words; it must have {n_words}, one for each id")
    for i, word in enumerate(vocabulary):
        if not isinstance(word, str) or not word or "\0" in word:
            raise ValueError(f"vocabulary[{i}] is {word!r:.60}; words must be non-empty strings without NUL")
    if len(set(vocabulary)) < n_words:
        repeated = Counter(vocabulary).most_common(1)[0][0]
        raise ValueError(f"vocabulary has {repeated!r:.60} more than once; words must be different")
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError:
        word = next(word for word in vocabulary if _has_surrogate(word))
        raise ValueError(f"vocabulary has {word!r:.60}, which UTF-8 cannot store: a lone surrogate") from None


def _has_surrogate(word: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in word)


def check_column(name: str, column: Sequence[object] | None, n_docs: int) -> None:
    """Refuse ids, titles or classes unless there is one per document."""
    if column is not None and len(column) != n_docs:
        raise ValueError(f"{name} has {len(column)} entries; it must have {n_docs}, one for each document")
