"""Rules of text with any values; words and counts are compared with scikit-learn's CountVectorizer."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove import Corpus, TextRules

from . import samples
from .cases import Target
from .mutations import WILD, Random

OPTIONS: dict[str, list[Any]] = {
    "lowercase": [True, False],
    "token_pattern": [r"(?u)\b\w\w+\b", r"\w+", r"(\w)\w*", r"\S+", r"(?<=\s)\w+", r".", r"", r"(", r"(a)(b)", r"\d",
                      r"[^\W\d_]+", r"\w+(?= )", r"\x00", r"(?P<word>\w+)"],
    "stop_words": ["english", "auto", None, ["news"], ("moon", ""), set(), ["moon"] * 3, "german", [1], "news"],
    "ngram_range": [(1, 1), (1, 2), (2, 3), (3, 2), (0, 1), (1, 10**6), [1, 2], (1.0, 2), "12", (1,), (True, 2)],
    "min_df": [1, 2, 5, 0, -1, 0.1, 0.99, 1.0, 1.5, "auto", 2**70, float("nan"), True],
    "max_df": [1, 3, 0, 0.5, 1.0, 1.1, "auto", 2**70, float("inf"), -0.0],
    "max_features": [None, 1, 3, 10**9, 0, -1, 2.0, 2**70, True],
    "strip_accents": [None, "ascii", "unicode", "latin"],
    "phrases": [True, False, 1, "auto"],
    "language": ["auto", None, "en", "de", "fr", "tr", "ar", "ca", "zh-x-bigrams", "th-x-bigrams", "xx", "German", 7],
    "clean": ["auto", None, (), ["urls", "html"], {"latex"}, ("numbers", "contractions", "emails"), "urls", ["trees"]],
}  # fmt: skip
"""Values of rules. Patterns that take exponential time are left out: whoever gives one gets what it says."""

TEXTS = ["", " ", "\0", "\ud800", "a" * 30 + "!", "a b c d", "\x1b[0m moon", "Ünï cödé", "İstanbul ǅ ß ﬁ", "½ ² ١٢٣",
         "é e\u0301", "word " * 200, "\u2028moon\u2029puck\x85rink", "7 77 777", "_ __ ___",
         "L'été qu'IL İ'I", "数据库abc", "ที่นี่ ที่", "كِتـــاب الله ال", "हिन्दी\u200c में\u0301",
         "\u0301\u0301 ·a· a·", "ﷺ ㍿ ﷲ"]  # fmt: skip


class Made(NamedTuple):
    """Texts and rules."""

    texts: list[Any]
    rules: dict[str, Any]


class Rules(Target):
    """`Corpus.from_texts` with rules."""

    share = 15

    def generate(self, rng: Random, folder: Path) -> Made:
        """Odd texts among usual ones, and up to three rules, some of them no rules."""
        texts: list[Any] = [row["text"] for row in samples.records()][: rng.integers(1, 10)]
        for _ in range(rng.integers(3)):
            texts.insert(int(rng.integers(len(texts) + 1)), TEXTS[rng.integers(len(TEXTS))])
        if rng.random() < 0.05:
            texts.append(WILD[rng.integers(len(WILD))])
        rules: dict[str, Any] = {}
        for _ in range(rng.integers(4)):
            name = list(OPTIONS)[rng.integers(len(OPTIONS))]
            values = WILD if rng.random() < 0.1 else OPTIONS[name]
            rules[name] = values[rng.integers(len(values))]
        return Made(texts, rules)

    def run(self, given: Made) -> Corpus:
        """Count the words."""
        with warnings.catch_warnings():
            # Of texts in a language that is not told.
            warnings.filterwarnings("ignore", "the (first )?texts are in", UserWarning)
            return Corpus.from_texts(given.texts, n_jobs=1, **given.rules)

    def check(self, given: Made, result: Corpus) -> None:
        """The same vocabulary and counts as CountVectorizer's, which counts empty words where there are any."""
        rules = result.rules
        assert rules is not None
        assert TextRules.from_dict(rules.to_dict()) == rules
        has_others = rules.cleaned_kinds() or rules.phrases or rules.language is not None
        if re.compile(rules.token_pattern).fullmatch("") is not None or has_others:
            return
        options = rules.to_dict()
        del options["clean"], options["phrases"], options["language"]
        options["stop_words"] = "english" if rules.stop_words == "auto" else rules.stop_words
        if isinstance(rules.stop_words, tuple):
            options["stop_words"] = list(rules.stop_words)
        if "auto" in (rules.min_df, rules.max_df):
            least, most = rules.document_frequencies(len(given.texts))
            options |= {"min_df": int(least)} if rules.min_df == "auto" else {}
            options |= {"max_df": 1.0} if rules.max_df == "auto" else {}
            assert most == len(given.texts) or rules.max_df != "auto"
        vectorizer = CountVectorizer(**options)
        counts = vectorizer.fit_transform(given.texts)
        assert result.vocabulary == tuple(vectorizer.get_feature_names_out())
        assert_array_equal(result.to_csr().toarray(), counts.toarray())


TARGETS: dict[str, Target] = {"texts": Rules()}
