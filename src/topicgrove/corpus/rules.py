"""Rules that turn text into words, named as in scikit-learn's CountVectorizer."""

from __future__ import annotations

import math
import numbers
import re
import runpy
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from topicgrove.corpus.cleaning import FRAGMENTS, KINDS, checked_kinds
from topicgrove.corpus.languages import language_code, uses_latin
from topicgrove.corpus.patterns import is_linear
from topicgrove.corpus.spelling import WordFinder, stop_words_of

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"
MOST_WORDS = 100
"""Most words of an n-gram."""

_STORED_CALLABLE = "callable"
"""Stands for a custom analyzer in stored rules."""

_FEW_DOCUMENTS = 100
_MANY_DOCUMENTS = 1000
_LEAST_DF = 5
_DOCUMENTS_PER_SQUARED_DF = 800

Analyzer = Callable[[str], Iterable[str]]


class StoredPattern(str):
    """A token pattern from a file, which is not trusted."""


@dataclass(frozen=True)
class TextRules:
    r"""Rules that turn text into words and choose the vocabulary, named as in scikit-learn's CountVectorizer.

    With ``clean=None``, or with your own ``token_pattern``, the same rules give the same counts as CountVectorizer.

    Parameters
    ----------
    lowercase : bool, default=True
        Whether "Tree" is "tree".
    token_pattern : str, default=r"(?u)\b\w\w+\b"
        Regular expression of a word, with at most one group; by default two or more letters, digits or underscores.
        A pattern that comes from a model or a store is used only if it is known to take linear time:
        characters, classes and groups, where nothing has to match after the first repeat without a limit but a last
        ``\b``. Others, such as ``(a+)+$``, you have to give yourself: ``replace(rules, token_pattern=...)``.
    stop_words : "auto", "english", sequence of str or None, default="auto"
        Words to leave out; "auto" means those of the language, and "english" scikit-learn's list, which is also that of
        ``language="en"`` and ``language=None``.
    ngram_range : tuple of two int, default=(1, 1)
        Shortest and longest run of words that is taken for one word, up to 100.
    min_df : int, float or "auto", default="auto"
        Leave words out that are in fewer documents: a number of them, or a share as a float. "auto" means 1 below 100
        documents, 2 below 1,000, 5 up to 20,000, and sqrt(n_docs / 800) beyond: 13 of 150,000 documents, 35 of a
        million.
    max_df : int, float or "auto", default="auto"
        Leave words out that are in more documents. "auto" means 1.0 below 100 documents and 0.5 from there on.
    max_features : int or None, default=None
        Keep only that many words, the most frequent ones.
    strip_accents : "ascii", "unicode" or None, default=None
        Whether "café" is "cafe"; "ascii" is faster and knows fewer letters.
    analyzer : "word" or callable, default="word"
        A function from a document's text to its words replaces the other rules but min_df, max_df and max_features.
    clean : "auto", sequence of str or None, default="auto"
        Kinds of junk to leave out: "urls" (links and names of hosts), "emails", "html" (tags, scripts and comments;
        entities become characters), "latex" (commands and formulas; accents are dropped), "contractions" (don't, and
        the 's of government's), "encoded" (lines of uuencode and base64, keys and hashes), "mail" (headers, boundaries
        of parts and lines such as "Jane <jane@example.org> wrote:"; quoted-printable text is decoded), "hyphens" (soft
        hyphens, characters without width and hyphens at the end of a line, whose words are joined), "underscores"
        (around words, and symbols with an index such as x_1), "numbers" (words without letters and words that begin
        with a number, except such as 3d) and "repeats" (words with a letter four times in a row). "auto" means all of
        them, and none if ``token_pattern`` or ``analyzer`` is given; None means none.
    phrases : bool, default=False
        Whether collocations such as "neural network" become one word: pairs of adjacent words, neither of which the
        rules leave out, that occur at least 5 times, or once in 500,000 tokens of a larger corpus, with a normalised
        pointwise mutual information above 0.5. Of a vocabulary that is given, the words with one space are the phrases.
        It needs ``ngram_range=(1, 1)``.
    language : str or None, default="auto"
        The language of the texts, as a code such as "de", or by its English name: it decides on stop words, on case and
        normal forms, and on how words are found in scripts without spaces. "auto" tells it by the first texts, and
        means English if that is not sure; or None with ``clean=None`` or with a ``token_pattern`` or an ``analyzer`` of
        your own. None means CountVectorizer's words. Where Chinese, Japanese, Thai, Lao, Khmer or Burmese has no
        segmenter installed, the code ends with "-x-bigrams", and pairs of characters are words.

    Examples
    --------
    >>> rules = TextRules(stop_words=None, min_df=2)
    >>> TextRules.from_dict(rules.to_dict()) == rules
    True
    >>> TextRules().document_frequencies(500)
    (2, 250.0)
    """

    lowercase: bool = True
    token_pattern: str = DEFAULT_TOKEN_PATTERN
    stop_words: str | tuple[str, ...] | None = "auto"
    ngram_range: tuple[int, int] = (1, 1)
    min_df: int | float | str = "auto"
    max_df: int | float | str = "auto"
    max_features: int | None = None
    strip_accents: str | None = None
    analyzer: str | Analyzer = "word"
    clean: str | tuple[str, ...] | None = "auto"
    phrases: bool = False
    language: str | None = "auto"

    def __post_init__(self) -> None:
        if not isinstance(self.lowercase, bool):
            raise TypeError(f"lowercase must be True or False; got {self.lowercase!r}")
        _check_pattern(self.token_pattern)
        if self.language is not None and self.language != "auto":
            object.__setattr__(self, "language", language_code(self.language))
        object.__setattr__(self, "stop_words", _stop_words(self.stop_words))
        object.__setattr__(self, "ngram_range", _ngram_range(self.ngram_range))
        object.__setattr__(self, "clean", checked_kinds(self.clean))
        _check_frequency("min_df", self.min_df)
        _check_frequency("max_df", self.max_df)
        if self.max_features is not None and (not _is_whole(self.max_features) or self.max_features < 1):
            raise ValueError(f"max_features must be None or a whole number from 1; got {self.max_features!r}")
        if self.strip_accents not in (None, "ascii", "unicode"):
            raise ValueError(f"strip_accents must be 'ascii', 'unicode' or None; got {self.strip_accents!r}")
        if not callable(self.analyzer) and self.analyzer not in ("word", _STORED_CALLABLE):
            raise ValueError(f"analyzer must be 'word' or a callable; got {self.analyzer!r}")
        if not isinstance(self.phrases, bool):
            raise TypeError(f"phrases must be True or False; got {self.phrases!r}")
        if self.phrases and self.ngram_range != (1, 1):
            raise ValueError(f"phrases=True needs ngram_range=(1, 1); got {self.ngram_range!r}")

    @classmethod
    def of(cls, rules: TextRules | None, options: Mapping[str, Any]) -> TextRules:
        """Rules given as an object or as keyword arguments, not both.

        >>> TextRules.of(None, {"min_df": 3}).min_df
        3
        """
        if rules is None:
            _check_names(options)
            return cls(**options)
        if not isinstance(rules, TextRules):
            raise TypeError(f"rules must be TextRules, not {type(rules).__name__}")
        if options:
            raise TypeError(f"give rules or {', '.join(options)}, not both")
        return rules

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as a dictionary for JSON; a custom analyzer is only marked as such."""
        values = asdict(self)
        if callable(self.analyzer):
            values["analyzer"] = _STORED_CALLABLE
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TextRules:
        """Make rules from what `to_dict` returned."""
        _check_names(values)
        # Older files lack these rules.
        options = {"clean": None, "language": None, "stop_words": "english"} | dict(values)
        if isinstance(values.get("token_pattern"), str):
            options["token_pattern"] = StoredPattern(values["token_pattern"])
        return cls(**options)

    def document_frequencies(self, n_docs: int) -> tuple[float, float]:
        """Return the least and the largest number of documents, of ``n_docs``, that a word may be in."""
        least, most = self.min_df, self.max_df
        if isinstance(least, str):
            least = _least_documents(n_docs)
        if isinstance(most, str):
            most = 1.0 if n_docs < _FEW_DOCUMENTS else 0.5
        if isinstance(least, float):
            least = least * n_docs
        if isinstance(most, float):
            most = most * n_docs
        if most < least:
            raise ValueError(
                f"max_df={self.max_df!r} allows fewer documents than min_df={self.min_df!r} with {n_docs} documents"
            )
        return least, most

    def cleaned_kinds(self) -> frozenset[str]:
        """Return the kinds of junk to leave out.

        >>> sorted(TextRules(clean=["urls", "html"]).cleaned_kinds())
        ['html', 'urls']
        >>> TextRules(analyzer=str.split).cleaned_kinds()
        frozenset()
        """
        if callable(self.analyzer):
            return frozenset()
        if self.clean == "auto":
            return frozenset(KINDS if self.token_pattern == DEFAULT_TOKEN_PATTERN else ())
        return frozenset(self.clean or ())

    def tells_language(self) -> bool:
        """Whether ``language="auto"`` means to detect it: not if CountVectorizer's words are wanted.

        >>> TextRules().tells_language(), TextRules(clean=None).tells_language()
        (True, False)
        """
        is_usual = self.analyzer == "word" and self.token_pattern == DEFAULT_TOKEN_PATTERN
        return is_usual and bool(self.cleaned_kinds())

    def fragments(self) -> frozenset[str]:
        """Return remains of contractions, which are left out of English text."""
        english = "contractions" in self.cleaned_kinds() and "the" in self.stop_word_set()
        return FRAGMENTS if english else frozenset()

    def stop_word_set(self) -> frozenset[str]:
        """Return the words to leave out.

        >>> "und" in TextRules(language="de").stop_word_set()
        True
        """
        if isinstance(self.stop_words, tuple) or self.stop_words is None:
            return frozenset(self.stop_words or ())
        if self.stop_words == "english" or self.language in (None, "auto", "en"):
            return english_stop_words()
        assert self.language is not None
        # Texts in other scripts quote English. Its stop words cannot be words of their own language.
        quoted = frozenset() if uses_latin(self.language) else english_stop_words()
        return stop_words_of(self.language) | quoted

    def word_finder(self) -> WordFinder | None:
        """Return the finder of words in the language; None without a language or with a custom analyzer."""
        if self.language is None or self.analyzer != "word":
            return None
        code = "en" if self.language == "auto" else self.language
        own_pattern = None if self.token_pattern == DEFAULT_TOKEN_PATTERN else self.word_pattern()
        return WordFinder(code, lowercase=self.lowercase, pattern=own_pattern)

    def word_pattern(self) -> re.Pattern[str]:
        """Return the pattern of a word; raise ValueError if it comes from a file and might take forever."""
        if isinstance(self.token_pattern, StoredPattern) and not is_linear(self.token_pattern):
            raise ValueError(
                f"token_pattern {self.token_pattern!r} comes from a file and might take forever; if you trust it, give "
                "it yourself: --token-pattern, or dataclasses.replace(rules, token_pattern=...)"
            )
        return re.compile(self.token_pattern)

    def text_analyzer(self, *, stop_words: bool) -> Analyzer:
        """Return CountVectorizer's function from a text to its words, with or without removing stop words."""
        if self.analyzer == _STORED_CALLABLE:
            raise ValueError(
                "analyzer: these rules were stored without their analyzer, a function; "
                "give them with it: dataclasses.replace(rules, analyzer=...)"
            )
        find = self.word_finder()
        if find is not None:
            leave_out = self.stop_word_set() if stop_words else frozenset()
            return partial(_analyzed, find, leave_out, self.strip_accents, self.ngram_range)
        if self.analyzer == "word" and self.ngram_range == (1, 1) and not self.strip_accents and not stop_words:
            find_words = self.word_pattern().findall
            return (lambda text: find_words(text.lower())) if self.lowercase else find_words
        from sklearn.feature_extraction.text import CountVectorizer

        self.word_pattern()
        given = "english" if self.stop_words == "auto" else self.stop_words
        given = given if stop_words else None
        analyzer: Analyzer = CountVectorizer(
            lowercase=self.lowercase,
            token_pattern=self.token_pattern,
            stop_words=list(given) if isinstance(given, tuple) else given,
            ngram_range=self.ngram_range,
            strip_accents=self.strip_accents,
            analyzer=self.analyzer,
        ).build_analyzer()
        return analyzer


@cache
def english_stop_words() -> frozenset[str]:
    """Return the English stop words of scikit-learn.

    >>> "the" in english_stop_words()
    True
    """
    package = find_spec("sklearn")
    if "sklearn" not in sys.modules and package is not None and package.origin is not None:
        # Load only the list: importing all of scikit-learn takes longer than reading most corpora.
        path = Path(package.origin).parent / "feature_extraction" / "_stop_words.py"
        if path.exists():
            return frozenset(runpy.run_path(str(path))["ENGLISH_STOP_WORDS"])
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def _analyzed(
    find: WordFinder, leave_out: frozenset[str], strip_accents: str | None, lengths: tuple[int, int], text: str
) -> list[str]:
    """Return the words of a text, or their n-grams."""
    words = find(text)
    if strip_accents:
        from sklearn.feature_extraction import text as strip

        words = list(map(strip.strip_accents_ascii if strip_accents == "ascii" else strip.strip_accents_unicode, words))
        words = [word for word in words if word]
    if leave_out:
        words = [word for word in words if word not in leave_out]
    if lengths == (1, 1):
        return words
    runs = ((n, i) for n in range(lengths[0], min(lengths[1], len(words)) + 1) for i in range(len(words) - n + 1))
    return [" ".join(words[i : i + n]) for n, i in runs]


def _least_documents(n_docs: int) -> int:
    """Return what min_df="auto" means: in large corpora, rare words are many and say little."""
    if n_docs < _MANY_DOCUMENTS:
        return 1 if n_docs < _FEW_DOCUMENTS else 2
    return max(_LEAST_DF, math.isqrt(n_docs // _DOCUMENTS_PER_SQUARED_DF))


def _check_names(options: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(TextRules)]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no rule of text; there are {', '.join(known)}")


def _is_whole(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _check_pattern(pattern: object) -> None:
    if not isinstance(pattern, str):
        raise TypeError(f"token_pattern must be a regular expression, not {type(pattern).__name__}")
    try:
        groups = re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"token_pattern {pattern!r:.80} is no regular expression: {error}") from error
    if groups > 1:
        raise ValueError(f"token_pattern {pattern!r} has {groups} groups; it may have one")


def _stop_words(given: Any) -> str | tuple[str, ...] | None:
    if given is None or (isinstance(given, str) and given in ("auto", "english")):
        return given
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"stop_words must be 'auto', 'english', None or a sequence of words; got {given!r}")
    words = tuple(given)
    if not all(isinstance(word, str) for word in words):
        raise TypeError("stop_words must be strings")
    return tuple(sorted(words)) if isinstance(given, set | frozenset) else words


def _ngram_range(given: Any) -> tuple[int, int]:
    try:
        shortest, longest = given
    except (TypeError, ValueError):
        shortest = longest = None
    if not (_is_whole(shortest) and _is_whole(longest) and 1 <= shortest <= longest <= MOST_WORDS):
        raise ValueError(
            f"ngram_range must be two whole numbers, 1 <= shortest <= longest <= {MOST_WORDS}; got {given!r}"
        )
    return int(shortest), int(longest)


def _check_frequency(name: str, value: Any) -> None:
    accepted = "a number of documents from 1, a share from 0.0 to 1.0, or 'auto'"
    if value == "auto":
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be {accepted}; got {value!r}")
    if not (int(value) >= 1 if isinstance(value, numbers.Integral) else 0 <= float(value) <= 1):
        raise ValueError(f"{name} must be {accepted}; got {value!r}")
