"""Find words in scripts without spaces, with a segmenter or as pairs of characters."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from topicgrove.corpus.languages import BIGRAMS, LANGUAGES, base_of
from topicgrove.corpus.marks import letter_with_marks
from topicgrove.extras import needed

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_SCRIPTS = {
    "th": "\u0e00-\u0e4f",
    "lo": "\u0e80-\u0ecf\u0edc-\u0edf",
    "my": "\u1000-\u103f\u104c-\u109f\uaa60-\uaa7f",
    "km": "\u1780-\u17d3\u17d7\u17dc\u17dd",
}
"""Characters of scripts that belong to one language."""

SPACELESS = re.compile(f"[{_HAN}{_KANA}{''.join(_SCRIPTS.values())}]")
"""A character of a script without spaces."""

_RUN = re.compile("|".join(f"[{characters}]+" for characters in (_HAN + _KANA, *_SCRIPTS.values())))
_KANA_LETTER = re.compile(f"[{_KANA}]")
_LETTER_OF = {code: re.compile(f"[{characters}]") for code, characters in _SCRIPTS.items()}

LIBRARIES = {"zh": "rjieba", "ja": "sudachipy", "th": "icu4py", "lo": "icu4py", "km": "icu4py", "my": "icu4py"}
"""The libraries that find words, by language."""

_LONGEST_RUN = 5000
"""Most characters that a segmenter gets at once; SudachiPy refuses more than some 16,000."""

# Nouns, verbs, adjectives, adjectival nouns and adverbs, without numerals and auxiliary verbs.
_JAPANESE_KINDS = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞"})
_JAPANESE_HELPERS = frozenset({"非自立可能", "数詞", "助動詞語幹"})

Cut = Callable[[str], list[str]]


class Segmenter:
    """A segmenter that cuts words in scripts without spaces; may be used by many threads.

    >>> Segmenter("zh-x-bigrams")(["数据库abc", "tree"])
    ['数据', '据库', 'abc', 'tree']
    """

    def __init__(self, code: str) -> None:
        self._language = base_of(code)
        self._bigrams = code.endswith(BIGRAMS)
        if self._language in LIBRARIES and not self._bigrams:
            segmenter_of(self._language)  # raises if it is not installed

    def __call__(self, words: list[str]) -> list[str]:
        """Return the words, cutting those in scripts without spaces."""
        return [part for word in words for part in (self._parts(word) if SPACELESS.search(word) else (word,))]

    def _parts(self, word: str) -> Iterator[str]:
        end = 0
        for match in _RUN.finditer(word):
            if match.start() - end > 1:
                yield word[end : match.start()]
            for begin in range(match.start(), match.end(), _LONGEST_RUN):
                yield from self._cut(word[begin : min(begin + _LONGEST_RUN, match.end())])
            end = match.end()
        if len(word) - end > 1:
            yield word[end:]

    def _cut(self, run: str) -> list[str]:
        code = self._language_of(run)
        if (self._bigrams and code == self._language) or not has_segmenter(code):
            return bigrams(run)
        return segmenter_of(code)(run)

    def _language_of(self, run: str) -> str:
        for code, letter in _LETTER_OF.items():
            if letter.match(run):
                return code
        return "ja" if self._language == "ja" or _KANA_LETTER.search(run) else "zh"


def bigrams(run: str) -> list[str]:
    """Return all pairs of adjacent characters, each with its marks.

    >>> bigrams("数据库"), bigrams("库")
    (['数据', '据库'], [])
    """
    return [first + second for first, second in pairwise(letter_with_marks().findall(run))]


@cache
def has_segmenter(code: str) -> bool:
    """Return whether the library for a language can be imported."""
    try:
        segmenter_of(code)
    except ImportError:
        return False
    return True


@cache
def segmenter_of(code: str) -> Cut:
    """Return the function that cuts text of a language into words; raise ImportError if its library is missing."""
    with needed(LIBRARIES[code], f"finding the words of {LANGUAGES[code].name}"):
        if code == "ja":
            return _Japanese().cut
        if code == "zh":
            import rjieba

            return lambda run: [word for word in rjieba.cut(run) if len(word) > 1]
        from icu4py.breakers import WordBreaker

        return lambda run: [word for word in WordBreaker(run, code) if len(word) > 1]


class _Japanese:
    """Content words in dictionary form, by SudachiPy; each thread has its own tokenizer."""

    def __init__(self) -> None:
        from sudachipy import Dictionary, SplitMode

        self._dictionary = Dictionary()
        self._mode = SplitMode.C
        self._own = threading.local()
        self._tokenizer()

    def cut(self, run: str) -> list[str]:
        words = []
        for morpheme in self._tokenizer().tokenize(run):
            kind, subkind, subsubkind, *_ = morpheme.part_of_speech()
            if kind in _JAPANESE_KINDS and not {subkind, subsubkind} & _JAPANESE_HELPERS:
                words.append(morpheme.dictionary_form())
        return [word for word in words if len(word) > 1 or not _KANA_LETTER.match(word)]

    def _tokenizer(self) -> Any:
        if not hasattr(self._own, "tokenizer"):
            # SudachiPy 0.7 renamed it, and warns about the old name.
            make = getattr(self._dictionary, "tokenizer", None) or self._dictionary.create
            self._own.tokenizer = make(mode=self._mode)
        return self._own.tokenizer
