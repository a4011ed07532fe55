"""Junk taken out of texts before they are tokenized."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.cleaning import SPANS
from topicgrove.corpus.quoted_printable import decoded
from topicgrove.kernels.cleaning import N_KINDS, clean_documents, roles_of

__all__ = ["N_KINDS", "Cleaner"]

# Requires small letters, which uuencoded files lack.
_ENTITY = re.compile(
    r"&(?:#\d{2,7}|#[xX][\da-fA-F]{2,6}|[A-Z]{0,2}[a-z]\w{1,30}|AMP|LT|GT|QUOT);|&(?:nbsp|amp|quot|lt|gt)\b"
)


class Cleaner:
    """A remover of some kinds of junk from texts; may be used by many threads.

    >>> cleaner = Cleaner(["urls", "html"])
    >>> cleaner.clean(["See <b>trees</b>: https://example.org/tree"], np.zeros(N_KINDS, np.int64))
    [b'See  trees :  ']
    """

    def __init__(self, kinds: Iterable[str]) -> None:
        wanted = set(kinds)
        self._is_wanted = np.array([kind in wanted for kind in SPANS])
        self._roles = roles_of(np.flatnonzero(self._is_wanted).tolist())
        self._entities = "html" in wanted
        self._mail = "mail" in wanted

    def clean(self, texts: list[str], removed: NDArray[np.int64]) -> list[bytes]:
        """Return texts in UTF-8 with a blank for each span of junk; count spans by kind in ``removed``."""
        if self._mail:
            texts = [decoded(text) if "=" in text else text for text in texts]
        if self._entities:
            texts = [unescaped(text) if "&" in text else text for text in texts]
        # References to lone surrogates become U+FFFD, so this cannot fail for text that could be encoded before.
        parts = [text.encode() for text in texts]
        if not self._is_wanted.any() or not parts:
            return parts
        data = np.frombuffer(b"".join(parts), np.uint8)
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        cleaned, cleaned_ends = np.empty_like(data), np.empty_like(ends)
        clean_documents(data, ends, self._roles, self._is_wanted, cleaned, cleaned_ends, removed)
        kept = cleaned[: cleaned_ends[-1]].tobytes()
        bounds = [0, *cleaned_ends.tolist()]
        return [kept[begin:end] for begin, end in pairwise(bounds)]


def unescaped(text: str) -> str:
    """Replace HTML entities by characters, including entities that were escaped twice.

    >>> unescaped("caf&eacute; &amp;uuml; AT&T")
    'café ü AT&T'
    """
    for _ in range(2):
        if not _ENTITY.search(text):
            break
        text = html.unescape(text)
    return text.replace("\0", " ")
