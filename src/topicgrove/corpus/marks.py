r"""Patterns for letters with marks, such as the vowel signs of Hindi and Thai, which ``\w`` does not match."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_CODES = (*range(0x300, 0x1F000), *range(0xE0100, 0xE01F0))
_HEBREW_SIGNS = "\u05f3\u05f4"
"""Hebrew signs of abbreviations."""


@cache
def _marks() -> str:
    return "".join(chr(code) for code in _CODES if unicodedata.category(chr(code)) in ("Mn", "Mc"))


@cache
def word_with_marks(signs: str = _HEBREW_SIGNS) -> re.Pattern[str]:
    """Return the pattern of a word of at least two characters, with marks, and with signs between letters.

    >>> word_with_marks().findall("हिन्दी में"), word_with_marks("·").findall("col·legi")
    (['हिन्दी', 'में'], ['col·legi'])
    """
    return re.compile(rf"\w(?:[\w{_marks()}]|[{signs}](?=\w))+")


@cache
def letter_with_marks() -> re.Pattern[str]:
    """Return the pattern of one character and its marks.

    >>> letter_with_marks().findall("हिन्दी")
    ['हि', 'न्', 'दी']
    """
    return re.compile(rf".[{_marks()}]*", re.DOTALL)
