"""The code in the documentation runs: blocks marked python and sh, in the order of each file.

A file's blocks share one folder, which is empty at first, and one namespace. Blocks marked console are only shown: they
install something, or repeat what another block runs. Blocks marked text are the output of earlier blocks.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding
import pytest

ROOT = Path(__file__).parents[2]
RUN = ("python", "sh")
SHOWN = ("", "console", "toml", "json", "text")
MADE = ("docs/api.md",)
"""Pages generated from docstrings, whose examples are doctests."""

OTHER_CORPUS = "the tree of a corpus that is made of other packages"

NOT_PRINTED = {
    ("docs/cluster.md", "#!/bin/bash"): "a script for Slurm",
    ("docs/cluster.md", "iteration 16/20"): "progress, which has times in it",
    ("docs/command-line.md", "topicgrove: compiling kernels"): "progress, which has times in it",
    ("docs/command-line.md", "reading  60,931 documents"): "progress, which has times in it",
    ("docs/languages.md", "9189 [0] bibliothek, paket, "): OTHER_CORPUS,
    ("docs/languages.md", "14791 [0] commande, fichier,"): OTHER_CORPUS,
    ("docs/languages.md", "1844 [0] biblioteca, archivo"): OTHER_CORPUS,
    (
        "docs/languages.md",
        "1608 [0] 文档, 选中, 点击, 对话框, 打开",
    ): OTHER_CORPUS,
    (
        "docs/languages.md",
        "4003 [0] 表示, ファイル, ライブラリ, コマ",
    ): OTHER_CORPUS,
    ("docs/languages.md", "880 [0] ملفات, تغييرات, حوار"): OTHER_CORPUS,
}
"""Blocks marked text that no earlier block prints, by how they begin."""

SAME_ROUNDING = ("avx2", "fma")
"""What a processor must have to print the trees that are shown. Others, such as those without fused multiply-add, round
sums differently; chains then diverge, and give equally good trees with other numbers."""

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
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter an empty working folder, with the command on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    return tmp_path


def run_python(document: str, block: Block, names: dict[str, Any]) -> str:
    """Run a block and get what it prints."""
    # Blank lines before the code make the lines of a traceback those of the document.
    code = compile("\n" * (block.line - 1) + block.code, str(ROOT / document), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


def run_shell(document: str, block: Block) -> str:
    """Run a block and get what it prints."""
    result = subprocess.run(["bash", "-eu", "-c", block.code], capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 0, f"{document}:{block.line}\n{block.code}\n{result.stdout}\n{result.stderr}"
    return result.stdout + result.stderr


def is_printed(shown: str, printed: str) -> bool:
    """Return whether a block matches the output; a line of "..." stands for omitted lines; long lines may be broken."""
    lines, first = printed.splitlines(), 0
    runs = [list(run) for is_gap, run in groupby(shown.splitlines(), lambda line: line.strip() == "...") if not is_gap]
    for run in runs:
        for wanted in (run, ["".join(run)]):
            places = [i for i in range(first, len(lines)) if lines[i : i + len(wanted)] == wanted]
            if places:
                first = places[0] + len(wanted)
                break
        else:
            return False
    return True


def test_output_is_compared_line_by_line() -> None:
    printed = "one\n  two\nthree four\nfive\n"
    assert is_printed("one\n  two\n", printed)
    assert is_printed("one\n...\nfive\n", printed)
    assert is_printed("three\n four\n", printed)
    assert not is_printed("one\ntwo\n", printed)
    assert not is_printed("one\nfive\n", printed)
    assert not is_printed("five\n...\none\n", printed)


@pytest.mark.parametrize("document", WITH_CODE)
def test_the_code_of_a_document_runs_and_prints_what_it_shows(document: str, empty_folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in blocks_of(document):
        if block.language == "python":
            printed += run_python(document, block, names)
        elif block.language == "sh":
            printed += run_shell(document, block)
        elif block.language == "text" and not is_excused(document, block):
            same = is_printed(block.code, printed) or not rounds_the_same()
            assert same, f"{document}:{block.line} is not printed; this is:\n{printed}"


def rounds_the_same() -> bool:
    features = llvmlite.binding.get_host_cpu_features()
    return all(features.get(name, False) for name in SAME_ROUNDING)


def is_excused(document: str, block: Block) -> bool:
    return any(document == where and block.code.startswith(start) for where, start in NOT_PRINTED)


def test_every_excuse_is_needed() -> None:
    for document, start in NOT_PRINTED:
        assert any(block.code.startswith(start) for block in blocks_of(document) if block.language == "text"), start


@pytest.mark.parametrize("document", [document for document in DOCUMENTS if document not in WITH_CODE])
def test_a_document_without_code_shows_no_output(document: str) -> None:
    assert "text" not in {block.language for block in blocks_of(document)}


@pytest.mark.parametrize("document", ["README.md", "docs/index.md", "docs/tutorial.md", "docs/command-line.md"])
def test_a_document_that_newcomers_read_has_code_that_runs(document: str) -> None:
    assert document in WITH_CODE


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_is_of_a_known_kind(document: str) -> None:
    assert {block.language for block in blocks_of(document)} <= {*RUN, *SHOWN}


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a Markdown file."""
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
