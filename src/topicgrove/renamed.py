"""Old names of arguments, accepted silently: ``label`` for the classes of documents and the names of topics."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)


def take_renamed(options: dict[str, Any], old: str, new: str, value: Any) -> Any:
    """Return the value of an argument, taken out of ``options`` if it is there by its old name.

    >>> take_renamed({"label_field": "section"}, "label_field", "class_field", None)
    'section'
    """
    if old not in options:
        return value
    given = options.pop(old)
    if value is not None:
        raise TypeError(f"{old} is the old name of {new}: give one of them")
    return given


def accepts_old_field(old: str, new: str) -> Callable[[Kind], Kind]:
    """Let the constructor of a dataclass accept a field's old name, too.

    >>> from dataclasses import dataclass
    >>> @accepts_old_field("label", "name")
    ... @dataclass
    ... class Topic:
    ...     name: str | None = None
    >>> Topic(label="space")
    Topic(name='space')
    """

    def changed(kind: Kind) -> Kind:
        original: Callable[..., None] = vars(kind)["__init__"]

        @wraps(original)
        def start(self: Any, *arguments: Any, **options: Any) -> None:
            if old in options:
                options[new] = take_renamed(options, old, new, options.get(new))
            original(self, *arguments, **options)

        setattr(kind, "__init__", start)  # noqa: B010 - mypy takes an assignment for an instance's
        return kind

    return changed
