"""Files, functions and lists of parameters stay small enough to read in one go.

A function's docstring does not count: reference text is not logic.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "benchmarks", "experiments", "scripts")

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60
MOST_POSITIONAL_PARAMETERS = 10


def sources() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (PROJECT / folder).rglob("*.py"))


def n_lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring."""
    n_lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        n_lines -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
    return n_lines


def too_large(text: str) -> Iterator[str]:
    """What exceeds a limit in a source text."""
    n_lines = text.count("\n")
    if n_lines > MOST_LINES_OF_A_FILE:
        yield f"the file has {n_lines} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            n_lines = n_lines_of(node)
            n_parameters = len(node.args.posonlyargs) + len(node.args.args)
            if n_lines > MOST_LINES_OF_A_FUNCTION:
                yield f"{node.name}, line {node.lineno}, has {n_lines} lines"
            if n_parameters > MOST_POSITIONAL_PARAMETERS:
                yield f"{node.name}, line {node.lineno}, has {n_parameters} positional parameters"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(PROJECT)))
def test_rooms_are_small(path: Path) -> None:
    assert list(too_large(path.read_text("utf-8"))) == []


def test_what_is_too_large_is_noticed() -> None:
    parameters = ", ".join(f"x{i}" for i in range(MOST_POSITIONAL_PARAMETERS + 1))
    body = "\n".join(["    pass"] * MOST_LINES_OF_A_FUNCTION)
    text = f"def long({parameters}):\n    '''Of\n    two lines.'''\n{body}\n" + "\n" * MOST_LINES_OF_A_FILE
    assert list(too_large(text)) == [
        "the file has 463 lines",
        "long, line 1, has 61 lines",
        "long, line 1, has 11 positional parameters",
    ]
    assert list(too_large("def short(*, a, b, c, d, e, f, g, h, i, j, k):\n    pass\n")) == []
