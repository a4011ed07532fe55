"""The taxonomy that users write as nested dicts, and its words in a corpus."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus import Corpus

WORDS = "words"
"""The key of a dict's own words; every other key is the name of a topic below it."""

MOST_NAMED = 20
"""Most unknown words that a warning lists."""


class SeedTopic(NamedTuple):
    """A topic of the taxonomy; topics are listed depth first."""

    name: str
    parent: int  # position in the list; -1 on level 1
    level: int
    words: tuple[str | int, ...]


def read_taxonomy(seeds: Any) -> tuple[SeedTopic, ...]:
    """List the topics of nested dicts; raise TypeError or ValueError, with the place, for anything else.

    A topic is a list of words, or a dict of the topics below it, whose entry "words" lists words of its own.

    >>> for topic in read_taxonomy({"sports": ["game"], "space": {"words": ["nasa"], "shuttle": ["crew"]}}):
    ...     print(topic.name, topic.parent, topic.level, topic.words)
    sports -1 1 ('game',)
    space -1 1 ('nasa',)
    shuttle 1 2 ('crew',)
    """
    if not isinstance(seeds, Mapping):
        raise TypeError(f"seeds must be a dict from names of topics to their words; got {seeds!r:.80}")
    if not seeds:
        raise ValueError("seeds has no topics; None trains without seeds")
    if WORDS in seeds:
        raise ValueError(f"seeds['{WORDS}'] would be words of the root: seeds begin below it, on level 1")
    topics: list[SeedTopic] = []
    _read(seeds, "seeds", -1, 1, topics)
    return tuple(topics)


def _read(branch: Mapping[Any, Any], place: str, parent: int, level: int, topics: list[SeedTopic]) -> None:
    for name, entry in branch.items():
        if level > 1 and name == WORDS:
            continue
        here = f"{place}[{name!r:.80}]"
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"{here}: the name of a topic must be text that is not blank")
        below = entry if isinstance(entry, Mapping) else {}
        words = below.get(WORDS, ()) if isinstance(entry, Mapping) else entry
        topics.append(SeedTopic(name, parent, level, _words(words, f"{here}['{WORDS}']" if below else here)))
        if not topics[-1].words and not set(below) - {WORDS}:
            raise ValueError(f"{here} has neither words nor topics")
        _read(below, here, len(topics) - 1, level + 1, topics)


def _words(words: Any, place: str) -> tuple[str | int, ...]:
    if isinstance(words, np.ndarray):
        words = words.tolist()
    if not isinstance(words, Sequence | Set) or isinstance(words, str | bytes):
        raise TypeError(f"{place} must be a list of words; got {words!r:.80}")
    for word in words:
        if isinstance(word, bool) or not isinstance(word, str | numbers.Integral):
            raise TypeError(f"{place}: words must be text, or numbers of columns; got {word!r:.80}")
    plain = (word if isinstance(word, str) else int(word) for word in words)
    return tuple(dict.fromkeys(sorted(plain, key=str) if isinstance(words, Set) else plain))


def check_depth(topics: Sequence[SeedTopic], n_levels: int) -> None:
    """Refuse a taxonomy that is deeper than the tree.

    >>> check_depth(read_taxonomy({"a": {"b": {"c": ["d"]}}}), 3)
    Traceback (most recent call last):
    ValueError: seeds: 'a' > 'b' > 'c' is on level 3, but the last level is 2; raise n_levels, or seed fewer levels
    """
    deepest = max(range(len(topics)), key=lambda i: topics[i].level)
    if topics[deepest].level >= n_levels:
        raise ValueError(
            f"seeds: {' > '.join(map(repr, path_of(topics, deepest)))} is on level {topics[deepest].level}, "
            f"but the last level is {n_levels - 1}; raise n_levels, or seed fewer levels"
        )


def n_least(topics: Sequence[SeedTopic], n_levels: int) -> int:
    """Return the number of topics, the root included, on the paths of a taxonomy: all of them end on the last level.

    >>> n_least(read_taxonomy({"a": ["b"], "c": {"d": ["e"]}}), 4)
    7
    """
    inner = {topic.parent for topic in topics}
    return 1 + sum(1 if i in inner else n_levels - topic.level for i, topic in enumerate(topics))


def path_of(topics: Sequence[SeedTopic], i: int) -> list[str]:
    """Return the names from level 1 down to a topic.

    >>> path_of(read_taxonomy({"a": {"b": ["c"]}}), 1)
    ['a', 'b']
    """
    names = []
    while i >= 0:
        names.append(topics[i].name)
        i = topics[i].parent
    return names[::-1]


def find_words(topics: Sequence[SeedTopic], corpus: Corpus, stacklevel: int = 2) -> list[NDArray[np.int64]]:
    """Return the words of each topic as word ids; a warning names those that the corpus lacks.

    A word that is not in the vocabulary is read by the rules that made it: "NASA" finds "nasa".

    >>> corpus = Corpus.from_texts(["a moon and a rocket", "a rocket to the moon"])
    >>> [corpus.vocabulary[i] for i in find_words(read_taxonomy({"space": ["Moon"]}), corpus)[0]]
    ['moon']
    """
    ids = {word: i for i, word in enumerate(corpus.vocabulary or ())}
    found, unknown = [], []
    for i, topic in enumerate(topics):
        known: dict[int, None] = {}
        for word in topic.words:
            at = _find(word, ids, corpus)
            known |= dict.fromkeys(at)
            if not at:
                unknown.append(f"{word!r:.40} ({' > '.join(path_of(topics, i))!r:.60})")
        found.append(np.array(list(known), np.int64))
    if unknown and corpus.vocabulary is None and not any(len(words) for words in found):
        raise ValueError("seeds: X has no words, only numbers of columns; give it its vocabulary, or seed the numbers")
    if unknown:
        more = f", and {len(unknown) - MOST_NAMED:,} more" if len(unknown) > MOST_NAMED else ""
        warnings.warn(
            f"seeds: {len(unknown):,} of {sum(len(topic.words) for topic in topics):,} words are not in the vocabulary "
            f"and left out: {', '.join(unknown[:MOST_NAMED])}{more}",
            stacklevel=stacklevel,
        )
    return found


def _find(word: str | int, ids: Mapping[str, int], corpus: Corpus) -> list[int]:
    if not isinstance(word, str):
        return [word] if 0 <= word < corpus.n_words else []
    if word in ids:
        return [ids[word]]
    if corpus.rules is None:
        return []
    read = list(corpus.rules.text_analyzer(stop_words=False)(word))
    # The last n-gram is the longest: that of all words of a phrase.
    return [ids[read[-1]]] if read and read[-1] in ids else []
