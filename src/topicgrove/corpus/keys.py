"""Keys of documents, by which a model recognises the documents that it was trained on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.shards import blocks_of_documents
from topicgrove.corpus.tokens import Corpus

_STEP, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def document_keys(corpus: Corpus) -> NDArray[np.uint32]:
    """Return keys of documents by their words: equal for equal words, and hardly ever for others.

    A key has four bytes: with a million documents in training, one new document in 4,000 has the key of one of them.

    >>> document_keys(Corpus.from_documents([[0, 1, 1], [1, 0, 1], [0, 1]])).tolist()
    [3923209935, 3923209935, 1236543918]
    """
    with np.errstate(over="ignore"):
        numbers = _mixed(np.arange(corpus.n_words, dtype=np.uint64))
        keys = np.empty(corpus.n_docs, np.uint64)
        for docs, tokens in blocks_of_documents(corpus.offsets):
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(numbers[corpus.words[tokens]])])
            bounds = corpus.offsets[docs.start : docs.stop + 1] - tokens.start
            keys[docs] = sums[bounds[1:]] - sums[bounds[:-1]]
        return (_mixed(keys) >> np.uint64(32)).astype(np.uint32)


def n_recognised(keys: NDArray[np.uint32], corpus: Corpus) -> int:
    """Count the documents of a corpus that have one of these keys, ignoring documents without words.

    >>> trained = Corpus.from_documents([[0, 1], [2]], n_words=4)
    >>> n_recognised(document_keys(trained), Corpus.from_documents([[2], [3], []], n_words=4))
    1
    """
    has_words = corpus.document_lengths > 0
    return int(np.isin(document_keys(corpus)[has_words], keys).sum())


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply SplitMix64's output function: every bit depends on all bits."""
    z = values + _STEP
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return np.asarray(z ^ (z >> np.uint64(31)), np.uint64)
