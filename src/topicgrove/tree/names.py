"""Names of topics: given by users, or made from words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

NAME_WORDS = 3


def read_names(names: Mapping[Any, str] | str | PathLike[str], n_topics: int) -> dict[int, str]:
    """Return names by topic, checked, from a mapping or a JSON file.

    >>> read_names({0: "all", "2": "space"}, n_topics=3)
    {0: 'all', 2: 'space'}
    """
    where = "names"
    if isinstance(names, str | PathLike):
        where = str(names)
        names = _read_json(Path(names))
    if not isinstance(names, Mapping):
        raise ValueError(f"{where} must map topic ids to names, not be {type(names).__name__}")
    return {_topic_id(key, n_topics, where): _name(key, name, where) for key, name in names.items()}


def word_names(words: Sequence[Sequence[str]]) -> list[str]:
    """Return a unique name for each topic: its first three words, and more where others have the same three.

    >>> word_names([["moon", "orbit", "star", "mars"], ["moon", "orbit", "star", "ring"], []])
    ['moon, orbit, star', 'moon, orbit, star, ring', 'topic 2']
    """
    names: list[str] = []
    given = {""}
    for topic, found in enumerate(words):
        choices = [", ".join(found[:n]) for n in range(NAME_WORDS, max(len(found), NAME_WORDS) + 1)]
        last = f"{choices[-1]} ({topic})" if found else f"topic {topic}"
        names.append(next((name for name in choices if name not in given), last))
        given.add(names[-1])
    return names


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}") from None


def _topic_id(key: Any, n_topics: int, where: str) -> int:
    # JSON keys are strings.
    digits = str(key)
    if isinstance(key, bool) or not (digits.isascii() and digits.isdigit() and int(digits) < n_topics):
        raise ValueError(f"{where} has a name for {key!r}; topics are 0 to {n_topics - 1}")
    return int(digits)


def _name(key: Any, name: Any, where: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{where} has {name!r} for topic {key}; a name must be a string that is not blank")
    return name
