r"""Recognise regular expressions that take linear time on any text.

Python's `re` backtracks when a part of a pattern fails, at worst in exponential time. It never has to if nothing can
fail once a part without a limit, such as ``\w+``, has begun. So a pattern is known to be linear if it consists of
characters, classes and groups, greedy repeats of these, and alternatives at the top, and if

- the part before the first repeat without a limit can match in few ways, and
- everything after it is optional.

A word boundary may come first. It may come last after whole runs of word characters, where it always holds. It may also
come last if another comes first and there are only word characters in between, in one repeat without a limit: each run
of word characters is then read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import NamedTuple

MOST_WAYS = 256
"""Most ways in which the part with limits may match, and most characters that it may have."""

MOST_CHARACTERS = 1000
"""Longest pattern that is analysed."""

_FLAGS = re.compile(r"\(\?[aiu]+\)")
_BOUNDARY = r"\b"
_ATOM_OR_GROUP = re.compile(
    r"(?P<atom>\\[wdsWDS]|\\[^\w\s]|\[\^?(?:\\.|[^\\\[\]])+\]|[^\\\[\](){}*+?|.^$]|\.)|\((?:\?:)?", re.DOTALL
)
_TIMES = re.compile(r"(?P<sign>[*+?])|\{(?P<least>\d{0,4})(?P<comma>,?)(?P<most>\d{0,4})\}")
_SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_WORD_CHARACTER = re.compile(
    r"\\[wd]|\w|\[(?:\\[wd]|[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|\w)+\]|\[\^\\W(?:\\[wd]|[0-9]-[0-9]|\w)*\]"
)
"""Classes known to have word characters only."""


class NotKnownError(ValueError):
    """Raised for a pattern that is not known to be linear."""


class Part(NamedTuple):
    """A character or class, or a sequence of parts, with its repeats; None means no limit.

    Sequences are optional: their required repeats are written out before them.
    """

    what: str | tuple[Part, ...]
    least: int
    most: int | None

    @property
    def is_endless(self) -> bool:
        """Whether it has a repeat without a limit."""
        return self.most is None or (not isinstance(self.what, str) and any(part.is_endless for part in self.what))

    @property
    def ways(self) -> int:
        """The number of ways in which it can match, if it has limits."""
        most = self.most or 0
        return most - self.least + 1 if isinstance(self.what, str) else (1 + _ways(self.what)) ** most

    @property
    def length(self) -> int:
        """The most characters that it can have, if it has limits."""
        return (self.most or 0) * (1 if isinstance(self.what, str) else sum(part.length for part in self.what))


class Alternative(NamedTuple):
    """A sequence, and whether word boundaries are tested before and after it."""

    parts: tuple[Part, ...]
    boundary_first: bool
    boundary_last: bool


@lru_cache(maxsize=64)
def is_linear(pattern: str) -> bool:
    r"""Return whether finding all matches is known to take linear time.

    >>> [is_linear(pattern) for pattern in (r"(?u)\b\w\w+\b", r"[a-z]+", r"\w+(?:[-']\w+)*", r"\b[a-z]{3,}\b|\d+")]
    [True, True, True, True]
    >>> [is_linear(pattern) for pattern in (r"(a+)+$", r"\w*\w*\w*$", r"[a-z]+:", r"(\w)\1+")]
    [False, False, False, False]
    """
    if len(pattern) > MOST_CHARACTERS:
        return False
    match = _FLAGS.match(pattern)
    flags = match.group() if match else ""
    try:
        return all(_alternative_is_linear(each, flags) for each in _Reader(pattern[len(flags) :]).alternatives())
    except NotKnownError:
        return False


class _Reader:
    """A parser of patterns, from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.place = 0

    def alternatives(self) -> Iterator[Alternative]:
        """Give the alternatives at the top."""
        more = True
        while more:
            first = self._accept(_BOUNDARY)
            yield Alternative(self._parts(), first, self._accept(_BOUNDARY))
            more = self._accept("|")
        if self.place < len(self.pattern):
            raise NotKnownError

    def _accept(self, text: str) -> bool:
        found = self.pattern.startswith(text, self.place)
        self.place += len(text) if found else 0
        return found

    def _parts(self) -> tuple[Part, ...]:
        """Read a sequence, up to what cannot be part of one."""
        parts: list[Part] = []
        while match := _ATOM_OR_GROUP.match(self.pattern, self.place):
            self.place = match.end()
            if match["atom"]:
                parts.append(Part(match["atom"], *self._times()))
                continue
            inner = self._parts()
            if not self._accept(")"):
                raise NotKnownError
            parts += _written_out(inner, *self._times())
            if len(parts) > MOST_WAYS:
                raise NotKnownError
        return tuple(parts)

    def _times(self) -> tuple[int, int | None]:
        match = _TIMES.match(self.pattern, self.place)
        if match is None:
            return 1, 1
        self.place = match.end()
        if match["sign"]:
            return _SIGNS[match["sign"]]
        least, most = match["least"], match["most"] if match["comma"] else match["least"]
        if not least and not match["comma"]:
            raise NotKnownError
        return int(least or 0), int(most) if most else None


def _written_out(parts: tuple[Part, ...], least: int, most: int | None) -> list[Part]:
    """Write a repeated group as its required parts and one for the optional rest."""
    if (least, most) == (1, 1):
        return list(parts)
    if least > MOST_WAYS or not any(part.least for part in parts):
        raise NotKnownError
    rest = None if most is None else most - least
    return list(parts) * least + ([] if rest == 0 else [Part(parts, 0, rest)])


def _alternative_is_linear(alternative: Alternative, flags: str) -> bool:
    parts = alternative.parts
    if not alternative.boundary_last or not any(part.is_endless for part in parts):
        return _cannot_fail_late(parts)
    if _cannot_fail_late(parts) and _ends_with_run(parts):
        return True
    atoms = [part.what for part in parts if isinstance(part.what, str)]
    limited = [part for part in parts if not part.is_endless]
    is_one_run = alternative.boundary_first and len(atoms) == len(parts) == len(limited) + 1
    return is_one_run and _is_short(limited) and all(_is_word_character(atom, flags) for atom in atoms)


def _cannot_fail_late(parts: tuple[Part, ...]) -> bool:
    """Return whether the part before the first unlimited repeat is short, and all that follows is optional."""
    n_limited = next((i for i, part in enumerate(parts) if part.is_endless), len(parts))
    return (
        _is_short(parts[:n_limited])
        and all(part.least == 0 for part in parts[n_limited + 1 :])
        and all(part.least <= MOST_WAYS for part in parts)
        and all(isinstance(part.what, str) or _cannot_fail_late(part.what) for part in parts)
    )


def _is_short(parts: tuple[Part, ...] | list[Part]) -> bool:
    return _ways(parts) <= MOST_WAYS and sum(part.length for part in parts) <= MOST_WAYS


def _ways(parts: tuple[Part, ...] | list[Part]) -> int:
    return prod(part.ways for part in parts)


def _ends_with_run(parts: tuple[Part, ...]) -> bool:
    """Return whether the last character always ends a run of word characters."""
    if not parts:
        return False
    last = parts[-1]
    if isinstance(last.what, str):
        return last.what in (r"\w", r"[\w]") and last.most is None and last.least > 0
    return _ends_with_run(last.what) and _ends_with_run(parts[:-1])


def _is_word_character(atom: str, flags: str) -> bool:
    return _WORD_CHARACTER.fullmatch(atom) is not None and (atom.isascii() or "a" not in flags)
