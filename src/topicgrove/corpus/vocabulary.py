"""Which words make up the vocabulary, once the documents have been counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.dictionary import Dictionary
from topicgrove.corpus.rules import TextRules


class Choice(NamedTuple):
    """The vocabulary, the id in it of every word of a dictionary (-1 if it is left out), and unknown tokens."""

    words: tuple[str, ...]
    ids: NDArray[np.int32]
    n_unknown: int


def choose_words(seen: Dictionary, rules: TextRules, n_docs: int, *, stop_words_in: bool) -> Choice:
    """The words that the rules leave, in alphabetical order, as CountVectorizer chooses them.

    ``stop_words_in`` says that stop words were counted as well and are to be left out here.
    """
    least, most = rules.document_frequencies(n_docs)
    # Stop words cost nothing at this place: only words that are kept otherwise are spelled.
    frequent = np.flatnonzero((seen.n_docs >= least) & (seen.n_docs <= most))
    leave_out = rules.stop_word_set() if stop_words_in else frozenset()
    spelled = zip(seen.spelled(frequent), frequent.tolist(), strict=True)
    kept = sorted(pair for pair in spelled if pair[0] not in leave_out)
    if not kept:
        raise ValueError(
            f"no words are left of {n_docs} documents with {len(seen)} different words: "
            f"min_df={rules.min_df!r}, max_df={rules.max_df!r} and stop_words leave all of them out"
        )
    numbers = np.array([number for _, number in kept])
    words = [word for word, _ in kept]
    if rules.max_features is not None and len(words) > rules.max_features:
        # The very expression of CountVectorizer, whose ties depend on NumPy's sort.
        best = np.sort((-seen.n_tokens[numbers]).argsort()[: rules.max_features])
        words = [words[i] for i in best]
        numbers = numbers[best]
    ids = np.full(len(seen), -1, np.int32)
    ids[numbers] = np.arange(len(numbers), dtype=np.int32)
    return Choice(tuple(words), ids, 0)


def find_words(seen: Dictionary, vocabulary: Sequence[str], rules: TextRules, *, stop_words_in: bool) -> Choice:
    """The ids of words in a vocabulary that is given; tokens of other words but stop words are unknown."""
    words = tuple(vocabulary)
    id_of = {word: i for i, word in enumerate(words)}
    spelled = seen.spelled(np.arange(len(seen)))
    ids = np.fromiter((id_of.get(word, -1) for word in spelled), np.int32, len(spelled))
    unknown = ids < 0
    if stop_words_in:
        leave_out = rules.stop_word_set()
        stops = np.fromiter((word in leave_out for word in spelled), np.bool_, len(spelled))
        ids[stops] = -1
        unknown &= ~stops
    return Choice(words, ids, int(seen.n_tokens[unknown].sum()))
