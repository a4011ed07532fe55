"""Documents as read from a source: blocks of texts with their ids, titles and classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from topicgrove.corpus.names import MISSING, listed, lookup, text_names, value_of_text

ENCODING_ERRORS = ("strict", "replace", "ignore")
_TITLE_CHARACTERS = 80
_CLASS_SEPARATOR = re.compile(r"\s*[/>]\s*")

ClassPath: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Fields:
    """The fields of a record to read.

    Parameters
    ----------
    text_field : str or sequence of str, default="text"
        The text. Several fields, in a sequence or separated by commas, are joined with blank lines.
    id_field : str, default=None
        The name of the document; by default "id" if there is one, else the number of the document, from 0.
    title_field : str, default=None
        The title; giving it asks for titles.
    titles : bool, default=False
        Keep titles: from `title_field`, else from "title" if there is one, else the first line of the text, cut
        to 80 characters.
    class_field : str, default=None
        The classes from the top down, a list or a string separated by "/" or ">".
    encoding_errors : {"strict", "replace", "ignore"}, default="strict"
        What to do with bytes that are not UTF-8.
    """

    text_field: str | Sequence[str] = "text"
    id_field: str | None = None
    title_field: str | None = None
    titles: bool = False
    class_field: str | None = None
    encoding_errors: str = "strict"

    def __post_init__(self) -> None:
        text_names(self.text_field)
        if self.encoding_errors not in ENCODING_ERRORS:
            raise ValueError(
                f"encoding_errors must be one of {', '.join(ENCODING_ERRORS)}; got {self.encoding_errors!r}"
            )

    @property
    def keep_titles(self) -> bool:
        """Whether to keep titles."""
        return self.titles or self.title_field is not None


@dataclass
class Documents:
    """Consecutive documents, column by column; an id of None means the document's number.

    ``share`` is the share of the source, if known, that had been read with these documents.
    """

    texts: list[str] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    classes: list[ClassPath] = field(default_factory=list)
    n_bytes: int = 0
    share: float | None = None

    def add(self, record: Mapping[str, Any], fields: Fields, place: Callable[[], str]) -> None:
        """Append the document of a record; ``place`` says where it is, such as ``file:line``."""
        name, value = value_of_text(record, fields.text_field, place)
        self._add(checked_text(value, name, place), record, fields, place)

    def add_text(
        self,
        text: str,
        fields: Fields,
        place: Callable[[], str],
        name: str | None = None,
        folder: str | None = None,
    ) -> None:
        """Append a document that has only a text and perhaps a name and a folder."""
        text_field = fields.text_field if isinstance(fields.text_field, str) else "text"
        record = {text_field: text, fields.id_field or "id": name}
        if folder is not None:
            record["folder"] = folder
        self._add(checked_text(text, text_field, place), record, fields, place)

    def _add(self, text: str, record: Mapping[str, Any], fields: Fields, place: Callable[[], str]) -> None:
        self.texts.append(text)
        if fields.id_field is None:
            # The user did not name this field, so it may hold anything.
            value = record.get("id")
            self.ids.append(_id(value, "id", place) if isinstance(value, str | int) else None)
        else:
            self.ids.append(_id(_required(record, fields.id_field, place), fields.id_field, place))
        if fields.keep_titles:
            self.titles.append(_title(record, text, fields, place))
        if fields.class_field is not None:
            self.classes.append(class_of(_required(record, fields.class_field, place), fields.class_field, place))


Block: TypeAlias = Callable[[], Documents]
"""A piece of a source that a thread will parse."""

Blocks: TypeAlias = Iterator[Block]


def checked_text(value: Any, name: str, place: Callable[[], str]) -> str:
    """Return the value if it is text that can be stored; otherwise raise ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{place()}: {name} is {value!r:.60}; it must be a string")
    if "\0" in value:
        raise ValueError(f"{place()}: {name} has a NUL at character {value.index(chr(0))}; text must have none")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{place()}: {name} has a lone surrogate at character {error.start}, which UTF-8 cannot store"
            ) from error
    return value


def storable_name(name: str) -> str:
    r"""Return the name of a file as text that UTF-8 can store: bytes that are not UTF-8 become escapes.

    >>> print(storable_name("caf\udce9.txt"))
    caf\udce9.txt
    """
    return name.encode("utf-8", "backslashreplace").decode()


def first_line(text: str) -> str:
    r"""Return the first line of a text that is not blank as a title; long ones are cut between words.

    >>> first_line("  A tree\nof topics"), len(first_line("word " * 50)), first_line("word " * 50)[-10:]
    ('A tree', 80, 'word word…')
    """
    lines = text.lstrip()[: 8 * _TITLE_CHARACTERS].splitlines()
    line = " ".join(lines[0].split()) if lines else ""
    if len(line) <= _TITLE_CHARACTERS:
        return line
    cut = line[: _TITLE_CHARACTERS - 1]
    if line[len(cut)] != " " and " " in cut[_TITLE_CHARACTERS // 2 :]:
        cut = cut[: cut.rindex(" ")]
    return cut.rstrip(" ,;:.") + "…"


def class_of(value: Any, name: str, place: Callable[[], str]) -> ClassPath:
    """Return classes from the top down, given as a list or a string separated by "/" or ">"; none for null.

    >>> class_of("sport/ice hockey", "section", lambda: "here")
    ('sport', 'ice hockey')
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(part for part in _CLASS_SEPARATOR.split(checked_text(value, name, place).strip()) if part)
    if isinstance(value, list | tuple):
        return tuple(checked_text(part, name, place) for part in value)
    if isinstance(value, int):
        return (str(value),)
    raise ValueError(f"{place()}: {name} is {value!r:.60}; it must be a list of strings, a string or null")


def _required(record: Mapping[str, Any], name: str, place: Callable[[], str]) -> Any:
    value = lookup(record, name)
    if value is MISSING:
        raise ValueError(f"{place()}: no field {name!r}; the fields are {listed(record)}")
    return value


def _id(value: Any, name: str, place: Callable[[], str]) -> str | None:
    if value is None:
        return None
    return str(value) if isinstance(value, int) else checked_text(value, name, place)


def _title(record: Mapping[str, Any], text: str, fields: Fields, place: Callable[[], str]) -> str:
    if fields.title_field is not None:
        value = _required(record, fields.title_field, place)
        name = fields.title_field
    else:
        value, name = record.get("title"), "title"
    return first_line(text) if value is None else checked_text(value, name, place)
