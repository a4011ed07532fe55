"""What pages mention as code: words between backquotes, and the commands in blocks for a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

OTHER_PROGRAMS = ("tomotopy", "HierarchicalLDATUI", "gensim", "BERTopic")
"""Tables for people who come from these have their names in the first column."""

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FENCE = re.compile(r"^ *(`{3,}|~{3,})(.*)$")
_SHELLS = ("sh", "console", "bash", "")


class Mention(NamedTuple):
    """A piece of code in a page."""

    place: str
    text: str


class Page(NamedTuple):
    """Collect the code of a page."""

    spans: list[Mention]
    commands: list[Mention]


def read_page(path: Path) -> Page:
    """Tell spans in prose and commands in blocks apart; other blocks are run, or are output."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    prose: list[str] = []
    commands: list[Mention] = []
    fence, shell, skip_first = "", False, False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence, shell = ("" if fence else found[1]), not fence and found[2].strip() in _SHELLS
            prose.append("")
        elif fence:
            prose.append("")
            if shell:
                commands.append(Mention(f"{name}:{number}", line.strip()))
        else:
            starts_table = line.startswith("|") and not (prose and prose[-1].startswith("|"))
            if starts_table or not line.startswith("|"):
                skip_first = starts_table and line.strip("| ").startswith(OTHER_PROGRAMS)
            prose.append("|" + line.split("|", 2)[2] if skip_first else line)
    return Page(list(_spans("\n".join(prose), name)), list(_joined(commands)))


def _spans(text: str, name: str) -> Iterator[Mention]:
    for found in _SPAN.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if "\n\n" not in found[2]:
            yield Mention(f"{name}:{line}", " ".join(found[2].replace("\\|", "|").split()))


def _joined(lines: list[Mention]) -> Iterator[Mention]:
    """Join lines that end in a backslash with the next."""
    place, text = "", ""
    for line in lines:
        place, text = place or line.place, text + line.text
        if text.endswith("\\"):
            text = text[:-1]
            continue
        yield Mention(place, text)
        place, text = "", ""
