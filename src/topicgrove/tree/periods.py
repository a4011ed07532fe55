"""Values of documents, such as dates and classes, as ordered groups."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.validation import check_choice

Period = Literal["year", "quarter", "month"]
PERIODS = ("year", "quarter", "month")
MOST_GROUPS = 5_000
_PARTIAL_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ].*)?")


class Groups(NamedTuple):
    """Names of groups, and the number of each document's group; -1 for documents without a value."""

    names: tuple[str, ...]
    of: NDArray[np.int64]


def groups_of(values: Sequence[Any], period: str | None, edges: Sequence[Any] | None) -> Groups:
    """Group documents by period, between edges, or by their values as they are."""
    if period is not None and edges is not None:
        raise ValueError("period and edges exclude each other: give one of them")
    if edges is not None:
        return _between(values, edges)
    if period is not None:
        check_choice("period", period, PERIODS)
        return _by_period(values, period)
    texts = [_text(value) for value in values]
    names = tuple(sorted({text for text in texts if text}))
    if len(names) > MOST_GROUPS:
        raise ValueError(f"values has {len(names):,} different values; for dates, give a period, such as 'year'")
    place = {name: i for i, name in enumerate(names)}
    return Groups(names, np.array([place.get(text, -1) for text in texts], np.int64))


def _by_period(values: Sequence[Any], period: str) -> Groups:
    """Group values by consecutive periods from the first to the last, including those without documents."""
    per_year = {"year": 1, "quarter": 4, "month": 12}[period]
    number = np.full(len(values), -1, np.int64)
    for i, value in enumerate(values):
        if (day := date_of(value, i)) is not None:
            number[i] = day.year * per_year + (day.month - 1) * per_year // 12
    known = number[number >= 0]
    if len(known) == 0:
        raise ValueError("values has no dates")
    first, last = int(known.min()), int(known.max())
    if last - first >= MOST_GROUPS:
        raise ValueError(
            f"values has dates from {first // per_year} to {last // per_year}: too far apart for {period}s"
        )
    names = tuple(_name_of(n, per_year) for n in range(first, last + 1))
    return Groups(names, np.where(number >= 0, number - first, -1))


def _name_of(number: int, per_year: int) -> str:
    year, part = divmod(number, per_year)
    if per_year == 1:
        return f"{year:04d}"
    return f"{year:04d}-Q{part + 1}" if per_year == 4 else f"{year:04d}-{part + 1:02d}"


def _between(values: Sequence[Any], edges: Sequence[Any]) -> Groups:
    """Group values by half-open intervals between edges, which are numbers or dates."""
    numeric = all(isinstance(edge, int | float) and not isinstance(edge, bool) for edge in edges)
    if len(edges) < 2:
        raise ValueError("edges must be two or more, in ascending order")
    bounds = [float(edge) if numeric else _ordinal(edge, i, "edges") for i, edge in enumerate(edges)]
    if any(a >= b for a, b in pairwise(bounds)):
        raise ValueError("edges must ascend")
    at = np.full(len(values), np.nan)
    for i, value in enumerate(values):
        if _text(value):
            at[i] = _number(value, i) if numeric else _ordinal(value, i, "values")
    inside = (at >= bounds[0]) & (at < bounds[-1])
    of = np.where(inside, np.searchsorted(bounds, at, side="right") - 1, -1)
    shown = [str(edge) for edge in edges]
    return Groups(tuple(f"{a} to {b}" for a, b in pairwise(shown)), of.astype(np.int64))


def _number(value: Any, place: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"values[{place}] is {value!r:.60}; with edges that are numbers it must be a number") from None


def _ordinal(value: Any, place: int, name: str) -> float:
    day = date_of(value, place, name)
    if day is None:
        raise ValueError(f"{name}[{place}] is missing; it must be a date or a number")
    return day.toordinal()


def date_of(value: Any, place: int = 0, name: str = "values") -> date | None:
    """Return the date of a value, in ISO 8601 or mail format, possibly without day or month; None if it is missing.

    >>> date_of("2017-03"), date_of(np.datetime64("2017-03-05")), date_of("Mon, 2 Apr 2007 19:18:42 GMT"), date_of("")
    (datetime.date(2017, 3, 1), datetime.date(2017, 3, 5), datetime.date(2007, 4, 2), None)
    """
    if isinstance(value, datetime) and value == value:
        return value.date()
    if isinstance(value, date) and value == value:
        return value
    if isinstance(value, np.datetime64) and not np.isnat(value):
        value = str(value.astype("datetime64[D]"))
    text = _text(value)
    if not text:
        return None
    try:
        if (match := _PARTIAL_DATE.fullmatch(text)) is not None:
            year, month, day = (int(part or 1) for part in match.groups())
            return date(year, month, day)
        return parsedate_to_datetime(text).date()
    except (TypeError, ValueError, IndexError, OverflowError):
        raise ValueError(
            f"{name}[{place}] is {text!r:.60}; dates are such as 2017, 2017-03, 2017-03-05 or 5 Mar 2017"
        ) from None


def _text(value: Any) -> str:
    """Return a value as text; "" for a missing value."""
    if (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and math.isnan(value))
    ):
        return ""
    if isinstance(value, np.datetime64) and np.isnat(value):
        return ""
    if isinstance(value, tuple | list):
        return "/".join(map(str, value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
