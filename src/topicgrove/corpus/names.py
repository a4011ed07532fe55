"""Names of fields: one of a record, one inside another as ``body.text``, or several joined as ``title,abstract``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from typing import Any

MISSING: Any = object()
"""Returned by `lookup` for a missing field."""

_SHOWN_NAMES = 20
_BETWEEN_PARTS = "\n\n"


def lookup(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field; a name with dots leads into objects, unless a field has exactly that name.

    >>> lookup({"body": {"text": "inside"}}, "body.text"), lookup({"body.text": "literal", "body": {}}, "body.text")
    ('inside', 'literal')
    """
    if name in record:
        return record[name]
    head, dot, tail = name.partition(".")
    inner = record.get(head) if dot else None
    return lookup(inner, tail) if isinstance(inner, Mapping) else MISSING


def text_names(text_field: str | Sequence[str]) -> tuple[str, ...]:
    """Return the fields that are joined into the text.

    >>> text_names("title, abstract"), text_names(["title", "a,b"]), text_names("text")
    (('title', 'abstract'), ('title', 'a,b'), ('text',))
    """
    if isinstance(text_field, str):
        parts = tuple(part.strip() for part in text_field.split(","))
        return parts if len(parts) > 1 and all(parts) else (text_field,)
    names = tuple(text_field) if isinstance(text_field, Sequence) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"text_field must be a string or a list of strings; got {text_field!r:.60}")
    return names


def value_of_text(
    record: Mapping[str, Any], text_field: str | Sequence[str], place: Callable[[], str]
) -> tuple[str, Any]:
    """Return the text of a record and the name of its field.

    Missing, null or blank ones among several fields are left out, as long as one exists.

    >>> value_of_text({"title": "A tree", "abstract": None}, "title,abstract", lambda: "here")
    ('title', 'A tree')
    """
    if isinstance(text_field, str) and (value := lookup(record, text_field)) is not MISSING:
        return text_field, value
    names = text_names(text_field)
    found = [(name, value) for name in names if (value := lookup(record, name)) is not MISSING]
    if not found:
        raise ValueError(f"{place()}: no field {' or '.join(map(repr, names))}; the fields are {listed(record)}")
    parts = [(name, value) for name, value in found if value is not None] or found[:1]
    for name, value in parts:
        if not isinstance(value, str):
            return name, value
    texts = [(name, value) for name, value in parts if value and not value.isspace()] or parts[:1]
    return texts[0][0], _BETWEEN_PARTS.join(value for _, value in texts)


def columns_of(columns: Collection[str], text_field: str | Sequence[str], others: Collection[str]) -> list[str]:
    """Return the columns of a table that hold some fields; KeyError names the first field without one.

    >>> columns_of(["id", "title", "body"], "title,body.text", ["id"])
    ['title', 'body', 'id']
    """
    whole = isinstance(text_field, str) and _column(columns, text_field) is not None
    names = (text_field,) if isinstance(text_field, str) and whole else text_names(text_field)
    wanted = []
    for name in (*names, *others):
        column = _column(columns, name)
        if column is None:
            raise KeyError(name)
        wanted.append(column)
    return wanted


def _column(columns: Collection[str], name: str) -> str | None:
    return next((column for column in (name, name.partition(".")[0]) if column in columns), None)


def listed(names: Collection[str]) -> str:
    """Format names for an error message: the first ones if they are many, shortened if they are long.

    >>> listed(["a", "b"]), listed([])
    ("'a', 'b'", 'none')
    """
    shown = [f"{name!r:.60}" for name in islice(names, _SHOWN_NAMES)]
    more = [f"and {len(names) - len(shown)} more"] if len(names) > len(shown) else []
    return ", ".join(shown + more) or "none"
