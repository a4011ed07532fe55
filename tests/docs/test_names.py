"""Every identifier, option, file and command that pages name exists.

Code in ``python`` blocks is run by test_examples.py; here are the names between backquotes, and commands for a shell.
"""

from __future__ import annotations

import ast
import pydoc
import re
import shlex
import sys
from collections.abc import Iterator
from fnmatch import filter as matching
from functools import cache
from pathlib import Path

import pytest

from .known_names import PACKAGE, commands, files, names, other_options, targets
from .mentions import PAGES, ROOT, read_page

FOREIGN = {
    "-bind-to": "mpiexec of MPICH",
    "--mpi": "Slurm",
    "srun": "Slurm",
    "pmi2": "Slurm",
    "pmix": "Slurm",
    "mpicc": "MPI",
    "cc.mallet": "MALLET",
    "HierarchicalLDATUI": "MALLET",
    "import-file": "MALLET",
    "HdpModel": "gensim",
    "no_above": "gensim",
    "bow": "gensim's word for a corpus",
    "utils.py": "what no file may be called",
}
"""Names that are not ours, each with its owner."""

SOURCE_ENDINGS = (".py", ".md", ".toml", ".yml", ".js")
READERS_ENDINGS = (".bin", ".csv", ".gz", ".html", ".json", ".jsonl", ".safetensors", ".svg", ".txt", ".zst")
_PATH = re.compile(r"[\w.*/<>-]+")
_PLACEHOLDER = re.compile("[A-Z]+")
_HYPHENATED = re.compile("[a-z]+(-[a-z]+)+")


def missing(text: str) -> Iterator[str]:
    """Return what a piece of code names and nothing has, by the kind of code."""
    path, *tests = text.split("::")
    if "topicgrove" in text.split() or text.startswith(("make ", "python ")):
        yield from missing_in_command(text)
    elif " " in text and text.split()[0] in commands():
        yield from missing_in_topicgrove(text.split())
    elif text.startswith("-"):
        yield from missing_options(text.split(), "")
    elif is_ours(path):
        yield from missing_file(path)
        yield from (name for name in tests if name not in names().all)
    elif not is_of_a_reader(path):
        yield from missing_identifiers(text)


def missing_in_command(text: str) -> Iterator[str]:
    """Targets of make, programs of the repository, and commands of topicgrove with their options."""
    for part in re.split(r"&&|\|\|?|;|(?<!\S)#.*", text):
        try:
            words = shlex.split(part)
        except ValueError:  # a quotation goes on in the next line
            words = part.split()
        if words[:1] == ["make"]:
            named = [word for word in words[1:] if "=" not in word]
            yield from (f"make {word}" for word in named if word not in targets())
        elif words[:1] == ["python"]:
            yield from missing_in_program(words[1:])
        elif "topicgrove" in words:
            yield from missing_in_topicgrove(words[words.index("topicgrove") + 1 :])


def missing_in_program(words: list[str]) -> Iterator[str]:
    """Return a program of the repository, by file or module, that does not exist, or options that none of them has."""
    if words[:1] == ["-m"]:
        file = words[1].replace(".", "/")
        yield from missing_file(file if file in files() else f"{file}.py") if "/" in file else ()
    elif words and is_ours(words[0]):
        yield from missing_file(words[0])
        yield from missing_options(words[1:], "")


def missing_in_topicgrove(words: list[str]) -> Iterator[str]:
    """Return a command that does not exist, or options that it does not have."""
    if words[:1] == ["COMMAND"] or words[:1] == ["--version"]:
        return
    named = [path for path in (" ".join(words[:2]), " ".join(words[:1])) if path in leaves()]
    if words and not named:
        yield f"topicgrove {words[0]}"
    elif words:
        yield from missing_options(words, named[0])


def leaves() -> set[str]:
    """Return commands that do something, rather than group other commands."""
    return set(commands()) - {""} - {name.split()[0] for name in commands() if " " in name}


def missing_options(words: list[str], command: str) -> Iterator[str]:
    """Return options that the command does not have; without a command, those that no program of ours has."""
    known = commands()[command] | (set() if command else other_options())
    found = (re.match(r"--?[a-z][a-z-]*", word) for word in words)
    yield from (option[0] for option in found if option and option[0] not in known)


def is_ours(path: str) -> bool:
    """Return whether it must be a file or folder of the repository."""
    if not _PATH.fullmatch(path) or path.startswith((".", "/")):
        return False
    first, slash, _ = path.partition("/")
    return path.endswith(SOURCE_ENDINGS) or bool(slash and (first in top_folders() or (PACKAGE / first).is_dir()))


@cache
def top_folders() -> set[str]:
    """Return the folders of the repository; others, such as build output, are not part of it."""
    return {file.partition("/")[0] for file in files() if "/" in file}


def is_of_a_reader(path: str) -> bool:
    """Return whether it is a file that a reader may have, a file ending, or a folder."""
    return bool(_PATH.fullmatch(path)) and ("/" in path or path.startswith(".") or path.endswith(READERS_ENDINGS))


def missing_file(path: str) -> Iterator[str]:
    """Return a file that does not exist; ``kernels/tree.join`` is a function in one."""
    path = re.sub("<[^>]*>", "*", path).rstrip("/")
    module, _, name = path.rpartition(".")
    is_function = f"{module}.py" in files() and name in names().all
    if path not in files() and not matching(files(), path) and not is_function:
        yield path


def missing_identifiers(text: str) -> Iterator[str]:
    """Names in an expression or assignment that no source has; values such as ``matrix-market`` are strings there."""
    if _HYPHENATED.fullmatch(text):
        is_known = any(f'"{text}"' in path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
        yield from () if is_known else (text,)
        return
    try:
        tree = ast.parse(text.removeprefix("@"))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield from missing_attribute(node)
        elif isinstance(node, ast.Name):
            is_known = node.id in names().all or node.id in sys.stdlib_module_names or _PLACEHOLDER.fullmatch(node.id)
            yield from () if is_known else (node.id,)
        elif isinstance(node, ast.keyword) and node.arg is not None and node.arg not in names().all:
            yield node.arg


def missing_attribute(node: ast.Attribute) -> Iterator[str]:
    """An attribute that its class, or whatever else it is of, does not have."""
    whole = ast.unparse(node)
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    if re.fullmatch(r"topicgrove(\.\w+)+", whole):
        yield from () if pydoc.locate(whole) is not None else (whole,)
    elif not names().has(owner, node.attr):
        yield f"{owner}.{node.attr}"


def unknown_in(path: Path) -> list[tuple[str, str]]:
    """Return places and names of what a page names and nothing has."""
    page = read_page(path)
    found = [(mention.place, name) for mention in page.spans for name in missing(mention.text)]
    return found + [(mention.place, name) for mention in page.commands for name in missing_in_command(mention.text)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_what_a_page_names_exists(path: Path) -> None:
    unknown = [f"{place}: {name}" for place, name in unknown_in(path) if name not in FOREIGN]
    assert not unknown, "\n".join(unknown)


def test_names_of_others_are_listed_only_if_a_page_has_them() -> None:
    assert {name for path in PAGES for _, name in unknown_in(path)} >= set(FOREIGN)


@pytest.mark.parametrize("path", PAGES[:2], ids=lambda path: path.name)
def test_links_lead_to_files(path: Path) -> None:
    """The build of the site checks its own pages."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_table_of_commands_has_all_of_them() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    table = page.split("## Commands")[1].split("\n## ")[0]
    listed = re.findall(r"^\| \[`([a-z]+(?:[ -][a-z]+)?)", table, re.MULTILINE)
    assert sorted(listed) == sorted(leaves())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`add_at`", ["add_at"]),
        ("`State.no_such_thing()`", ["State.no_such_thing"]),
        ("`State.nodes()`, `HierarchicalLDA(n_iter=3)`, `@kernel`, `tree_.parent`", []),
        ("`HierarchicalLDA(depth_of_tree=3)`", ["depth_of_tree"]),
        ("`topicgrove.load`, `topicgrove.corpus.StageEvent`", []),
        ("`topicgrove.lood`", ["topicgrove.lood"]),
        ("`kernels/no_such_file.py`", ["kernels/no_such_file.py"]),
        ("`tests/docs/test_names.py`, `plans.py`, `tests/statistics/`, `my/texts.jsonl`, `.csv`, `tree.json`", []),
        ("`topicgrove fit x -o y --iterations 3`, `--min-df`, `make test`", []),
        ("`topicgrove fit x --no-such-option`", ["--no-such-option"]),
        ("`topicgrove plant`", ["topicgrove plant"]),
        ("`corpus build x -o y`, `fit x --iterations 3`", []),
        ("`corpus plant x`, `fit x --no-such-option`", ["topicgrove corpus", "--no-such-option"]),
        ("`--no-such-option`", ["--no-such-option"]),
        ("`make coffee`", ["make coffee"]),
        ("`python experiments/run.py --seeds 3`, `python -m tests.fuzz`, `python my.py`", ["my.py"]),
        ("`python experiments/walk.py`, `python -m tests.fuss`", ["experiments/walk.py", "tests/fuss.py"]),
        ("`python experiments/run.py --sedes 3`", ["--sedes"]),
        ("```sh\nmake coffee && topicgrove show m --wrods 3\n```", ["make coffee", "--wrods"]),
        ("```text\nmake coffee\n```", []),
        ("| gensim | TopicGrove |\n|---|---|\n| `no_such` | `nor_this` |", ["nor_this"]),
    ],
)
def test_what_does_not_exist_is_found(text: str, expected: list[str], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{text}\n", encoding="utf-8")
    assert [name for _, name in unknown_in(page)] == expected


def test_places_are_those_of_the_names(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("First\n```sh\ntopicgrove plant \\\n  a\n```\nand\n`add_at`\n", encoding="utf-8")
    assert unknown_in(page) == [("page.md:7", "add_at"), ("page.md:3", "topicgrove plant")]
