"""Find and spell words in each language: normal forms, case, elisions, marks and scripts without spaces.

Latin text without combining marks takes a fast path with the words of CountVectorizer's default pattern.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Literal

from topicgrove.corpus.languages import BIGRAMS, base_of, listed_stop_words
from topicgrove.corpus.marks import word_with_marks
from topicgrove.corpus.segmenting import SPACELESS, Segmenter

Words = list[str]
Change = Callable[[str], str]

# Characters other than Latin, Greek and Cyrillic letters and punctuation, and those that every language treats.
_SPECIAL = re.compile("[\u00ad\u0130\u0300-\u036f\u0483-\u0489\u0531-\u1dff\u200b-\u200d\u2060\u20d0-\U0010ffff]")
_PLAIN_WORD = re.compile(r"\w\w+")
_INVISIBLE = re.compile("[\u00ad\u200b\u200d\u2060\ufeff]")
NON_JOINER = "\u200c"
_MIDDLE_DOT = "\u00b7"

_APOSTROPHES = "['\u2019]"
_LETTER_APOSTROPHE = "\u02bc"
_ELIDED = {
    "fr": "l|d|j|m|t|s|n|c|ç|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu",
    "it": "l|d|un|c|s|m|t|v|n|gl|dell|all|nell|dall|sull|coll|quell|quest|anch|com|dov|quand|sant|bell|buon|tutt|nient"
    "|senz|mezz|nessun|ciascun|qualcun|alcun|cos|pover|degl|dagl|agl|negl|sugl",
    "ca": "l|d|s|m|t|n",
    "eo": "l",
    "ga": "d|b|m",
    "pt": "d",
    "gl": "d",
}
"""Words that lose their vowel before another vowel."""

_QUOTED = frozenset({"the", "of", "with", "from", "this", "that"})

_MORE = {
    "ja": frozenset({"場合", "際", "以下", "以上", "用", "等", "中", "時", "方", "毎", "的", "化", "性", "者"}),
    "ko": frozenset({"있습니다", "합니다", "됩니다", "입니다", "또는", "대한", "위한", "위해", "통해", "있는", "하는"}),
    "uk": frozenset(
        "на не або до за від під при про для та що як це цей ця ці той ті те його її їх він вона воно вони ми ви ти "
        "був була було були бути може можуть який яка яке які якщо також але коли де так без після між через по "
        "лише тільки ще вже всі все над із зі чи щоб".split(" ")
    ),
}
"""Function words that the lists lack."""

_GREEK_VOWELS = "\u03b1\u03b5\u03b7\u03b9\u03bf\u03c5\u03c9"

# Lower case of I and of dotted I.
_TURKIC = str.maketrans({"I": "\u0131", "\u0130": "i"})
_ARABIC_MARKS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
_ARABIC_ARTICLES = re.compile("(?:[وفبك]?ال|لل)(?!له$)(?=\\w{2})")
_KOREAN_PARTICLES = re.compile("(?<=[가-힣]{2})(?:입니다|에서는|에서|에게|으로|까지|부터|를|을)$")
_HEBREW_POINTS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]")
_PERSIAN = str.maketrans({"ي": "ی", "ك": "ک"})
# From letters with cedillas, as in old encodings.
_ROMANIAN = str.maketrans({"\u015f": "\u0219", "\u015e": "\u0218", "\u0163": "\u021b", "\u0162": "\u021a"})
# The letter yo, which most Russian texts spell ye.
_WITHOUT_YO = str.maketrans({"\u0451": "\u0435", "\u0401": "\u0415"})


class WordFinder:
    """A finder of words by the rules of one language; may be used by many threads.

    >>> WordFinder("fr")("L'été, qu'il aime aujourd'hui")
    ['été', 'il', 'aime', 'aujourd', 'hui']
    >>> WordFinder("tr")("IŞIK İstanbul'da")
    ['ışık', 'istanbul']
    """

    def __init__(self, code: str, *, lowercase: bool = True, pattern: re.Pattern[str] | None = None) -> None:
        language = base_of(code)
        self._own_pattern = pattern
        self._lowercase = lowercase
        self._is_turkic = language in ("tr", "az")
        self._is_catalan = language == "ca"
        self._form: Literal["NFC", "NFKC"] = "NFKC" if language in ("zh", "ja") else "NFC"
        self._changes = [] if pattern else changes_of(language)
        self._word_change = None if pattern else _WORD_CHANGES.get(language)
        self._segmenter = Segmenter(code)
        self.parts_at_non_joiner = language in ("fa", "ur")
        """Whether a non-joiner, which is merely invisible elsewhere, separates words."""
        self.slow_ascii = self._ascii_characters()
        """Bytes that make even ASCII text need this finder."""

    def __call__(self, text: str) -> Words:
        """Return the words of a text in order."""
        if self.parts_at_non_joiner:
            text = text.replace(NON_JOINER, " ")
        is_special = _SPECIAL.search(text) is not None
        if is_special:
            text = unicodedata.normalize(self._form, text)
            text = _INVISIBLE.sub("", text)
        if self._lowercase:
            text = text.translate(_TURKIC) if self._is_turkic else text.replace("İ", "i")
            text = text.lower()
        for change in self._changes:
            text = change(text)
        if self._own_pattern is not None:
            return self._own_pattern.findall(text)
        if not is_special and not self._is_catalan:
            return _PLAIN_WORD.findall(text)
        pattern = word_with_marks(_MIDDLE_DOT) if self._is_catalan else word_with_marks()
        words = pattern.findall(text.replace(NON_JOINER, ""))
        if is_special and SPACELESS.search(text):
            words = self._segmenter(words)
        return list(map(self._word_change, words)) if self._word_change else words

    def _ascii_characters(self) -> tuple[bytes, ...]:
        apostrophe = (b"'",) if self._changes else ()
        return apostrophe + ((b"I",) if self._is_turkic and self._lowercase else ())


@cache
def changes_of(language: str) -> list[Change]:
    """Return the changes made to a text of a language before words are found in it."""
    if language in _ELIDED:
        elided = re.compile(rf"\b(?:{_ELIDED[language]}){_APOSTROPHES}(?=\w)", re.IGNORECASE)
        changes: list[Change] = [lambda text: elided.sub("", text)]
        if language == "ca":
            changes.append(lambda text: re.sub(rf"{_APOSTROPHES}(?:ls|ns|hi|ho)\b", "", text))
        return changes
    if language in ("tr", "az"):
        # Suffixes of names.
        return [lambda text: re.sub(rf"(?<=\w){_APOSTROPHES}\w+", "", text)]
    if language in ("uk", "be", "br"):
        return [lambda text: re.sub(rf"(?<=\w){_APOSTROPHES}(?=\w)", _LETTER_APOSTROPHE, text)]
    if language == "ro":
        return [lambda text: text.translate(_ROMANIAN)]
    if language == "ru":
        return [lambda text: text.translate(_WITHOUT_YO)]
    if language in ("ar", "fa", "ur"):
        letters = {} if language == "ar" else _PERSIAN
        return [lambda text: _ARABIC_MARKS.sub("", text).translate(letters)]
    if language == "he":
        return [lambda text: re.sub(r'(?<=[א-ת])"(?=[א-ת])', "\u05f4", _HEBREW_POINTS.sub("", text))]
    return []


def _without_article(word: str) -> str:
    """Return an Arabic word without its article and what is joined to it; stop words keep theirs.

    >>> _without_article("والكتاب"), _without_article("التي"), _without_article("الله")
    ('كتاب', 'التي', 'الله')
    """
    article = _ARABIC_ARTICLES.match(word)
    return word if article is None or word in listed_stop_words("ar") else word[article.end() :]


def _without_particle(word: str) -> str:
    """Return a Korean word without its particle, if that ends no other words and two syllables are left.

    >>> _without_particle("라이브러리를"), _without_particle("게임입니다"), _without_particle("마을")
    ('라이브러리', '게임', '마을')
    """
    return _KOREAN_PARTICLES.sub("", word)


_WORD_CHANGES: dict[str, Change] = {"ar": _without_article, "ko": _without_particle}


@cache
def stop_words_of(code: str) -> frozenset[str]:
    """Return the stop words of a language as listed and as found in texts.

    Includes the most frequent words of English: all languages quote titles and names.

    >>> "und" in stop_words_of("de"), {"ещё", "еще"} <= stop_words_of("ru")
    (True, True)
    """
    language = base_of(code)
    listed = listed_stop_words(language)
    find = WordFinder(language + BIGRAMS)
    found = [find(word) for word in listed]
    spelled = (listed | _QUOTED | _MORE.get(language, frozenset())).union(
        *(words for words in found if len(words) == 1)
    )
    return spelled.union(*map(with_tonos, spelled)) if language == "el" else spelled


def with_tonos(word: str) -> set[str]:
    """Return a Greek word with an accent on each of its vowels in turn: capitals and some lists lack accents.

    >>> sorted(with_tonos("και"))
    ['κάι', 'καί', 'και']
    """
    accented = (word[: i + 1] + "\u0301" + word[i + 1 :] for i, letter in enumerate(word) if letter in _GREEK_VOWELS)
    return {word, *(unicodedata.normalize("NFC", each) for each in accented)}
