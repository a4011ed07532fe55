"""Names that exist: identifiers of the sources, files, commands with their options, and targets of make."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command

from topicgrove.cli.app import app

from .mentions import ROOT

FOLDERS = ("src", "tests", "benchmarks", "experiments", "scripts")
PACKAGE = ROOT / "src" / "topicgrove"
SETTINGS = ("Makefile", "mkdocs.yml", "pyproject.toml")
_WORD = re.compile(r"[A-Za-z_]\w*")


def _sources() -> list[Path]:
    """Return all sources except the tests of pages, which name things that do not exist."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return [path for path in found if not path.is_relative_to(Path(__file__).parent)]


@cache
def files() -> set[str]:
    """Files and folders by the names that pages use: from the root, from the package, or the last part alone."""
    known = set()
    for path in (ROOT / folder for folder in (*FOLDERS, "docs")):
        for found in (path, *path.rglob("*")):
            if "__pycache__" not in found.parts:
                known |= {found.relative_to(ROOT).as_posix(), found.name}
                if found.is_relative_to(PACKAGE):
                    known.add(found.relative_to(PACKAGE).as_posix())
    return known | {path.name for path in ROOT.iterdir()}


class Names:
    """Identifiers, and those of each class."""

    def __init__(self) -> None:
        self.all = {word for name in SETTINGS for word in _WORD.findall((ROOT / name).read_text(encoding="utf-8"))}
        self._inside: defaultdict[str, set[str]] = defaultdict(set)
        self._bases: defaultdict[str, set[str]] = defaultdict(set)
        for path in _sources():
            self.all |= {path.stem, path.parent.name}
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                self.all |= set(_names(node))
                if isinstance(node, ast.ClassDef):
                    self._inside[node.name] |= {name for inner in ast.walk(node) for name in _names(inner)}
                    self._bases[node.name] |= {_last_name(base) for base in node.bases}

    def has(self, owner: str, name: str) -> bool:
        """Whether a class has that name; what is not a class, or inherits from elsewhere, may have any that exists."""
        if name not in self.all:
            return False
        if owner not in self._inside or name in self._inside[owner]:
            return True
        return any(self.has(base, name) for base in self._bases[owner])


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _names(node: ast.AST) -> Iterator[str]:
    """Identifiers of a node, and strings that are identifiers: keys, choices, variables of the environment."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg | ast.keyword):
        yield node.arg or ""
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _WORD.fullmatch(node.value):
        yield node.value


@cache
def names() -> Names:
    """Collect the identifiers of all sources."""
    return Names()


@cache
def commands() -> dict[str, set[str]]:
    """Collect options by command of topicgrove, as in "corpus build"; "" has those of all commands."""
    found: dict[str, set[str]] = {"": set()}
    _add_command(found, get_command(app), [])
    for options in list(found.values()):
        found[""] |= options
    return found


def _add_command(found: dict[str, set[str]], command: Any, path: list[str]) -> None:
    options = {option for one in command.params for option in (*one.opts, *one.secondary_opts) if option[0] == "-"}
    found[" ".join(path)] = options | {"-h", "--help"}
    for name, inner in getattr(command, "commands", {}).items():
        _add_command(found, inner, [*path, name])


@cache
def other_options() -> set[str]:
    """Collect options of the other programs in the repository."""
    texts = (path.read_text(encoding="utf-8") for path in _sources())
    return {option for text in texts for option in re.findall(r'add_argument\(\s*"(--?[\w-]+)"', text)}


@cache
def targets() -> set[str]:
    """Collect the targets of make."""
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
