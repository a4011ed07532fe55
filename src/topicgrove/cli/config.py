"""Read options from a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import typer


def read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Make the values of a file the defaults of the current command. Keys are names of options, with - or _."""
    if path is None:
        return None
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: no TOML: {error}") from error
    names = option_names(context)
    defaults = {}
    for key, value in content.items():
        option = key.replace("_", "-")
        if option not in names:
            there = ", ".join(sorted(names))
            raise ValueError(f"{path}: {key!r} is no option of {context.info_name}; there are {there}")
        defaults[names[option]] = as_option(value, f"{path}: {key}")
    context.default_map = defaults
    return path


def option_names(context: typer.Context) -> dict[str, str]:
    """Map the names of a command's options and arguments to those of its parameters."""
    long = {
        option.lstrip("-"): str(param.name)
        for param in context.command.params
        for option in param.opts
        if option.startswith("--") or not option.startswith("-")
    }
    return {option: name for option, name in long.items() if name not in ("config", "help")}


def as_option(value: Any, place: str) -> Any:
    """Convert a value of TOML to what the command line would have.

    >>> as_option([1, 0.5], "run.toml: beta")
    '1,0.5'
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ",".join(map(str, value))
    raise ValueError(f"{place} is {value!r:.60}; it must be a text, a number, true, false or a list of them")
