"""Languages by code: names, scripts and stop words."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

BIGRAMS = "-x-bigrams"
"""Suffix of a language's code: words are pairs of characters, not those of a segmenter."""


class Language(NamedTuple):
    """A language: its English name and its script, as in `SCRIPTS`."""

    name: str
    script: str = "latin"
    has_stop_words: bool = True


_NONE = False
LANGUAGES: dict[str, Language] = {
    "af": Language("Afrikaans"),
    "ar": Language("Arabic", "arabic"),
    "as": Language("Assamese", "bengali", _NONE),
    "az": Language("Azerbaijani", "latin", _NONE),
    "be": Language("Belarusian", "cyrillic", _NONE),
    "bg": Language("Bulgarian", "cyrillic"),
    "bn": Language("Bengali", "bengali"),
    "br": Language("Breton"),
    "ca": Language("Catalan"),
    "cs": Language("Czech"),
    "da": Language("Danish"),
    "de": Language("German"),
    "el": Language("Greek", "greek"),
    "en": Language("English"),
    "eo": Language("Esperanto"),
    "es": Language("Spanish"),
    "et": Language("Estonian"),
    "eu": Language("Basque"),
    "fa": Language("Persian", "arabic"),
    "fi": Language("Finnish"),
    "fr": Language("French"),
    "ga": Language("Irish"),
    "gl": Language("Galician"),
    "gu": Language("Gujarati", "gujarati"),
    "ha": Language("Hausa"),
    "he": Language("Hebrew", "hebrew"),
    "hi": Language("Hindi", "devanagari"),
    "hr": Language("Croatian"),
    "hu": Language("Hungarian"),
    "hy": Language("Armenian", "armenian"),
    "id": Language("Indonesian"),
    "it": Language("Italian"),
    "ja": Language("Japanese", "kana"),
    "ka": Language("Georgian", "georgian", _NONE),
    "km": Language("Khmer", "khmer", _NONE),
    "kn": Language("Kannada", "kannada", _NONE),
    "ko": Language("Korean", "hangul"),
    "ku": Language("Kurdish"),
    "la": Language("Latin"),
    "lo": Language("Lao", "lao", _NONE),
    "lt": Language("Lithuanian"),
    "lv": Language("Latvian"),
    "mk": Language("Macedonian", "cyrillic", _NONE),
    "ml": Language("Malayalam", "malayalam", _NONE),
    "mr": Language("Marathi", "devanagari"),
    "ms": Language("Malay"),
    "my": Language("Burmese", "myanmar", _NONE),
    "ne": Language("Nepali", "devanagari", _NONE),
    "nl": Language("Dutch"),
    "no": Language("Norwegian"),
    "pa": Language("Punjabi", "gurmukhi", _NONE),
    "pl": Language("Polish"),
    "pt": Language("Portuguese"),
    "ro": Language("Romanian"),
    "ru": Language("Russian", "cyrillic"),
    "sk": Language("Slovak"),
    "sl": Language("Slovenian"),
    "so": Language("Somali"),
    "sr": Language("Serbian", "cyrillic", _NONE),
    "st": Language("Sotho"),
    "sv": Language("Swedish"),
    "sw": Language("Swahili"),
    "ta": Language("Tamil", "tamil", _NONE),
    "te": Language("Telugu", "telugu", _NONE),
    "th": Language("Thai", "thai"),
    "tl": Language("Tagalog"),
    "tr": Language("Turkish"),
    "uk": Language("Ukrainian", "cyrillic"),
    "ur": Language("Urdu", "arabic"),
    "vi": Language("Vietnamese"),
    "yo": Language("Yoruba"),
    "zh": Language("Chinese", "han"),
    "zu": Language("Zulu"),
}

_ALIASES = {"nb": "no", "nn": "no", "fil": "tl", "in": "id", "iw": "he", "cmn": "zh"}
_CODES = {language.name.lower(): code for code, language in LANGUAGES.items()}


def language_code(given: object) -> str:
    """Return the code of a language given as a code, a tag such as pt-BR, or an English name.

    >>> language_code("pt_BR"), language_code("German"), language_code("zh-x-bigrams")
    ('pt', 'de', 'zh-x-bigrams')
    """
    text = given.lower().replace("_", "-") if isinstance(given, str) else ""
    base = _CODES.get(text, text.partition("-")[0])
    code = _ALIASES.get(base, base)
    if code not in LANGUAGES:
        raise ValueError(
            f"language must be 'auto', None, or a code or an English name of a language, such as 'de' or 'german'; "
            f"there are {', '.join(LANGUAGES)}; got {given!r:.60}"
        )
    return code + BIGRAMS if text.endswith(BIGRAMS) else code


def base_of(code: str) -> str:
    """Return the code without its suffix.

    >>> base_of("zh-x-bigrams")
    'zh'
    """
    return code.removesuffix(BIGRAMS)


def uses_latin(code: str) -> bool:
    """Return whether a language is written in Latin letters.

    >>> uses_latin("de"), uses_latin("zh-x-bigrams")
    (True, False)
    """
    return LANGUAGES[base_of(code)].script == "latin"


@cache
def listed_stop_words(code: str) -> frozenset[str]:
    """Return the stop words of a language from stopwords-iso, in composed form; none if it has no list.

    >>> "und" in listed_stop_words("de"), listed_stop_words("km")
    (True, frozenset())
    """
    import stopwordsiso

    if not stopwordsiso.has_lang(code):
        return frozenset()
    return frozenset(unicodedata.normalize("NFC", word).lower() for word in stopwordsiso.stopwords(code))
