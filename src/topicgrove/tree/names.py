"""Names of topics: given by users, or made from words."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

NAME_WORDS = 3

DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that turn the direction of the text after them."""

LONGEST = 200
"""Most characters of a name that is given by a file or a program."""


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


def checked_name(name: Any) -> str:
    r"""Return a name from a file or a program in one line; refuse what is no name.

    >>> checked_name("  Space\n and time ")
    'Space and time'
    >>> checked_name("\x1b[2J")
    Traceback (most recent call last):
    ValueError: a name must not have control characters; got '\x1b[2J'
    """
    if not isinstance(name, str):
        raise ValueError(f"a name must be a string; got {name!r:.80}")
    if len(name) > 100 * LONGEST:
        raise ValueError(f"a name has at most {LONGEST} characters; got {len(name):,}")
    line = " ".join(name.split())
    if not line:
        raise ValueError("a name must not be blank")
    if len(line) > LONGEST:
        raise ValueError(f"a name has at most {LONGEST} characters; got {len(line):,}")
    if any(unicodedata.category(c) in ("Cc", "Cs") or c in DIRECTIONS for c in line):
        raise ValueError(f"a name must not have control characters; got {line!r:.80}")
    return line


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
