"""Make the demo corpus: descriptions of Debian packages.

First fetch the lists into a separate folder, as root or with a private configuration of apt:

    mkdir -p lists/partial
    apt-get update -o Acquire::Languages=en -o Acquire::GzipIndexes=false -o Dir::State::lists=$PWD/lists
    python scripts/make_demo_corpus.py lists/*_bookworm_main_*_Packages --translations lists/*_bookworm_main_*-en

The same lists give the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

SEED = 2017
N_DOCS = 3_000
MOST_PER_SECTION = 200
LEAST_WORDS = 50
SAME_START = 15
"""Descriptions that share this many first words count as one."""

OUT = Path(__file__).resolve().parent.parent / "src" / "topicgrove" / "data" / "debian.jsonl.gz"

UNWANTED_SECTIONS = {"debug", "doc", "introspection", "libdevel", "localization", "metapackages", "oldlibs", "tasks"}
UNWANTED_NAME = re.compile(r"-(dbg|dbgsym|prof|docs?|data|common|all|headers?|source|l10n|locales?)$")
UNWANTED_TEXT = re.compile(
    r"transitional|dummy package|empty package|meta-?package|debugging symbols|debug symbols", re.I
)
WORD = re.compile(r"[a-z]{3,}")


class Package(NamedTuple):
    """What the corpus needs to know about a package."""

    name: str
    source: str
    section: str
    text: str


def words_of(text: str) -> list[str]:
    """Split a text into words of three or more letters, in lower case.

    >>> words_of("The BLAST2 aligner's 3 front-ends.")
    ['the', 'blast', 'aligner', 'front', 'ends']
    """
    return WORD.findall(text.lower())


def without_refrain(text: str) -> str:
    """Drop later paragraphs on what "this package" holds: they are the same throughout a section."""
    first, *others = text.split("\n.\n")
    return "\n".join([first, *(paragraph for paragraph in others if not paragraph.startswith("This package"))])


def stanzas(path: Path) -> Iterator[dict[str, str]]:
    """Read the stanzas of a Debian control file, joining continuation lines to their fields."""
    fields: dict[str, str] = {}
    name = ""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line[0] in " \t":
                fields[name] += "\n" + line.strip()
            elif line == "\n":
                yield fields
                fields = {}
            else:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
    if fields:
        yield fields


def read_packages(lists: Iterable[Path], translations: Iterable[Path]) -> list[Package]:
    """Read packages with their long descriptions in English."""
    texts = {
        (fields["Package"], fields["Description-md5"]): fields["Description-en"]
        for path in translations
        for fields in stanzas(path)
    }
    packages = []
    for path in lists:
        for fields in stanzas(path):
            name = fields["Package"]
            text = texts.get((name, fields.get("Description-md5", "")), fields.get("Description", ""))
            source = fields.get("Source", name).split(" ")[0]
            packages.append(Package(name, source, fields.get("Section", "misc").split("/")[-1], without_refrain(text)))
    return packages


def is_wanted(package: Package) -> bool:
    """Return whether a package stands on its own, and its description says what it is."""
    return (
        package.section not in UNWANTED_SECTIONS
        and not UNWANTED_NAME.search(package.name)
        and not UNWANTED_TEXT.search(package.text)
        and len(words_of(package.text)) >= LEAST_WORDS
    )


def one_per_source(packages: Iterable[Package]) -> list[Package]:
    """Keep the package named like its source, or else the one with the longest text; no text twice."""
    by_source: dict[str, list[Package]] = defaultdict(list)
    for package in packages:
        by_source[package.source].append(package)
    best = [max(group, key=lambda p: (p.name == p.source, len(p.text), p.name)) for group in by_source.values()]
    by_words = {tuple(words_of(package.text)[:SAME_START]): package for package in sorted(best, reverse=True)}
    return sorted(by_words.values())


def choose(packages: Iterable[Package]) -> list[Package]:
    """Select by seed, with no section above its share, in the order of the names."""
    by_section: dict[str, list[Package]] = defaultdict(list)
    for package in packages:
        by_section[package.section].append(package)
    rng = random.Random(SEED)
    pool: list[Package] = []
    for _, group in sorted(by_section.items()):
        pool += rng.sample(group, min(MOST_PER_SECTION, len(group)))
    return sorted(rng.sample(pool, min(N_DOCS, len(pool))))


def record(package: Package) -> dict[str, str]:
    """Make a line of the file: the first line of a description is its title."""
    title, _, text = package.text.partition("\n")
    return {
        "id": package.name,
        "title": title,
        "text": f"{title}. {' '.join(text.split())}",
        "section": package.section,
    }


def packed(packages: Iterable[Package]) -> bytes:
    """Compress JSON Lines, without a time or a name in the header."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        for package in packages:
            file.write(json.dumps(record(package), ensure_ascii=False).encode() + b"\n")
    return buffer.getvalue()


def main() -> None:
    """Read the lists named on the command line and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+", type=Path, help="Packages lists, uncompressed")
    parser.add_argument("--translations", nargs="+", type=Path, required=True, help="Translation-en lists")
    parser.add_argument("--out", type=Path, default=OUT, help="file to write")
    arguments = parser.parse_args()
    packages = read_packages(arguments.packages, arguments.translations)
    chosen = choose(one_per_source(filter(is_wanted, packages)))
    arguments.out.write_bytes(packed(chosen))
    n_words = sum(len(words_of(package.text)) for package in chosen)
    print(f"{len(chosen)} documents, {n_words} words, {arguments.out.stat().st_size} bytes in {arguments.out}")


if __name__ == "__main__":
    main()
