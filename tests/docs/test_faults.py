"""The tests named for each promise of docs/faults.md exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADER = "| fault | what happens | test |"
NAMES = re.compile(r"`tests/[^`]+`(?: `tests/[^`]+`)*")


def read_rows() -> Iterator[str]:
    """Read the lines of all tables that have a column of tests."""
    is_row = False
    for line in (ROOT / "docs" / "faults.md").read_text(encoding="utf-8").splitlines():
        is_row = line == HEADER or (is_row and line.startswith("|"))
        if is_row and line not in (HEADER, "|---|---|---|"):
            yield line


ROWS = list(read_rows())


@cache
def names_in(path: Path) -> set[str]:
    """Return the names of the tests in a file, as pytest writes them."""
    return set(names(ast.parse(path.read_text(encoding="utf-8")))) if path.is_file() else set()


def names(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[str]:
    for node in scope.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from names(node, f"{prefix}{node.name}::")
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield prefix + node.name


def test_all_lines_with_tests_are_rows() -> None:
    text = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if "`tests/" in line] == ROWS
    assert ROWS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_row_names_tests_that_exist(row: str) -> None:
    fault, promise, tests = (cell.strip() for cell in row.strip("|").split("|"))
    assert fault
    assert promise
    assert NAMES.fullmatch(tests), "the last cell must hold tests such as `tests/docs/test_faults.py::test_x`"
    for name in re.findall("`(.*?)`", tests):
        path, _, test = name.partition("::")
        assert test in names_in(ROOT / path), name
