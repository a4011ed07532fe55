"""docs/api.md agrees with the docstrings."""

import runpy
from pathlib import Path
from typing import Any

import pytest

import topicgrove

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "make_api_docs.py"))


def test_the_file_is_up_to_date(script: dict[str, Any]) -> None:
    written = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert written == script["reference"](), "docs/api.md is out of date: run make docs"


def test_every_public_name_is_in_it(script: dict[str, Any]) -> None:
    text = script["reference"]()
    assert [name for name in topicgrove.__all__ if f"### topicgrove.{name}\n" not in text] == []


def test_a_numpydoc_docstring_becomes_markdown(script: dict[str, Any]) -> None:
    def plant(kind: str) -> None:
        """Plant a tree.

        Parameters
        ----------
        kind : str
            Which one.

        Examples
        --------
        >>> 1 + 1
        2
        """

    assert list(script["_docstring"](plant)) == [
        "Plant a tree.", "", "**Parameters**", "", "- `kind` (str):", "  Which one.", "", "**Examples**", "",
        "```pycon", ">>> 1 + 1\n2", "```", "",
    ]  # fmt: skip
