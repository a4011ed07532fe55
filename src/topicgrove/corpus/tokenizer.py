"""Convert text to word numbers: ASCII text directly as bytes, other text with CountVectorizer's analyzer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.cleaner import N_KINDS, Cleaner
from topicgrove.corpus.dictionary import Dictionary
from topicgrove.corpus.rules import DEFAULT_TOKEN_PATTERN, TextRules
from topicgrove.corpus.spelling import NON_JOINER

# Patterns of runs of word characters, single bytes in ASCII, and their least length.
_RUNS = {
    DEFAULT_TOKEN_PATTERN: 2,
    r"\b\w\w+\b": 2,
    r"(?u)\b\w+\b": 1,
    r"\b\w+\b": 1,
    r"\w+": 1,
    r"(?u)\b\w\w\w+\b": 3,
    r"\b\w\w\w+\b": 3,
}


class Tokenizer:
    """A tokenizer by rules; many threads may call `tokenize`, each with its own dictionary.

    Either way, words end up as bytes with separators between them, which one kernel splits and numbers.

    >>> words = Dictionary()
    >>> Tokenizer(TextRules()).tokenize(["A tree, the tree", "Bäume"], words)
    (array([0, 1, 0, 2], dtype=int32), array([3, 1]))
    >>> words.spelled([0, 1, 2])
    ['tree', 'the', 'bäume']
    """

    def __init__(self, rules: TextRules) -> None:
        self.by_bytes = rules.analyzer == "word" and rules.ngram_range == (1, 1) and rules.token_pattern in _RUNS
        """Whether ASCII text is split as bytes."""
        self._lowercase = rules.lowercase
        self.stop_words_in = self.by_bytes or (rules.phrases and rules.analyzer == "word")
        """Whether stop words get numbers, too: phrases must not reach across them."""
        finder = rules.word_finder()
        self._slow_ascii = () if finder is None else finder.slow_ascii
        self._parts_at_non_joiner = finder is not None and finder.parts_at_non_joiner
        self._analyzer = rules.text_analyzer(stop_words=not self.stop_words_in)
        self._cleaner = Cleaner(rules.cleaned_kinds())
        self._is_word = np.ones(256, np.bool_)
        if self.by_bytes:
            self._min_length = _RUNS[rules.token_pattern]
            for byte in range(128):
                self._is_word[byte] = chr(byte).isalnum() or byte == ord("_")
        else:
            self._min_length = 1
            self._is_word[0] = False

    def tokenize(
        self, texts: list[str], words: Dictionary, removed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the numbers of the words of all texts, concatenated, and how many words each text has.

        Junk that is left out is counted in ``removed``, by kind.
        """
        if self._parts_at_non_joiner:
            texts = [text.replace(NON_JOINER, " ") for text in texts]  # before it is dropped as an invisible character
        cleaned = self._cleaner.clean(texts, np.zeros(N_KINDS, np.int64) if removed is None else removed)
        parts = [self._split(text) for text in cleaned]
        doc_ends = np.fromiter(map(len, parts), np.int64, len(parts))
        doc_ends += 1
        np.cumsum(doc_ends, out=doc_ends)
        return words.number(b"\0".join(parts) + b"\0", doc_ends, self._is_word, self._min_length)

    def _split(self, text: bytes) -> bytes:
        if self.by_bytes and text.isascii() and not any(byte in text for byte in self._slow_ascii):
            return text.lower() if self._lowercase else text
        tokens = list(self._analyzer(text.decode()))
        try:
            data = "\0".join(tokens).encode()
        except TypeError:
            raise TypeError("analyzer must give strings; it gave something else") from None
        except UnicodeEncodeError:
            raise ValueError("analyzer gave a word with a lone surrogate, which UTF-8 cannot store") from None
        if tokens and data.count(b"\0") != len(tokens) - 1:
            raise ValueError("analyzer gave a word with a NUL in it; words must have none")
        return data
