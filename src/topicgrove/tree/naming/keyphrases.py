"""Names without any model: phrases from the titles of a topic's documents that hold its distinctive words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from topicgrove.corpus.rules import english_stop_words

if TYPE_CHECKING:
    from topicgrove.tree.naming.questions import TopicQuestion
    from topicgrove.tree.topic_tree import TopicTree

N_WORDS, N_TITLES, LONGEST = 30, 300, 3
"""Distinctive words and titles that are looked at, and words of a phrase, at most."""

LEAST_TITLES = 2
"""Titles that a phrase of several words must be in."""

MOST_ENDING = 4
"""Letters by which forms of a word differ in length, at most."""

_WORD = re.compile(r"[^\W_]+(?:[-'+][^\W_]+)*\+*")


class Keyphrases:
    """Phrases of topics, the best first."""

    def __init__(self, tree: TopicTree) -> None:
        self._tree = tree
        self.of = lru_cache(maxsize=None)(self._of)

    def _of(self, topic: int) -> tuple[str, ...]:
        """Score phrases by the mean weight of their words and by the titles that have them; longer ones count more.

        score = mean_w weight(w) * log(1 + titles) * (1 + length) / 2
        """
        scored = self._tree.top_words_with_scores(topic, N_WORDS)
        most = max((score for _, score in scored), default=0.0)
        weight = {word.lower(): score / most for word, score in scored} if most > 0 else {}
        # Half of the weight goes by rank, as the first word is often far ahead.
        weight = {word: (value + 1 / (1 + rank)) / 2 for rank, (word, value) in enumerate(weight.items())}
        found: Counter[str] = Counter()
        for title in self._titles(topic):
            found.update(set(phrases_in(title, weight)))
        scores = {}
        for phrase, n in found.items():
            words = phrase.split()
            if len(words) > 1 and n < LEAST_TITLES:
                continue
            mean = sum(weight.get(word, 0.0) for word in words) / len(words)
            scores[phrase] = mean * math.log1p(n) * (1 + len(words)) / 2
        for word, value in weight.items():
            scores.setdefault(word, value * math.log(2) / 2)
        best = sorted(scores, key=lambda phrase: (-scores[phrase], phrase))
        chosen: list[str] = []
        for phrase in best:
            if not any(is_variant(a, b) for other in chosen for a in other.split() for b in phrase.split()):
                chosen.append(phrase)
        return tuple(chosen)

    def _titles(self, topic: int) -> list[str]:
        documents = self._tree.documents
        if documents is None or documents.titles is None:
            return []
        return [one.title or "" for one in self._tree.representative_documents(topic, N_TITLES)]


def is_variant(a: str, b: str) -> bool:
    """Return whether two words are forms of one, going by how they begin.

    >>> is_variant("library", "libraries"), is_variant("log", "logging"), is_variant("java", "javascript")
    (True, True, False)
    """
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    stem = short[:-1] if len(short) > 4 else short
    return len(short) > 2 and len(long) - len(short) <= MOST_ENDING and long.startswith(stem)


def phrases_in(title: str, weight: Mapping[str, float]) -> list[str]:
    """Return the phrases of a title that begin and end with weighty words, with no stop word on their edges.

    >>> phrases_in("A survey of neural networks for vision", {"neural": 1.0, "networks": 1.0, "vision": 0.5})
    ['neural', 'neural networks', 'networks', 'networks for vision', 'vision']
    """
    words = [word.lower() for word in _WORD.findall(title)]
    found = []
    for first in range(len(words)):
        for last in range(first, min(first + LONGEST, len(words))):
            edges = words[first], words[last]
            if all(edge in weight and edge not in english_stop_words() for edge in edges):
                found.append(" ".join(words[first : last + 1]))
    return found


def keyphrase_name(question: TopicQuestion) -> str:
    """Return a name from phrases: the two best ones, or one with two words; children's names are left to them.

    >>> from topicgrove.tree.naming.questions import TopicQuestion
    >>> question = TopicQuestion(3, 1, 9, (), ("moon",), ("moon", "neural networks", "orbit"), (), ("Moon",), ())
    >>> keyphrase_name(question)
    'Neural networks, orbit'
    """
    below = {word for child in question.children for word in child.lower().replace(",", " ").split()}
    candidates = [phrase for phrase in question.phrases if not set(phrase.split()) <= below]
    chosen = (candidates or list(question.phrases) or list(question.words))[:2]
    if not chosen:
        return f"topic {question.topic}"
    name = ", ".join(chosen)
    return name[0].upper() + name[1:]
