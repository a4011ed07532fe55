"""Token patterns from files are used if they are known to take linear time."""

from dataclasses import replace

import pytest

from topicgrove import Corpus, TextRules
from topicgrove.corpus.patterns import is_linear

USUAL = [
    r"(?u)\b\w\w+\b", r"[a-z]+", r"[A-Za-z][A-Za-z0-9_-]+", r"\w+(?:[-']\w+)*", r"\b\w+\b", r"\S+", r"(\w)\w*",
    r"\b[a-zA-Z]{3,}\b", r"(?u)\b[a-zA-Zäöüß]{3,}\b", r"[^\W\d_]+", r"\b[^\W\d_]+\b", r"\w+|[^\w\s]+", r"#?\w+",
    r"\w+(?:'\w+)?\b", r"\b\w{2,30}\b", r"(?i)[a-z]{2,}", r"\b([a-z]+)\b", r"(?:[a-z]\.)+", r"\d+(?:\.\d+)?",
    r"\b[A-Z][a-z]+\b", r"[\w']+", r"\w*\w*\w*", "word", "",
]  # fmt: skip
DOUBTFUL = [
    r"(a+)+$", r"\w*\w*\w*$", r"[a-z]+:", r"(\w)\1+", r"(?:a|a)*b", r"(?:a|b)+", r"(a*)*", r"[a-z]+\b", r"[\w-]+\b",
    r"\b[a-z]+[a-z]+\b", r"(?=a+)b", r"(?<=a)b", r"a+?b", r"a++b", r"^\w+$", r"\w+\b\w+", r"(?:\w+\s?)*x", "(?x)a +",
    "(?:a?){30}a{30}", "a{2000}b", "a{}", "(?:a{0,200}){0,200}b", "(?:(?:(?:(?:a){200}){200}){200}){200}",
    r"\b[a-é]+\b", r"(?a)\b[ä]+\b", r"(?P<word>\w+)", "[a-z", "[[a]+", ")", "a" * 2000,
]  # fmt: skip


@pytest.mark.parametrize("pattern", USUAL)
def test_usual_patterns_are_linear(pattern: str) -> None:
    assert is_linear(pattern)
    assert TextRules.from_dict({"token_pattern": pattern}).word_pattern().pattern == pattern


@pytest.mark.parametrize("pattern", DOUBTFUL, ids=lambda pattern: pattern[:40])
def test_doubtful_patterns_are_not_known_to_be(pattern: str) -> None:
    assert not is_linear(pattern)


def test_a_doubtful_pattern_of_a_file_is_refused_until_somebody_gives_it() -> None:
    texts = ["a" * 60 + "!", "a tree"]
    stored = TextRules.from_dict(TextRules(token_pattern=r"(?:a+)+$", stop_words=None).to_dict())
    for rules in (stored, replace(stored, ngram_range=(1, 2)), replace(stored, strip_accents="unicode")):
        with pytest.raises(ValueError, match=r"token_pattern .* might take forever"):
            Corpus.from_texts(texts, rules=rules)
    trusted = replace(stored, token_pattern=r"[a-z]+e$")
    assert Corpus.from_texts(texts, rules=trusted).vocabulary == ("tree",)


def test_ones_own_pattern_is_ones_own_business() -> None:
    assert Corpus.from_texts(["a tree"], token_pattern=r"[a-z]+e$", stop_words=None).vocabulary == ("tree",)
