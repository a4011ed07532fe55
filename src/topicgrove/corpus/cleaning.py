"""Words worth reading: what is left out of texts and of the vocabulary by default."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topicgrove.kernels.cleaning import CONTRACTIONS, EMAILS, HTML, LATEX, N_KINDS, URLS, clean_documents

__all__ = ["FRAGMENTS", "KINDS", "N_KINDS", "SPANS", "Cleaner", "checked_kinds", "is_number"]

SPANS = ("urls", "emails", "html", "latex", "contractions")
"""Kinds of junk that are spans of a text, in the order of the kernel's bits."""

KINDS = (*SPANS, "numbers")
"""All kinds; numbers are words of the vocabulary that are left out."""

_BITS = dict(zip(SPANS, (URLS, EMAILS, HTML, LATEX, CONTRACTIONS), strict=True))

# Dimensions, generations and thousands.
_WORD_WITH_DIGIT = re.compile(r"[1-9][dgk]", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")

# What is left of contractions in texts that lost their apostrophes.
_WITHOUT_T = "ain aren couldn didn doesn don hadn hasn isn mightn mustn needn shouldn wasn weren wouldn"
FRAGMENTS = frozenset({"ll", "ve"}.union(*((word, f"{word}t") for word in _WITHOUT_T.split(" "))))


class Cleaner:
    """Takes junk of some kinds out of texts; may be used by many threads.

    >>> cleaner = Cleaner(["urls", "html"])
    >>> cleaner.clean(["See <b>trees</b>: https://example.org/tree"], np.zeros(N_KINDS, np.int64))
    [b'See  trees :  ']
    """

    def __init__(self, kinds: Iterable[str]) -> None:
        wanted = set(kinds)
        self._bits = sum(bit for kind, bit in _BITS.items() if kind in wanted)
        self._entities = "html" in wanted

    def clean(self, texts: list[str], removed: NDArray[np.int64]) -> list[bytes]:
        """The texts in UTF-8 without junk, each span of which is a blank; spans are counted by kind in ``removed``."""
        if self._entities:
            texts = [html.unescape(text).replace("\0", " ") if "&" in text else text for text in texts]
        # References to lone surrogates become U+FFFD, so this cannot fail for text that could be encoded before.
        parts = [text.encode() for text in texts]
        if not self._bits or not parts:
            return parts
        data = np.frombuffer(b"".join(parts), np.uint8)
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        cleaned, cleaned_ends = np.empty_like(data), np.empty_like(ends)
        clean_documents(data, ends, self._bits, cleaned, cleaned_ends, removed)
        kept = cleaned[: cleaned_ends[-1]].tobytes()
        bounds = [0, *cleaned_ends.tolist()]
        return [kept[begin:end] for begin, end in pairwise(bounds)]


def is_number(word: str) -> bool:
    """Whether a word has no letter, or begins with a digit and is not like 3d, 5g or 4k; in an n-gram, any word.

    >>> [word for word in ("1993", "25th", "3d", "mp3", "1st tree", "__") if not is_number(word)]
    ['3d', 'mp3']
    """
    if " " in word:
        return any(map(is_number, word.split(" ")))
    if word[:1].isdigit():
        return _WORD_WITH_DIGIT.fullmatch(word) is None
    return _LETTER.search(word) is None


def checked_kinds(given: Any) -> str | tuple[str, ...] | None:
    """What was given for ``clean``, in the order of `KINDS`."""
    if given is None or given == "auto":
        return given  # type: ignore[no-any-return]
    accepted = f"clean must be 'auto', None or names out of {', '.join(KINDS)}; got {given!r}"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(accepted)
    names = tuple(given)
    if not all(name in KINDS for name in names):
        raise ValueError(accepted)
    return tuple(kind for kind in KINDS if kind in names)
