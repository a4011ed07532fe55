"""Detect the language of texts by their script and their stop words."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from topicgrove.corpus.languages import LANGUAGES, listed_stop_words
from topicgrove.corpus.marks import word_with_marks

SAMPLE_DOCUMENTS = 1000
SAMPLE_CHARACTERS = 50_000
"""Size of the sample of the first documents."""
DOCUMENT_CHARACTERS = 1000
_DOCUMENTS_ALONE = 40
"""Documents of a sample whose languages are detected one by one, to recognise a mixture."""
_LEAST_DOCUMENTS = 10

_LEAST_HITS = 4
_LEAST_WORDS = 4
_MORE_THAN_ENGLISH = 1.25
_LEAST_COVERAGE = 0.15
_LEAST_OF_OTHER_SCRIPTS = 0.05
_MAIN_SHARE = 0.6
_KANA_SHARE = 0.05
_LETTER_SHARE = 0.005
_LETTERS_PER_SYLLABLE = 3
"""Letters of an alphabet that say as much as one character of Chinese, Japanese or Korean."""

_BLOCKS = {
    0x41: "latin", 0x370: "greek", 0x400: "cyrillic", 0x530: "armenian", 0x590: "hebrew", 0x600: "arabic",
    0x700: "", 0x750: "arabic", 0x780: "", 0x900: "devanagari", 0x980: "bengali", 0xA00: "gurmukhi",
    0xA80: "gujarati", 0xB00: "", 0xB80: "tamil", 0xC00: "telugu", 0xC80: "kannada", 0xD00: "malayalam", 0xD80: "",
    0xE00: "thai", 0xE80: "lao", 0xF00: "", 0x1000: "myanmar", 0x10A0: "georgian", 0x1100: "hangul", 0x1200: "",
    0x1780: "khmer", 0x1800: "", 0x1E00: "latin", 0x1F00: "greek", 0x2000: "", 0x3005: "han", 0x3008: "",
    0x3040: "kana", 0x3100: "", 0x3400: "han", 0x4DC0: "", 0x4E00: "han", 0xA000: "", 0xAC00: "hangul", 0xD7B0: "",
    0xF900: "han", 0xFB00: "", 0xFF66: "kana", 0xFFA0: "", 0x20000: "han", 0x323B0: "",
}  # fmt: skip
_LETTERS = {
    "cyrillic": {"": "әғқңөұүһҷҳ", "be": "ў", "uk": "їєґ", "mk": "ѓќѕ", "sr": "ђћџјљњ", "ru": "ыэ", "bg": "ъ"},
    "arabic": {"": "ەێۆڵځښ", "ur": "ٹڈڑںے", "fa": "پچژگی", "ar": "ةيىكأ"},
    "bengali": {"as": "ৰৱ", "bn": "র"},
}
"""Letters that tell languages of a script apart; the first match decides, and "" stands for other languages."""

_STARTS = list(_BLOCKS)
_NAMES = list(_BLOCKS.values())


class Detected(NamedTuple):
    """A language's code, or None if unsure; the script of most letters; and the share of documents by language.

    Shares count only documents whose language is sure, and only if there are several.
    """

    code: str | None
    script: str
    documents: dict[str, float]


def detect_language(texts: Iterable[str]) -> Detected:
    """Detect the language of most of the texts, from a sample of the first ones.

    >>> detect_language(["Der Mond umkreist die Erde, und die Erde umkreist mit ihm die Sonne.", "Er ist auch das Ziel"
    ...                  " einer Rakete, die von der Erde zu ihm fliegt."]).code
    'de'
    >>> detect_language(["月亮围绕地球转动"]).code, detect_language(["tree, leaf, root"]).code
    ('zh', None)
    """
    sample = sample_of(texts)
    code, script = language_of(sample)
    some = sample[:: max(len(sample) // _DOCUMENTS_ALONE, 1)]
    found = Counter(known for known, _ in (language_of([text]) for text in some) if known)
    total = sum(found.values())
    is_told = total >= _LEAST_DOCUMENTS
    return Detected(code, script, {known: n / total for known, n in found.items()} if is_told else {})


def language_of(sample: list[str]) -> tuple[str | None, str]:
    """Return the language of a sample, None if unsure, and its main script."""
    letters = _letters(sample)
    script, n_letters = max(letters.items(), key=lambda item: item[1], default=("", 0))
    if not n_letters or n_letters < _MAIN_SHARE * sum(letters.values()):
        return None, script
    candidates = tuple(code for code, language in LANGUAGES.items() if language.script == script)
    if len(candidates) == 1:
        return candidates[0], script
    by = _by_letters(sample, script) if script in _LETTERS else _by_stop_words(sample, candidates)
    return by, script


def sample_of(texts: Iterable[str]) -> list[str]:
    """Return the beginnings of the first texts, as many as it takes to detect a language."""
    sample: list[str] = []
    n_characters = 0
    for text in texts:
        sample.append(unicodedata.normalize("NFC", text[:DOCUMENT_CHARACTERS]))
        n_characters += len(sample[-1])
        if is_enough(len(sample), n_characters):
            break
    return sample


def is_enough(n_docs: int, n_characters: int) -> bool:
    """Return whether a sample of that size is large enough."""
    return n_docs >= SAMPLE_DOCUMENTS or n_characters >= SAMPLE_CHARACTERS


def _letters(sample: list[str]) -> dict[str, float]:
    """Count the letters of each script; all Japanese ones count as kana."""
    letters: dict[str, float] = defaultdict(float)
    for character, n in Counter("".join(sample)).items():
        place = bisect_right(_STARTS, ord(character)) - 1
        script = _NAMES[place] if place >= 0 else ""
        if script and character.isalpha():
            letters[script] += n * (_LETTERS_PER_SYLLABLE if script in ("han", "kana", "hangul") else 1)
    east_asian = letters["han"] + letters["kana"]
    main = "kana" if letters["kana"] > _KANA_SHARE * east_asian else "han"
    del letters["han"], letters["kana"]
    return letters | ({main: east_asian} if east_asian else {})


def _by_letters(sample: list[str], script: str) -> str | None:
    """Return the language whose own letters occur in the sample."""
    letters = Counter("".join(sample).lower())
    least = _LETTER_SHARE * sum(n for letter, n in letters.items() if letter.isalpha() and not letter.isascii())
    for code, own in _LETTERS[script].items():
        if sum(letters[letter] for letter in own) > least:
            return code or None
    return None


def _by_stop_words(sample: list[str], candidates: tuple[str, ...]) -> str | None:
    """Return the candidate whose stop words are most frequent; a word of several languages counts in part for each."""
    languages = _languages_of_words(candidates)
    words: Counter[str] = Counter()
    find_words = word_with_marks().findall
    for text in sample:
        words.update(find_words(text.lower()))
    hits: dict[str, float] = dict.fromkeys(candidates, 0.0)
    covered = dict.fromkeys(candidates, 0)
    n_different = dict.fromkeys(candidates, 0)
    for word, n in words.items():
        codes = languages.get(word, ())
        for code in codes:
            hits[code] += n / len(codes)
            covered[code] += n
            n_different[code] += 1
    best = max(hits, key=hits.__getitem__)
    least = _LEAST_COVERAGE if "en" in candidates else _LEAST_OF_OTHER_SCRIPTS
    is_sure = (
        n_different[best] >= _LEAST_WORDS and hits[best] >= _LEAST_HITS and covered[best] >= least * sum(words.values())
    )
    if best != "en" and hits[best] < _MORE_THAN_ENGLISH * hits.get("en", 0):
        return None
    return best if is_sure else None


@cache
def _languages_of_words(candidates: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return, for each stop word, the languages that have it."""
    codes: dict[str, list[str]] = defaultdict(list)
    for code in candidates:
        for word in listed_stop_words(code):
            codes[word].append(code)
    return {word: tuple(found) for word, found in codes.items()}
