"""Read a taxonomy of seeds from a JSON or TOML file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from topicgrove.seeds.taxonomy import SeedTopic, read_taxonomy


def read_seed_file(path: Path) -> dict[str, Any]:
    """Return the nested dicts of a file, checked; errors begin with its name.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "seeds.toml")
    ...     _ = path.write_text('sports = ["game", "team"]')
    ...     read_seed_file(path)
    {'sports': ['game', 'team']}
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}") from None
    seeds = _parsed(text, path)
    try:
        _check(seeds)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{path}: {error}") from None
    return dict(seeds)


def _parsed(text: str, path: Path) -> Any:
    """Parse TOML in a .toml file, and JSON in any other."""
    try:
        if path.suffix.lower() == ".toml":
            return tomllib.loads(text)
        return json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: not JSON: {error.msg}; TOML needs the suffix .toml") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: not TOML: {error}") from None
    except RecursionError:
        raise ValueError(f"{path}: nested too deeply") from None
    except _RepeatedError as error:
        raise ValueError(f"{path}: {error}") from None


class _RepeatedError(Exception):
    """A JSON object has a key twice."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _RepeatedError(f"{name!r:.80} is there twice")
        found[name] = value
    return found


def _check(seeds: Any) -> tuple[SeedTopic, ...]:
    try:
        return read_taxonomy(seeds)
    except RecursionError:
        raise ValueError("nested too deeply") from None
