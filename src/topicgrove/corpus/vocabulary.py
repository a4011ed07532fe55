"""Choose the vocabulary, once the documents have been counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.cleaning import junk_words
from topicgrove.corpus.dictionary import Dictionary
from topicgrove.corpus.dropped import Dropped, dropped_words, left_out_words, unknown_words
from topicgrove.corpus.rules import TextRules


class Choice(NamedTuple):
    """The vocabulary, the id in it of every word of a dictionary (-1 if it is left out), and what is left out.

    If the vocabulary was given, tokens that it lacks are unknown.
    """

    words: tuple[str, ...]
    ids: NDArray[np.int32]
    n_unknown: int = 0
    dropped: tuple[Dropped, ...] | None = None


def choose_words(seen: Dictionary, rules: TextRules, n_docs: int, *, stop_words_in: bool) -> Choice:
    """Choose the words that the rules keep, in alphabetical order, as CountVectorizer does.

    ``stop_words_in`` says that stop words were counted, too, and must be left out here.
    """
    least, most = rules.document_frequencies(n_docs)
    # Removing stop words here is cheap: only words that other rules keep are spelled.
    # Words that only occur in phrases are in no document.
    frequent = np.flatnonzero((seen.n_docs >= max(least, 1)) & (seen.n_docs <= most))
    left_out = _left_out(rules, stop_words_in=stop_words_in)
    number_of = dict(zip(seen.spelled(frequent), frequent.tolist(), strict=True))
    words = sorted(word for word in number_of if not left_out(word))
    if not words:
        raise ValueError(
            f"no words are left of {n_docs} documents with {len(seen)} different words: "
            f"min_df={rules.min_df!r}, max_df={rules.max_df!r} and stop_words leave all of them out"
        )
    numbers = np.array([number_of[word] for word in words])
    if rules.max_features is not None and len(words) > rules.max_features:
        # The same expression as in CountVectorizer: ties depend on NumPy's sort.
        best = np.sort((-seen.n_tokens[numbers]).argsort()[: rules.max_features])
        words = [words[i] for i in best]
        numbers = numbers[best]
    ids = np.full(len(seen), -1, np.int32)
    ids[numbers] = np.arange(len(numbers), dtype=np.int32)
    dropped = dropped_words(seen, rules, n_docs, ids, stop_words_in=stop_words_in)
    return Choice(tuple(words), ids, dropped=dropped)


def parts_of_phrases(seen: Dictionary, rules: TextRules, n_docs: int, *, stop_words_in: bool) -> NDArray[np.bool_]:
    """Return which words may be in a phrase: those that the rules keep and that have no space."""
    least, most = rules.document_frequencies(n_docs)
    takes_part: NDArray[np.bool_] = (seen.n_docs >= least) & (seen.n_docs <= most)
    left_out = _left_out(rules, stop_words_in=stop_words_in)
    frequent = np.flatnonzero(takes_part)
    takes_part[frequent] = [" " not in word and not left_out(word) for word in seen.spelled(frequent)]
    return takes_part


def find_words(
    seen: Dictionary,
    vocabulary: Sequence[str],
    rules: TextRules,
    *,
    stop_words_in: bool,
    trained_without: Sequence[Dropped] | None = None,
) -> Choice:
    """Return the ids of words in a given vocabulary; other words are unknown if the rules would keep them.

    ``trained_without`` is what was left out when the vocabulary was chosen.
    """
    words = tuple(vocabulary)
    id_of = {word: i for i, word in enumerate(words)}
    spelled = seen.spelled(np.arange(len(seen)))
    ids = np.fromiter((id_of.get(word, -1) for word in spelled), np.int32, len(spelled))
    left_out = np.fromiter(map(_left_out(rules, stop_words_in=stop_words_in), spelled), np.bool_, len(spelled))
    unknown = (ids < 0) & ~left_out
    ids[left_out] = -1
    # Words that only occur in phrases are in no document.
    rules_left, others = (np.flatnonzero(mask & (seen.n_tokens > 0)) for mask in (left_out, unknown))
    kind_of = junk_words(rules.cleaned_kinds())
    by_rules = left_out_words([spelled[i] for i in rules_left], seen.n_tokens[rules_left], kind_of)
    dropped = unknown_words([spelled[i] for i in others], seen.n_tokens[others], trained_without) + by_rules
    return Choice(words, ids, int(seen.n_tokens[unknown].sum()), dropped)


def _left_out(rules: TextRules, *, stop_words_in: bool) -> Callable[[str], bool]:
    """Return a function that tells whether the rules leave a word out, however frequent it is."""
    words = (rules.stop_word_set() if stop_words_in else frozenset()) | rules.fragments()
    kind_of = junk_words(rules.cleaned_kinds())
    return lambda word: word in words or kind_of(word) is not None
