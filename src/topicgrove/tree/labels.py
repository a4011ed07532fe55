"""Labels of topics: those that users give, and those made of words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

LABEL_WORDS = 3


def read_labels(labels: Mapping[Any, str] | str | PathLike[str], n_topics: int) -> dict[int, str]:
    """Labels by topic, from a mapping or a JSON file, all of them checked.

    >>> read_labels({0: "all", "2": "space"}, n_topics=3)
    {0: 'all', 2: 'space'}
    """
    where = "labels"
    if isinstance(labels, str | PathLike):
        where = str(labels)
        labels = _read_json(Path(labels))
    if not isinstance(labels, Mapping):
        raise ValueError(f"{where} must map topic ids to labels, not be {type(labels).__name__}")
    return {_topic_id(key, n_topics, where): _label(key, label, where) for key, label in labels.items()}


def word_labels(words: Sequence[Sequence[str]]) -> list[str]:
    """A label for each topic, all different: its first three words, and more where others have the same three.

    >>> word_labels([["moon", "orbit", "star", "mars"], ["moon", "orbit", "star", "ring"], []])
    ['moon, orbit, star', 'moon, orbit, star, ring', 'topic 2']
    """
    labels: list[str] = []
    given = {""}
    for topic, found in enumerate(words):
        choices = [", ".join(found[:n]) for n in range(LABEL_WORDS, max(len(found), LABEL_WORDS) + 1)]
        last = f"{choices[-1]} ({topic})" if found else f"topic {topic}"
        labels.append(next((label for label in choices if label not in given), last))
        given.add(labels[-1])
    return labels


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}") from None


def _topic_id(key: Any, n_topics: int, where: str) -> int:
    # A key of JSON is a string.
    digits = str(key)
    if isinstance(key, bool) or not (digits.isascii() and digits.isdigit() and int(digits) < n_topics):
        raise ValueError(f"{where} has a label for {key!r}; topics are 0 to {n_topics - 1}")
    return int(digits)


def _label(key: Any, label: Any, where: str) -> str:
    if not isinstance(label, str) or not label.strip():
        raise ValueError(f"{where} has {label!r} for topic {key}; a label must be a string that is not blank")
    return label
