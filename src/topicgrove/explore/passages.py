"""Split a text into pieces, and give its words their levels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import strip_accents_ascii, strip_accents_unicode

from topicgrove.corpus.rules import TextRules

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.explore.document_table import Selection
    from topicgrove.tree import TopicTree

CHARACTERS = 320
BAG_WORDS = 24
_SPACE = re.compile(r"\s+")

LevelOf = Callable[[int], int]
"""Returns the level of a word in one document; called again, that of its next token."""


@dataclass(frozen=True)
class Passage:
    """The beginning of a text in pieces, every second one a word of the model, and the words' levels."""

    pieces: list[str]
    levels: str


def word_levels(
    tree: TopicTree, document: int, corpus: Corpus | None, token_levels: NDArray[np.uint8] | None
) -> LevelOf:
    """Return a function to the levels of a document's words: as drawn if known, else the most probable."""
    drawn: dict[int, list[int]] = {}
    if corpus is not None and token_levels is not None:
        inside = slice(corpus.offsets[document], corpus.offsets[document + 1])
        for word, level in zip(corpus.words[inside].tolist(), token_levels[inside].tolist(), strict=True):
            drawn.setdefault(word, []).append(level)

    def level_of(word: int) -> int:
        levels = drawn.get(word)
        if levels:
            # The last token's level serves further occurrences, such as in a title before the text.
            return levels.pop(0) if len(levels) > 1 else levels[0]
        return _most_probable_level(tree, document, word)

    return level_of


def _most_probable_level(tree: TopicTree, document: int, word: int) -> int:
    """Return argmax_l C_dl C_tv / C_t over the topics t of the document's path."""
    assert tree.documents is not None
    assert tree.word_counts is not None
    path = tree.documents.paths[document]
    counts = tree.word_counts
    # SciPy's own indexing takes ten times as long, which matters as this runs for every shown word.
    rows = [slice(counts.indptr[topic], counts.indptr[topic + 1]) for topic in path.tolist()]
    inside = np.array([counts.data[row][counts.indices[row] == word].sum() for row in rows])
    return int(np.argmax(tree.documents.level_counts[document] * inside / np.maximum(tree.n_tokens[path], 1)))


def passage_of(text: str, selection: Selection, level_of: LevelOf) -> Passage | None:
    """Return the beginning of a text with its known words marked; None for no text."""
    text = _SPACE.sub(" ", text[: 2 * CHARACTERS]).strip()
    if not text:
        return None
    if len(text) > CHARACTERS:
        text = text[:CHARACTERS].rsplit(" ", 1)[0] + " …"
    if selection.tree.word_counts is None:
        return Passage([text], "")
    rules = selection.rules or TextRules()
    pieces, levels, end = [], [], 0
    for begin, stop, spelled in _words_in(text, rules):
        word = selection.vocabulary.get(spelled)
        if word is not None and begin >= end:
            pieces += [text[end:begin], text[begin:stop]]
            levels.append(level_of(word))
            end = stop
    return Passage([*pieces, text[end:]], "".join(np.base_repr(level, 36).lower() for level in levels))


def _words_in(text: str, rules: TextRules) -> Iterator[tuple[int, int, str]]:
    """Give where words begin and end in a text, and their spelling in the vocabulary."""
    spelling = _spelling(rules)
    find = rules.word_finder()
    if find is None or text.isascii():
        for match in rules.word_pattern().finditer(text):
            group = match.re.groups
            yield match.start(group), match.end(group), spelling(match.group(group))
        return
    # Each word is searched after the previous one; words whose form differs from the text's are not found.
    looked_in = text.lower() if rules.lowercase else text
    if len(looked_in) != len(text):
        looked_in = text
    end = 0
    for word in find(text):
        begin = looked_in.find(word, end)
        if begin >= 0:
            end = begin + len(word)
            yield begin, end, spelling(word)


def _spelling(rules: TextRules) -> Callable[[str], str]:
    """Return a function from a word in a text to its spelling in the vocabulary."""
    strip = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode, None: str}[rules.strip_accents]
    return lambda word: strip(word.lower() if rules.lowercase else word)


def bag_of(corpus: Corpus, document: int, level_of: LevelOf) -> list[tuple[int, int, int]]:
    """Return a document's most frequent words: word, tokens, and the level of most of them."""
    words, counts = np.unique(corpus.words[corpus.offsets[document] : corpus.offsets[document + 1]], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:BAG_WORDS]
    rows = []
    for word, n in zip(words[order].tolist(), counts[order].tolist(), strict=True):
        levels = [level_of(word) for _ in range(n)]
        rows.append((word, n, max(set(levels), key=levels.count)))
    return rows
