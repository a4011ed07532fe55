"""Make texts in other languages: translated package descriptions, pages of a manual, or dialogs of a program.

Descriptions come from Debian's apt, pages and dialogs from packages such as libreoffice-help-zh-cn::

    apt-get -o Acquire::Languages=de,fr,ja -o Dir::State::lists=$PWD/lists update
    python scripts/make_language_corpus.py lists/*Translation-de* german.jsonl
    python scripts/make_language_corpus.py /usr/share/libreoffice/help/zh-CN/text chinese.jsonl
    python scripts/make_language_corpus.py /usr/lib/libreoffice/program/resource/ar arabic.jsonl

Among packages whose descriptions begin alike, only the first is kept. Untranslated Chinese and Japanese pages are left
out.
"""

from __future__ import annotations

import gettext
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

LEAST_CHARACTERS = 100
_DESCRIPTION = re.compile(r"^Description-(?!md5)\w+: (.*(?:\n .*)*)", re.MULTILINE)
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_ENGLISH = re.compile("[A-Za-z]")
_PLACEHOLDER = re.compile(r"%\w+|\$\(?\w+\)?|[_~&]")
_HIDDEN = {"head", "script", "style", "nav", "footer", "pre", "code"}
_BLOCKS = {"p", "div", "h1", "h2", "h3", "li", "td", "tr", "br"}


def descriptions(path: Path) -> Iterator[dict[str, str]]:
    """Read the descriptions from a list of translations, as apt keeps them."""
    command = ["/usr/lib/apt/apt-helper", "cat-file", str(path)]
    seen = set()
    for record in subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\n\n"):
        found = _DESCRIPTION.search(record)
        if found is None:
            continue
        title, *lines = found[1].split("\n")
        text = "\n".join("" if line == " ." else line[1:] for line in lines)
        if text.partition("\n\n")[0] not in seen:
            seen.add(text.partition("\n\n")[0])
            yield {
                "id": record.partition("\n")[0].removeprefix("Package: "),
                "title": title,
                "text": f"{title}\n{text}",
            }


class _Page(HTMLParser):
    """Collects the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Hide everything but prose."""
        self.hidden += tag in _HIDDEN
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Show the text that follows."""
        self.hidden -= tag in _HIDDEN

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        if not self.hidden:
            self.parts.append(data)


def pages(folder: Path) -> Iterator[dict[str, str]]:
    """Read the pages below a folder."""
    for path in sorted(folder.rglob("*.html")):
        page = _Page()
        page.feed(path.read_text(errors="replace"))
        text = re.sub(r"\s*\n\s*", "\n", "".join(page.parts)).strip()
        yield {"id": str(path.relative_to(folder)), "text": text}


def dialogs(folder: Path) -> Iterator[dict[str, str]]:
    """Read the messages of each dialog from the translation catalogues below a folder."""
    for path in sorted(folder.rglob("*.mo")):
        messages = defaultdict(list)
        with open(path, "rb") as file:
            for key, message in gettext.GNUTranslations(file)._catalog.items():  # type: ignore[attr-defined]
                context = re.split(r"[|\x04]", key)[0] if isinstance(key, str) else ""
                if context:
                    messages[context].append(_PLACEHOLDER.sub("", message))
        for context, texts in messages.items():
            yield {"id": f"{path.stem}/{context}", "text": "\n".join(texts)}


def is_translated(text: str) -> bool:
    """Return whether a text with Chinese or Japanese characters is not mostly English."""
    n_east_asian = len(_EAST_ASIAN.findall(text))
    return not n_east_asian or 3 * n_east_asian > 2 * len(_ENGLISH.findall(text))


def main(source: Path, out: Path) -> None:
    """Write the documents of a list or a folder as JSON Lines."""
    kind = descriptions if source.is_file() else dialogs if next(source.rglob("*.mo"), None) else pages
    with open(out, "w", encoding="utf-8") as file:
        for document in kind(source):
            if len(document["text"]) >= LEAST_CHARACTERS and is_translated(document["text"]):
                file.write(json.dumps(document, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
