"""Lists of edits, as files hold them: checked, and applied one after the other."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from topicgrove.edit.delete import delete
from topicgrove.edit.draft import Draft
from topicgrove.edit.merge import merge
from topicgrove.edit.move import move
from topicgrove.edit.rename import rename
from topicgrove.edit.reorder import reorder
from topicgrove.edit.split import split

FORMAT, VERSION = "topicgrove-edits", 1

MAX_BYTES = 64 << 20
"""Largest edits file that is read."""

OPERATIONS: dict[str, Callable[..., None]] = {
    "merge": merge,
    "move": move,
    "split": split,
    "delete": delete,
    "reorder": reorder,
    "rename": rename,
}

FIELDS = {
    "merge": ("topics", "into"),
    "move": ("topic", "parent"),
    "split": ("topic", "into"),
    "delete": ("topic",),
    "reorder": ("parent", "children"),
    "rename": ("topic", "name"),
}
"""What an edit of each kind has besides ``do``."""

Edits = Mapping[str, Any] | str | os.PathLike[str]


def read_edits(edits: Edits, fingerprint: str) -> list[dict[str, Any]]:
    """Return the list of edits of a file, or of a dict of the same form, for the model with that fingerprint.

    >>> made = {"format": "topicgrove-edits", "version": 1, "model": "c1c3", "edits": [{"do": "delete", "topic": 3}]}
    >>> read_edits(made, "c1c3")
    [{'do': 'delete', 'topic': 3}]
    >>> read_edits(made, "ab12")
    Traceback (most recent call last):
    ValueError: edits: these edits are for another model: their fingerprint is 'c1c3', that of this model is 'ab12'
    """
    where = "edits"
    if isinstance(edits, str | os.PathLike):
        where = os.fspath(edits)
        edits = _read(Path(edits))
    if not isinstance(edits, Mapping) or edits.get("format") != FORMAT:
        raise ValueError(f'{where}: not a file of edits, whose "format" is "{FORMAT}"')
    if edits.get("version") != VERSION or isinstance(edits["version"], bool):
        raise ValueError(
            f"{where}: version {edits.get('version')!r:.20} of edits; this program reads version {VERSION}"
        )
    model, found = edits.get("model"), edits.get("edits")
    if not isinstance(model, str):
        raise ValueError(f'{where}: "model" must be the fingerprint of the model')
    if model != fingerprint:
        raise ValueError(
            f"{where}: these edits are for another model: their fingerprint is {_shown(model)}, "
            f"that of this model is {fingerprint!r}"
        )
    if not isinstance(found, list):
        raise ValueError(f'{where}: "edits" must be a list')
    for number, edit in enumerate(found, start=1):
        _check_form(f"{where}: edit {number}", edit)
    return found


def apply_all(draft: Draft, edits: list[dict[str, Any]]) -> None:
    """Apply edits in their order; an error says which edit it is about."""
    for number, edit in enumerate(edits, start=1):
        draft.edit = number
        values = {name: value for name, value in edit.items() if name != "do"}
        try:
            OPERATIONS[edit["do"]](draft, **values)
        except (TypeError, ValueError) as error:
            raise ValueError(f"edit {number} ({edit['do']}): {error}") from error


def _check_form(where: str, edit: Any) -> None:
    if not isinstance(edit, dict) or not isinstance(edit.get("do"), str) or edit["do"] not in FIELDS:
        raise ValueError(f'{where}: "do" must be one of {", ".join(FIELDS)}; got {_shown(edit)}')
    fields = {"do", *FIELDS[edit["do"]]}
    if missing := sorted(fields - set(edit)):
        raise ValueError(f'{where}: {edit["do"]} needs "{missing[0]}"')
    if strange := sorted(set(edit) - fields):
        raise ValueError(f"{where}: {edit['do']} has {_shown(strange[0])}, which is no part of it")


def _shown(value: Any) -> str:
    return ascii(value) if len(ascii(value)) <= 80 else ascii(value)[:80] + "..."


def _read(path: Path) -> Any:
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{path}: larger than {MAX_BYTES >> 20} MiB: not a file of edits")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}") from None
    except (RecursionError, ValueError):
        raise ValueError(f"{path}: not JSON of edits: too deep, or with numbers too long") from None
