"""The code that the documentation shows is run: blocks marked python and sh, in the order of each file.

A file's blocks share one folder, which looks like a checkout, and one namespace. Blocks marked console are only shown:
they install something, or repeat what another block runs.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
RUN = ("python", "sh")
SHOWN = ("", "console", "toml", "json", "text")
MADE = ("docs/api.md",)
"""Pages made of docstrings, whose examples are doctests."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#([\w-]+))?\)|\]\(#([\w-]+)\)")


class Block(NamedTuple):
    """A fenced block, and the line of its file that it begins in."""

    language: str
    code: str
    line: int


def blocks_of(document: str) -> list[Block]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return [Block(m[1], m[2], text.count("\n", 0, m.start()) + 2) for m in _FENCE.finditer(text)]


PAGES = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS = ["README.md", *(page for page in PAGES if page not in MADE)]
WITH_CODE = [document for document in DOCUMENTS if any(block.language in RUN for block in blocks_of(document))]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the bundled data where a checkout has them, and the command on the path."""
    data = Path("src") / "topicgrove" / "data"
    shutil.copytree(ROOT / data, tmp_path / data)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    return tmp_path


def run_python(document: str, block: Block, names: dict[str, Any]) -> None:
    # Blank lines before the code make the lines of a traceback those of the document.
    code = compile("\n" * (block.line - 1) + block.code, str(ROOT / document), "exec")
    exec(code, names)


def run_shell(document: str, block: Block) -> None:
    result = subprocess.run(["bash", "-eu", "-c", block.code], capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 0, f"{document}:{block.line}\n{block.code}\n{result.stdout}\n{result.stderr}"


@pytest.mark.parametrize("document", WITH_CODE)
def test_the_code_of_a_document_runs(document: str, checkout: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(document):
        if block.language == "python":
            run_python(document, block, names)
        elif block.language == "sh":
            run_shell(document, block)


@pytest.mark.parametrize("document", ["README.md", "docs/index.md", "docs/tutorial.md", "docs/command-line.md"])
def test_a_document_that_newcomers_read_has_code_that_runs(document: str) -> None:
    assert document in WITH_CODE


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_is_of_a_known_kind(document: str) -> None:
    assert {block.language for block in blocks_of(document)} <= {*RUN, *SHOWN}


def anchors(path: Path) -> set[str]:
    """The names that GitHub gives to the headings of a Markdown file."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda path: path.name
)
def test_links_lead_somewhere(path: Path) -> None:
    for target, anchor, own in _LINK.findall(path.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:")):
            continue
        there = (path.parent / target).resolve() if target else path
        assert there.exists(), target
        if anchor or own:
            assert (anchor or own) in anchors(there), f"{target}#{anchor or own}"
