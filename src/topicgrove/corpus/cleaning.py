"""Cleaning: what is left out of texts and of the vocabulary by default."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

SPANS = ("urls", "emails", "html", "latex", "contractions", "encoded", "mail", "hyphens", "underscores")
"""Kinds of junk that are spans of a text, in the order of the kernel's numbers."""

KINDS = (*SPANS, "numbers", "repeats")
"""All kinds; the last ones are whole words, left out of the vocabulary."""

# Dimensions (3d), generations (5g) and thousands (4k).
_WORD_WITH_DIGIT = re.compile(r"[1-9][dgk]", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_REPEAT = re.compile(r"([^\W\d_])\1{3}")

# Remains of contractions in texts that lost their apostrophes, and of 5-th and $n$th.
_WITHOUT_T = "ain aren couldn didn doesn don hadn hasn isn mightn mustn needn shouldn wasn weren wouldn"
FRAGMENTS = frozenset({"ll", "ve", "th"}.union(*((word, f"{word}t") for word in _WITHOUT_T.split(" "))))


def is_number(word: str) -> bool:
    """Return whether a word, or any word of an n-gram, has no letters or begins with a digit, unless like 3d or 4k.

    >>> [word for word in ("1993", "25th", "3d", "mp3", "1st tree", "__") if not is_number(word)]
    ['3d', 'mp3']
    """
    if " " in word:
        return any(map(is_number, word.split(" ")))
    if word[:1].isdigit():
        return _WORD_WITH_DIGIT.fullmatch(word) is None
    return _LETTER.search(word) is None


def is_repeat(word: str) -> bool:
    """Return whether a word, or any word of an n-gram, has a letter four times in a row.

    >>> [word for word in ("xxxx", "hmmmmm", "www", "xxxii") if is_repeat(word)]
    ['xxxx', 'hmmmmm']
    """
    return _REPEAT.search(word) is not None


def junk_words(kinds: Collection[str]) -> Callable[[str], str | None]:
    """Return a function from a word to its kind of junk, among these kinds; None for other words.

    >>> kind_of = junk_words(["numbers", "repeats"])
    >>> kind_of("1993"), kind_of("aaaah"), kind_of("tree")
    ('numbers', 'repeats', None)
    """
    numbers, repeats = "numbers" in kinds, "repeats" in kinds

    def kind_of(word: str) -> str | None:
        if numbers and not word.isalpha() and is_number(word):
            return "numbers"
        # Four letters in a row are three more than their set has; this is quicker than the search.
        return "repeats" if repeats and len(word) > len(set(word)) + 2 and is_repeat(word) else None

    return kind_of


def checked_kinds(given: Any) -> str | tuple[str, ...] | None:
    """Return the value given for ``clean``, checked and in the order of `KINDS`."""
    if given is None or given == "auto":
        return given  # type: ignore[no-any-return]
    accepted = f"clean must be 'auto', None or names out of {', '.join(KINDS)}; got {given!r}"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(accepted)
    names = tuple(given)
    if not all(name in KINDS for name in names):
        raise ValueError(accepted)
    return tuple(kind for kind in KINDS if kind in names)
