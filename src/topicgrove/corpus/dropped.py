"""What was left out of a corpus: words by reason, and junk in texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.cleaning import SPANS, junk_words
from topicgrove.corpus.rules import TextRules

if TYPE_CHECKING:
    from topicgrove.corpus.dictionary import Dictionary

N_EXAMPLES = 8
N_FREQUENT = 100
"""Most examples of words in too many documents. Such words are few, so usually all of them are kept, and a model can
explain why it does not know them in new documents."""

RARE = "rare in training, or never seen"
UNKNOWN = "not in the vocabulary"
JUNK_WORDS = ("numbers", "repeats")
"""Kinds of junk that are whole words."""

_MOST_ROWS = 100


class Dropped(NamedTuple):
    """Words left out for one reason, or junk of one kind.

    Attributes
    ----------
    reason : str
        Such as "stop words", "in fewer than min_df=5 documents" or "urls".
    n_words : int
        Different words; 0 for junk, which never became words.
    n_tokens : int
        Tokens of these words, or pieces of junk.
    examples : tuple of str
        The most frequent ones.

    Examples
    --------
    >>> Dropped("numbers", 2, 130, ("1993", "2"))
    Dropped(reason='numbers', n_words=2, n_tokens=130, examples=('1993', '2'))
    """

    reason: str
    n_words: int
    n_tokens: int
    examples: tuple[str, ...] = ()


def dropped_words(
    seen: Dictionary, rules: TextRules, n_docs: int, ids: NDArray[np.int32], *, stop_words_in: bool
) -> tuple[Dropped, ...]:
    """Group the words of a dictionary that are not in the vocabulary (id -1) by reason."""
    least, most = rules.document_frequencies(n_docs)
    rare, frequent = seen.n_docs < least, seen.n_docs > most
    others = np.flatnonzero((ids < 0) & ~rare & ~frequent)
    stop_words = (rules.stop_word_set() if stop_words_in else frozenset()) | rules.fragments()
    spelled = seen.spelled(others)
    kind_of = junk_words(rules.cleaned_kinds())
    reasons = np.array(["stop words" if word in stop_words else kind_of(word) or "" for word in spelled], "U20")
    too_frequent = f"in more than {math.floor(min(most, n_docs)):,} documents (max_df)"
    groups = {reason: others[reasons == reason] for reason in ("stop words", *JUNK_WORDS)} | {
        f"in fewer than {math.ceil(least):,} documents (min_df)": np.flatnonzero(rare),
        too_frequent: np.flatnonzero(frequent),
        "beyond max_features": others[reasons == ""],
    }
    return tuple(
        _of_words(reason, words, seen, N_FREQUENT if words is groups[too_frequent] else N_EXAMPLES)
        for reason, words in groups.items()
        if len(words)
    )


def unknown_words(
    words: Sequence[str], n_tokens: NDArray[np.int64], trained_without: Sequence[Dropped] | None
) -> tuple[Dropped, ...]:
    """Group words that a given vocabulary lacks by reason; ``trained_without`` was left out when it was chosen.

    >>> without = [Dropped("in more than 50 documents (max_df)", 1, 90, ("moon",)), Dropped("numbers", 9, 9, ("1",))]
    >>> for row in unknown_words(["moon", "zebra"], np.array([3, 2]), without):
    ...     print(row.reason, row.examples)
    in more than 50 documents of training (max_df) ('moon',)
    rare in training, or never seen ('zebra',)
    """
    rest = UNKNOWN if trained_without is None else RARE
    # Other words have other reasons only if all words of a reason are known.
    complete = [row for row in trained_without or () if len(row.examples) == row.n_words]
    reason_of = {word: _in_training(row.reason) for row in complete for word in row.examples}
    groups: dict[str, list[tuple[int, str]]] = {}
    for reason in [*(_in_training(row.reason) for row in complete), rest]:
        groups[reason] = []
    for word, n in zip(words, n_tokens.tolist(), strict=True):
        groups[reason_of.get(word, rest)].append((-n, word))
    return tuple(_of_counts(reason, found) for reason, found in groups.items() if found)


def left_out_words(
    words: Sequence[str], n_tokens: NDArray[np.int64], kind_of: Callable[[str], str | None]
) -> tuple[Dropped, ...]:
    """Group the stop words and junk that the rules leave out of texts when the vocabulary is given."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for word, n in zip(words, n_tokens.tolist(), strict=True):
        groups.setdefault(kind_of(word) or "stop words", []).append((-n, word))
    return tuple(_of_counts(reason, groups[reason]) for reason in ("stop words", *JUNK_WORDS) if reason in groups)


def _in_training(reason: str) -> str:
    return reason.replace("documents", "documents of training")


def _of_counts(reason: str, found: list[tuple[int, str]]) -> Dropped:
    first = sorted(found)[:N_EXAMPLES]
    return Dropped(reason, len(found), -sum(n for n, _ in found), tuple(word for _, word in first))


def dropped_junk(removed: NDArray[np.int64]) -> tuple[Dropped, ...]:
    """Return the junk that a Cleaner counted."""
    counted = zip(SPANS, removed.tolist(), strict=True)
    return tuple(Dropped(kind, 0, n) for kind, n in counted if n)


def read_dropped(rows: Any) -> tuple[Dropped, ...] | None:
    """Read and check `Dropped` rows from JSON; None if there are none."""
    if rows is None:
        return None
    if not isinstance(rows, list) or len(rows) > _MOST_ROWS:
        raise ValueError("dropped must be a list of rows")
    return tuple(_read_row(row) for row in rows)


def _read_row(row: Any) -> Dropped:
    reason, n_words, n_tokens, examples = row
    if not (isinstance(reason, str) and isinstance(n_words, int) and isinstance(n_tokens, int)):
        raise ValueError("a row of dropped must have a reason and two numbers")
    return Dropped(reason, n_words, n_tokens, _strings(examples))


def _strings(values: Iterable[Any]) -> tuple[str, ...]:
    strings = tuple(values)
    if not all(isinstance(value, str) for value in strings):
        raise ValueError("examples of dropped words must be strings")
    return strings


def _of_words(reason: str, words: NDArray[np.int64], seen: Dictionary, n_examples: int) -> Dropped:
    n_tokens = seen.n_tokens[words]
    if len(words) > n_examples:
        least = np.partition(n_tokens, -n_examples)[-n_examples]
        most = words[n_tokens >= least]
    else:
        most = words
    # Numbers depend on threads and processes, hashes do not.
    first = most[np.lexsort((seen.hashes[most], -seen.n_tokens[most]))[:n_examples]]
    examples = sorted(zip((-seen.n_tokens[first]).tolist(), seen.spelled(first), strict=True))
    return Dropped(reason, len(words), int(n_tokens.sum()), tuple(word for _, word in examples))
